"""Work that may wait a moment, so that hundreds of clients that leave at once hold up nobody who stays."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Errands"]

SLICE_SECONDS = 0.002


class Errands:
    """Does what it is given in order, on the event loop, a few milliseconds a turn.

    An event loop does everything that is due before it listens again: 500 clients sent away because their lines took
    30 seconds would cost the others a tenth of a second.
    """

    def __init__(self) -> None:
        self._due: deque[Callable[[], None]] = deque()
        self._planned = False

    def add(self, errand: Callable[[], None]) -> None:
        """Do it soon."""
        self._due.append(errand)
        self._plan()

    def finish(self) -> None:
        """Do all of it now."""
        while self._due:
            self._due.popleft()()

    def _plan(self) -> None:
        if self._due and not self._planned:
            self._planned = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        until = clock() + SLICE_SECONDS
        self._planned = False
        try:
            while self._due and clock() <= until:
                self._due.popleft()()
        finally:
            self._plan()
