"""Lines of play as candidates for a book: read from records, walked through together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.book.rules import flips
from fanqi.othello_book import PASS, canonical_arrays

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

__all__ = ["Walk"]

START_OWN = np.uint64(1 << 28 | 1 << 35)
START_OPPONENT = np.uint64(1 << 27 | 1 << 36)
END = 255


class Walk:
    """All lines move by move; those that begin alike, or as mirror images, share their positions.

    Args:
        lines: legal moves from the start position, every pass among them.
    """

    def __init__(self, lines: Sequence[Sequence[int]]) -> None:
        longest = max((len(line) for line in lines), default=0)
        self._moves = np.full((len(lines), longest + 1), END, np.int64)
        for number, line in enumerate(lines):
            self._moves[number, : len(line)] = line
        self._own = np.full(len(lines), START_OWN, np.uint64)
        self._opponent = np.full(len(lines), START_OPPONENT, np.uint64)
        self._ply = 0
        self.moves = 0
        """Moves made so far, in all lines together."""

    def step(self) -> bool:
        """Make the next move of every line; False when all have ended."""
        if self._ply >= self._moves.shape[1]:
            return False
        move = self._moves[:, self._ply]
        self._take(move != END)
        move = self._moves[:, self._ply]
        if not len(move):
            return False
        square = np.where(move == PASS, 0, move).astype(np.uint64)
        disc = np.where(move == PASS, np.uint64(0), np.uint64(1) << square)
        turned = np.where(move == PASS, np.uint64(0), flips(self._own, self._opponent, disc))
        self._own, self._opponent = self._opponent & ~turned, self._own | turned | disc
        self._ply += 1
        self.moves += len(move)
        return True

    @property
    def _keys(self) -> list[tuple[int, int]]:
        own, opponent = canonical_arrays(self._own, self._opponent)
        return list(zip(own.tolist(), opponent.tolist(), strict=True))

    @property
    def positions(self) -> list[tuple[int, int]]:
        """The positions reached, in canonical form, each once, sorted."""
        return sorted(set(self._keys))

    def keep(self, positions: Collection[tuple[int, int]]) -> None:
        """Go on only with the lines that have reached one of these."""
        self._take(np.array([key in positions for key in self._keys], np.bool_))

    def _take(self, chosen: NDArray[np.bool_]) -> None:
        self._moves, self._own, self._opponent = self._moves[chosen], self._own[chosen], self._opponent[chosen]
