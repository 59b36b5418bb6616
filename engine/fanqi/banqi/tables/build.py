"""Building the tables of all classes, fewest men first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.tables.classes import EndgameClass, classes, find_class
from fanqi.banqi.tables.retrograde import describe, full_size, solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Builder"]


class Builder:
    """Full tables, built as they are needed and kept as long as this object.

    Attributes:
        longest: longest distance of each class built so far, in plies.
    """

    def __init__(self) -> None:
        self._full: dict[EndgameClass, NDArray[np.uint8]] = {}
        self.longest: dict[EndgameClass, int] = {}

    def full(self, kind: EndgameClass) -> NDArray[np.uint8]:
        """The full table of a class."""
        if kind not in self._full:
            self._full[kind] = self.solve(kind)
        return self._full[kind]

    def solve(self, kind: EndgameClass) -> NDArray[np.uint8]:
        """The full table of a class, not kept."""
        table = np.zeros(full_size(kind.men), np.uint8)
        progress = np.zeros(2, np.int64)
        self.longest[kind] = int(solve(describe(kind, self.child), table, progress))
        return table

    def all_with(self, men: int, progress: Callable[[int, int], None] | None = None) -> None:
        """Build all classes with that many men."""
        kinds = classes(men)
        for done, kind in enumerate(kinds, start=1):
            self.full(kind)
            if progress is not None:
                progress(done, len(kinds))

    def child(self, left: EndgameClass) -> tuple[NDArray[np.uint8], bool, tuple[int, ...]]:
        """What `fanqi.banqi.tables.retrograde.describe` asks for the men that a capture leaves."""
        kind, order = find_class(left)
        return self.full(kind), order[0] >= left.first, order
