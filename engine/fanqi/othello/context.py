"""The block of words that a search thread hands down its recursion, and what each word means.

Kernels get the block's address and use ``load(block, NAME)``. The block and everything it points to are owned
by `SearchContext`, which outlives every search that uses them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.bits import address_of
from fanqi.othello.certainty import error_table
from fanqi.othello.patterns import EVALUATION_BYTES, default_weights
from fanqi.othello.stability import EDGE_CONFIGURATIONS, edge_stability

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HashTable", "SearchContext"]

STOP = 0  # address of the stop flag
STOPPED = 1  # 1 once this thread has seen a reason to stop
NODES = 2  # visited by this thread
NODE_LIMIT = 3  # stop when NODES reaches it
FEWEST = 4  # fewest empty squares reached
TABLE = 5  # address of the transposition table, aligned to 64
TABLE_MASK = 6  # number of its buckets less one
AGE = 7  # number of this search modulo 256
LOCAL = 8  # address of the thread's own small table
LOCAL_SHIFT = 9  # 64 less the binary logarithm of its entries
BUSY = 10  # address of the table of positions being searched, 0 when this thread is alone
EDGES = 11  # address of the edge stability table
WEIGHTS = 12  # address of the evaluation's weights
ERRORS = 13  # address of the error model of forward pruning
LEVEL = 14  # certainty level of this iteration
DEVIATIONS = 15  # standard deviations of its margins, in 1/1024
OBJECTIVE = 16  # 0: most discs win, 1: fewest
DRAW_LINE = 17  # score in discs that is a draw, from the root mover's view; NO_DRAW if none is
CONTEMPT = 18  # what a draw is worth less to the root mover, in hundredths of a disc
ROOT_COUNT = 19  # number of root moves
ROOT_SKIP = 20  # the first so many root moves are not searched: their lines are already reported
EDITION = 21  # year of the rules that the search of old Reversi plays by
DOOMED = 22  # root moves known to lose all discs, as a bitboard: they are not searched
PROOF_LEFT = 23  # positions that proofs of wipe-outs may still visit
ROOT_MOVES = 24  # root moves, best first
ROOT_SCORES = 64  # score of each in the last iteration

NO_DRAW = 1000
LIST_ENTRIES = 40  # no position has more than 33 legal moves
LIST_WORDS = 2 * LIST_ENTRIES
LINE_WORDS = 130
LINE_COUNT = 130
STATE_WORDS = -(-EVALUATION_BYTES // 64) * 8

STATES = 104  # pattern indices: for each number of empty squares STATE_WORDS words
LISTS = STATES + 65 * STATE_WORDS  # move lists: for each number of empty squares LIST_WORDS words
LINES = LISTS + 65 * LIST_WORDS  # principal variations: for each ply LINE_WORDS words, length first
BLOCK_WORDS = LINES + LINE_COUNT * LINE_WORDS

BUCKET_BYTES = 64
LOCAL_BITS = 15


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
        self.words = aligned(8 * buckets)
        self.buckets = buckets

    def clear(self) -> None:
        """Forget everything."""
        self.words[:] = 0

    def permille_used(self, age: int) -> int:
        """How much of the table the search of this age has filled, by a sample of a thousand entries."""
        data = self.words[1 : 8 * 250 : 2]
        ages = (data >> np.uint64(51)) & np.uint64(255)
        used = np.count_nonzero((data != 0) & (ages == np.uint64(age)))
        return int(used * 1000 // len(data))


class SearchContext:
    """One thread's block and the memory it points to."""

    def __init__(self) -> None:
        self.block: NDArray[np.int64] = aligned(BLOCK_WORDS).view(np.int64)
        self.weights = default_weights()
        self.errors = error_table()
        self.local = aligned(2 << LOCAL_BITS)
        self.edges: NDArray[np.uint8] = np.zeros(EDGE_CONFIGURATIONS, np.uint8)
        edge_stability(self.edges)
        self.block[WEIGHTS] = address_of(self.weights.evaluation_block)
        self.block[ERRORS] = address_of(self.errors)
        self.block[LOCAL] = address_of(self.local)
        self.block[LOCAL_SHIFT] = 64 - LOCAL_BITS
        self.block[EDGES] = address_of(self.edges)
        self.block[DRAW_LINE] = NO_DRAW

    def use_table(self, table: HashTable) -> None:
        """Search with this table from now on. The caller keeps it alive."""
        self.block[TABLE] = address_of(table.words)
        self.block[TABLE_MASK] = table.buckets - 1

    def forget(self) -> None:
        """Empty the thread's own table."""
        self.local[:] = 0

    @property
    def address(self) -> int:
        """What kernels take as ``block``."""
        return address_of(self.block)


def aligned(words: int) -> NDArray[np.uint64]:
    """Zeroed words that start a cache line."""
    raw = np.zeros(words + 8, np.uint64)
    start = -address_of(raw) % BUCKET_BYTES // 8
    return raw[start : start + words]
