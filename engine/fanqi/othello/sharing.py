"""How search threads keep out of each other's way: a table of the positions being searched right now.

Every thread runs the same search over the same transposition table. Before it goes into a move that is not
the first, it looks here whether another thread is at that position, and if so puts the move off until its
others are done; by then the result is mostly in the table. (Weill's ABDADA in the simplified form of
Kerrigan.) The table is a hint: words are read and written without a lock, and nothing but time depends on
them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, store
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.moves import ZERO

__all__ = ["BUSY_WORDS", "busy", "enter", "leave"]

BUSY_WORDS = 1 << 13
STRIDE = 8  # words between two places: a cache line each


@kernel
def place_of(key: Any) -> Any:
    """Index of the word for a position."""
    return np.int64(key & np.uint64(BUSY_WORDS // STRIDE - 1)) * STRIDE


@kernel
def busy(block: Any, key: Any) -> Any:
    """Whether another thread is searching the position with this hash key."""
    return load_bits(load(block, ctx.BUSY), place_of(key)) == key


@kernel
def enter(block: Any, key: Any) -> Any:
    """Tell the others that this thread goes into a position."""
    table, place = load(block, ctx.BUSY), place_of(key)
    if load_bits(table, place) == ZERO:
        store(table, place, key)


@kernel
def leave(block: Any, key: Any) -> Any:
    """Tell the others that this thread is done with a position."""
    table, place = load(block, ctx.BUSY), place_of(key)
    if load_bits(table, place) == key:
        store(table, place, ZERO)
