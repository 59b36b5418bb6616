"""What search kernels do with their context block: count, stop, lists of moves, pattern indices of each
depth."""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, store
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.moves import ZERO

__all__ = [
    "END_OF_LIST",
    "again",
    "count_node",
    "defer",
    "insert",
    "list_address",
    "reached",
    "should_stop",
    "state_address",
]

END_OF_LIST = 1 << 60
"""The entry after the last one of a move list."""


@kernel
def count_node(block: Any) -> Any:
    """One more node."""
    store(block, ctx.NODES, load(block, ctx.NODES) + 1)


@kernel
def reached(block: Any, empties: Any) -> Any:
    """Note how deep the search got."""
    if empties < load(block, ctx.FEWEST):
        store(block, ctx.FEWEST, empties)


@kernel
def should_stop(block: Any) -> Any:
    """Whether this thread has to end its search; remembered in the block."""
    if load(block, ctx.STOPPED) != 0:
        return True
    # a plain load is enough: the address comes from memory, so that LLVM cannot keep the flag in a register
    if load(block, ctx.NODES) >= load(block, ctx.NODE_LIMIT) or load_bits(load(block, ctx.STOP), 0) != ZERO:
        store(block, ctx.STOPPED, 1)
        return True
    return False


@kernel
def list_address(block: Any, empties: Any) -> Any:
    """Address of the move list for a number of empty squares: pairs of words, a key with the square in its
    low six bits and the discs turned, best (lowest) key first, then `END_OF_LIST`.
    """
    return block + 8 * (ctx.LISTS + empties * ctx.LIST_WORDS)


@kernel
def state_address(block: Any, empties: Any) -> Any:
    """Address of the midgame pattern indices for a number of empty squares."""
    return block + 8 * (ctx.STATES + empties * ctx.STATE_WORDS)


@kernel
def insert(entries: Any, count: Any, key: Any, turned: Any) -> Any:
    """Insert an entry into a list of ``count`` entries, lowest key first."""
    at = count
    while at > 0 and load(entries, 2 * at - 2) > key:
        store(entries, 2 * at, load(entries, 2 * at - 2))
        store(entries, 2 * at + 1, load(entries, 2 * at - 1))
        at -= 1
    store(entries, 2 * at, key)
    store(entries, 2 * at + 1, turned)


@kernel
def defer(entries: Any, deferred: Any, entry: Any, turned: Any) -> Any:
    """Put an entry off: it goes to the front of its list, where the entries are done with. Returns the new
    count."""
    store(entries, 2 * deferred, entry)
    store(entries, 2 * deferred + 1, np.int64(turned))
    return deferred + 1


@kernel
def again(entries: Any, deferred: Any) -> Any:
    """End the list after the deferred entries; returns where to go on."""
    store(entries, 2 * deferred, END_OF_LIST)
    return 0
