"""Building the table of a class from those that its captures lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.tables.classes import EndgameClass, find_class
from fanqi.banqi.tables.retrograde import describe, full_size, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Builder"]


class Builder:
    """Full tables, built as they are needed and kept as long as this object."""

    def __init__(self) -> None:
        self._full: dict[EndgameClass, NDArray[np.uint8]] = {}

    def full(self, kind: EndgameClass) -> NDArray[np.uint8]:
        """The full table of a class."""
        if kind not in self._full:
            # of two threads that solve it at once the first one's is kept, since others have its address by then
            self._full.setdefault(kind, self.solve(kind))
        return self._full[kind]

    def solve(self, kind: EndgameClass) -> NDArray[np.uint8]:
        """The full table of a class, not kept."""
        table = np.zeros(full_size(kind.men), np.uint8)
        progress = np.zeros(2, np.int64)
        solve(describe(kind, self.child), table, progress)
        return table

    def child(self, left: EndgameClass) -> tuple[NDArray[np.uint8], bool, tuple[int, ...]]:
        """What `fanqi.banqi.tables.retrograde.describe` asks for the men that a capture leaves."""
        kind, order = find_class(left)
        return self.full(kind), order[0] >= left.first, order
