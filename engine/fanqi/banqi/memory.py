"""The memory an engine owns: table, caches, frames, and the context that points at them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi import context as c
from fanqi.banqi.material import MATERIAL_WORDS
from fanqi.banqi.moves import MAX_MOVES
from fanqi.banqi.state import HIDDEN, STATE_WORDS, TURN
from fanqi.banqi.tables.store import read_tables, shipped_tables
from fanqi.banqi.transposition import BUCKET_WORDS
from fanqi.banqi.utility import utility
from fanqi.banqi.weights import blend, shipped_weights
from fanqi.search.memory import take_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.banqi.position import Position
    from fanqi.search import Settings

__all__ = ["Memory"]

UNLIMITED = 1 << 62
BUCKET_BYTES = 8 * BUCKET_WORDS
SALT_PRIMES = (1000003, 1299709000009, 15485863, 1618033988749, 2718281828459)


def _aligned(words: int) -> NDArray[np.int64]:
    """Zeroed words that start a cache line, so that a bucket is one line."""
    raw = np.zeros(words + BUCKET_WORDS, np.int64)
    start = -raw.ctypes.data % BUCKET_BYTES // 8
    return raw[start : start + words]


def _table(mebibytes: int) -> NDArray[np.int64]:
    """A transposition table: the largest power of two of buckets that fits."""
    buckets = 1 << ((mebibytes << 20) // BUCKET_BYTES).bit_length() - 1
    return _aligned(buckets * BUCKET_WORDS)


class Memory:
    """All arrays of one engine. The table is taken at the first search; the rest is less than two megabytes.

    Attributes:
        words: the context (see `fanqi.banqi.context`); addresses in it stay good while this object lives.
        root: rows of root moves and their scores.
    """

    def __init__(self, weights: NDArray[np.int64] | None = None) -> None:
        """
        Args:
            weights: both sets as from `load_weights`; None for the shipped ones.
        """
        self._weights = shipped_weights() if weights is None else weights
        self._blended = np.zeros(self._weights.shape[1], np.int64)
        self._table: NDArray[np.int64] | None = None
        self._material = np.zeros(MATERIAL_WORDS, np.int64)
        self._history = np.zeros(c.HISTORY_WORDS, np.int64)
        self._swaps = np.zeros(c.SWAP_WORDS, np.int64)
        self._terms = np.zeros(c.TERM_WORDS, np.int64)
        self._frames = np.zeros((c.MAX_PLY + 4) * c.FRAME_WORDS, np.int64)
        self._keys = np.zeros(c.MAX_PLY + 4, np.int64)
        self._flag: NDArray[np.int64] | None = None
        self.root = np.zeros((2, MAX_MOVES), np.int64)
        self._endgames = shipped_tables()
        self.words = np.zeros(c.CONTEXT_WORDS, np.int64)
        self._point_at_endgames()
        for word, array in (
            (c.WEIGHTS, self._blended),
            (c.MATERIAL, self._material),
            (c.HISTORY, self._history),
            (c.SWAPS, self._swaps),
            (c.TERMS, self._terms),
            (c.FRAMES, self._frames),
            (c.ROOT_MOVES, self.root),
        ):
            self.words[word] = array.ctypes.data

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weights as blended last."""
        return self._blended

    def use_endgames(self, path: str) -> None:
        """Take the endgame tables from a file, or with an empty path those that are shipped.

        Raises:
            TableError: the file cannot be used; the tables stay as they are.
        """
        self._endgames = read_tables(Path(path)) if path else shipped_tables()
        self._point_at_endgames()
        self._material.fill(0)

    def _point_at_endgames(self) -> None:
        self.words[c.ENDGAMES] = self._endgames.index.ctypes.data
        self.words[c.ENDGAMES_COUNT] = len(self._endgames.index)

    def drop_table(self) -> None:
        """Give the table's memory back."""
        self._table = None

    def reserve(self, hash_mib: int) -> None:
        """Take the table now, every page of it: the operating system zeroes them when they are first used."""
        if self._table is None:
            self._take_table(hash_mib).fill(0)

    def _take_table(self, hash_mib: int) -> NDArray[np.int64]:
        """The table, taken if there is none."""
        if self._table is None:
            self._table = take_table(hash_mib, _table)
        return self._table

    def forget(self) -> None:
        """Clear all that earlier searches have learned."""
        if self._table is not None:
            self._table.fill(0)
        self._history.fill(0)
        self.words[c.AGE] = 0

    def use_weights(self, covered: int) -> None:
        """Blend the weights for a number of covered men."""
        blended = blend(self._weights, covered)
        if not np.array_equal(blended, self._blended):
            self._blended[:] = blended
            self._material.fill(0)

    def set_up(self, position: Position, settings: Settings, moves: list[int], flag: NDArray[np.int64]) -> None:
        """Make everything ready for a search of ``position``.

        Args:
            position: its side to move must have a colour.
            settings: hash size, contempt and stakes are taken from it.
            moves: the root moves.
            flag: the stop flag.
        """
        table = self._take_table(settings.hash_mib)
        history = position.history
        if len(self._keys) < len(history) + c.MAX_PLY + 4:
            self._keys = np.zeros(len(history) + c.MAX_PLY + 4, np.int64)
        self._keys[: len(history)] = history
        self._flag = flag
        self._history //= 4
        self._frames.fill(0)
        self._frames[:STATE_WORDS] = position.state
        self.use_weights(int(position.state[HIDDEN]).bit_count())
        self.root[0, : len(moves)] = moves
        self.root[1] = 0
        rules = position.rules
        own = int(position.state[TURN])
        draw = -utility(settings.contempt) * (1 if own == 0 else -1)
        parts = (rules.chase, rules.no_progress, rules.repetition, draw, settings.stakes)
        salt = sum((int(part) & 0xFFFFFF) * prime for part, prime in zip(parts, SALT_PRIMES, strict=True))
        words = self.words
        words[c.STOP] = flag.ctypes.data
        words[c.NODES] = 0
        words[c.NODE_LIMIT] = UNLIMITED
        words[c.ABORTED] = 0
        words[c.DEEPEST] = 0
        words[c.TABLE] = table.ctypes.data
        words[c.TABLE_MASK] = len(table) // BUCKET_WORDS - 1
        words[c.AGE] = (int(words[c.AGE]) + 1) & 63
        words[c.SALT] = salt & (UNLIMITED - 1)
        words[c.KEYS] = self._keys.ctypes.data
        words[c.PLAYED] = len(history)
        words[c.REPETITION] = rules.repetition
        words[c.DRAW] = draw
        words[c.FADE] = rules.no_progress // 3
        words[c.STAKES] = int(settings.stakes)
        words[c.ROOT_COUNT] = len(moves)

    def keep_best_flips(self, most: int) -> None:
        """Strike all but the ``most`` foremost flips from the root list, which must be sorted."""
        count = int(self.words[c.ROOT_COUNT])
        is_flip = self.root[0, :count] % 33 == 0
        kept = np.flatnonzero(~is_flip | (np.cumsum(is_flip) <= most))
        self.root[:, : len(kept)] = self.root[:, kept]
        self.words[c.ROOT_COUNT] = len(kept)

    def line(self) -> list[int]:
        """The line of the best root move."""
        length = int(self._frames[c.PV_LENGTH])
        return [int(move) for move in self._frames[c.PV : c.PV + length]]

    def hashfull(self) -> int:
        """Per mille of the table filled by this search, by a sample."""
        if self._table is None:
            return 0
        data = self._table[1:4001:2]
        used = (data != 0) & ((data >> 37) & 63 == self.words[c.AGE])
        return int(used.sum()) * 1000 // len(data)
