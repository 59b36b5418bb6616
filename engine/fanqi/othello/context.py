"""The block of words that a search thread hands down its recursion, and what each word means.

Kernels get the block's address and use ``load(block, NAME)``. The block and everything it points to are owned
by
`SearchContext`, which outlives every search that uses them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.bits import address_of
from fanqi.othello.stability import EDGE_CONFIGURATIONS, edge_stability

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HashTable", "SearchContext"]

STOP = 0  # address of the caller's stop flag
STOPPED = 1  # 1 once this thread has seen a reason to stop
NODES = 2  # visited by this thread
NODE_LIMIT = 3  # stop when NODES reaches it
FEWEST = 4  # fewest empty squares reached
TABLE = 5  # address of the transposition table, aligned to 64
TABLE_MASK = 6  # number of its buckets less one
AGE = 7  # number of this search modulo 256
EDGES = 8  # address of the edge stability table
LEVEL = 9  # certainty level of this iteration
ROOT_COUNT = 10  # number of root moves in ROOT_MOVES
ROOT_SKIP = 11  # the first so many root moves are not searched (already reported lines)

ROOT_MOVES = 16  # root moves, best first
ROOT_SCORES = 56  # score of each in the last iteration
LISTS = 96  # move lists: for each number of empty squares LIST_WORDS words
LIST_ENTRIES = 40  # no position has more than 33 legal moves
LIST_WORDS = 2 * LIST_ENTRIES
LINES = LISTS + 65 * LIST_WORDS  # principal variations: one of LINE_WORDS for each ply, length first
LINE_WORDS = 130
BUCKET_BYTES = 64
LINE_COUNT = 130
BLOCK_WORDS = LINES + LINE_COUNT * LINE_WORDS


class HashTable:
    """The memory of the transposition table: a power of two of 64-byte buckets, zeroed by the operating
    system.

    Args:
        mebibytes: at most this much; at least one bucket is there.
    """

    def __init__(self, mebibytes: int) -> None:
        buckets = 1
        while buckets * 2 * BUCKET_BYTES <= mebibytes << 20:
            buckets *= 2
        self._raw: NDArray[np.uint64] = np.zeros(8 * buckets + 8, np.uint64)
        start = -address_of(self._raw) % BUCKET_BYTES // 8
        self.words: NDArray[np.uint64] = self._raw[start : start + 8 * buckets]
        self.buckets = buckets

    def permille_used(self, age: int) -> int:
        """How much of the table the search of this age has filled, by a sample of a thousand entries."""
        sample = self.words[: 8 * 250]
        data = sample[1::2]
        ages = (data >> np.uint64(51)) & np.uint64(255)
        used = np.count_nonzero((data != 0) & (ages == np.uint64(age)))
        return int(used * 1000 // len(data))


class SearchContext:
    """One thread's block and the memory it points to."""

    def __init__(self) -> None:
        self.block: NDArray[np.int64] = np.zeros(BLOCK_WORDS, np.int64)
        self.edges: NDArray[np.uint8] = np.zeros(EDGE_CONFIGURATIONS, np.uint8)
        edge_stability(self.edges)
        self.block[EDGES] = address_of(self.edges)

    def use_table(self, table: HashTable) -> None:
        """Search with this table from now on. The caller keeps it alive."""
        self.block[TABLE] = address_of(table.words)
        self.block[TABLE_MASK] = table.buckets - 1

    @property
    def address(self) -> int:
        """What kernels take as ``block``."""
        return address_of(self.block)
