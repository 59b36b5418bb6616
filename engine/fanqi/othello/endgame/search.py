"""The exact solver above the last few squares: table, stability, ordering by weighted mobility."""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.last import WORST, count_node, final_score
from fanqi.othello.endgame.shallow import (
    quadrant_of,
    shallow,
    stability_bound,
    stability_pays,
)
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest
from fanqi.othello.table import (
    NO_MOVE,
    data_depth,
    data_level,
    data_lower,
    data_move,
    data_second,
    data_upper,
    hash_position,
    probe,
    store_result,
)

__all__ = ["EXACT", "null_window"]

EXACT = 5  # the certainty level of the table that stands for 100 %
SHALLOW_EMPTIES = 6
TABLE_EMPTIES = 8
ETC_EMPTIES = 12
POLL_EMPTIES = 10

CORNERS = np.uint64(0x8100000000000081)
X_SQUARES = np.uint64(0x0042000000004200)


@kernel
def neighbourhood(bits: Any) -> Any:
    """All squares next to ``bits`` in any direction, and some of ``bits``."""
    inner = bits & np.uint64(0x7E7E7E7E7E7E7E7E)
    sides = (inner << np.uint64(1)) | (inner >> np.uint64(1))
    return (
        sides
        | (inner << np.uint64(7))
        | (inner >> np.uint64(7))
        | (inner << np.uint64(9))
        | (inner >> np.uint64(9))
        | (bits << np.uint64(8))
        | (bits >> np.uint64(8))
    )


@kernel
def weighted_mobility(moves: Any) -> Any:
    """Number of moves, corners twice."""
    return popcount(moves) + popcount(moves & CORNERS)


@kernel
def should_stop(block: Any) -> Any:
    """Whether this thread has to end its search; remembered in the block."""
    if load(block, ctx.STOPPED) != 0:
        return True
    if load(block, ctx.NODES) >= load(block, ctx.NODE_LIMIT) or load_bits(load(block, ctx.STOP), 0) != ZERO:
        store(block, ctx.STOPPED, 1)
        return True
    return False


@kernel
def list_address(block: Any, empties: Any) -> Any:
    """Address of the move list for a number of empty squares."""
    return block + 8 * (ctx.LISTS + empties * ctx.LIST_WORDS)


@kernel
def insert(entries: Any, count: Any, key: Any, turned: Any) -> Any:
    """Insert ``key`` (lowest first) and what goes with it into a list of ``count`` entries of two words."""
    at = count
    while at > 0 and load(entries, 2 * at - 2) > key:
        store(entries, 2 * at, load(entries, 2 * at - 2))
        store(entries, 2 * at + 1, load(entries, 2 * at - 1))
        at -= 1
    store(entries, 2 * at, key)
    store(entries, 2 * at + 1, turned)


@kernel
def list_moves(
    block: Any, own: Any, opp: Any, moves: Any, alpha: Any, empties: Any, odd: Any, first: Any, second: Any
) -> Any:
    """Fill the move list of this number of empty squares, best first.

    Returns:
        A score above ``alpha`` if the listing itself proves one, else `WORST`.
    """
    entries = list_address(block, empties)
    count = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        if turned == opp:
            return 64
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        if empties >= ETC_EMPTIES:
            data = probe(block, hash_position(after_own, after_opp))
            if data != ZERO and data_level(data) == EXACT and data_depth(data) == empties - 1:
                bound = -(data_upper(data) // 100)
                if bound > alpha:
                    return bound
        if square == first:
            key = -(1 << 20)
        elif square == second:
            key = -(1 << 19)
        else:
            replies = legal_moves(after_own, after_opp)
            key = weighted_mobility(replies) * 32
            key += popcount(neighbourhood(after_opp) & ~(after_own | after_opp)) * 8
            if (bit(square) & CORNERS) != ZERO:
                key -= 48
            elif (bit(square) & X_SQUARES) != ZERO:
                key += 24
            if (quadrant_of(square) & odd) != ZERO:
                key -= 16
        insert(entries, count, key * 64 + square, np.int64(turned))
        count += 1
    store(entries, 2 * count, np.int64(1 << 60))
    return WORST


@kernel
def null_window(block: Any, own: Any, opp: Any, alpha: Any, empties: Any, odd: Any) -> Any:
    """The score in the null window above ``alpha`` (fail-soft); meaningless once the thread has been stopped."""
    if empties <= SHALLOW_EMPTIES:
        return shallow(block, own, opp, alpha, empties, odd)
    count_node(block)
    if empties >= POLL_EMPTIES and should_stop(block):
        return alpha
    if alpha >= stability_pays(empties):
        bound = stability_bound(block, own, opp)
        if bound <= alpha:
            return bound
    first, second = NO_MOVE, NO_MOVE
    key = ZERO
    if empties >= TABLE_EMPTIES:
        key = hash_position(own, opp)
        data = probe(block, key)
        if data != ZERO:
            if data_depth(data) == empties and data_level(data) == EXACT:
                lower = data_lower(data) // 100
                if lower > alpha:
                    return lower
                upper = data_upper(data) // 100
                if upper <= alpha:
                    return upper
            first, second = data_move(data), data_second(data)
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return final_score(own, opp)
        return -null_window(block, opp, own, ~alpha, empties, odd)
    best = list_moves(block, own, opp, moves, alpha, empties, odd, first, second)
    if best > alpha:
        return best
    entries = list_address(block, empties)
    chosen = NO_MOVE
    at = 0
    while True:
        entry = load(entries, 2 * at)
        if entry == 1 << 60:
            break
        square = entry & 63
        turned = load_bits(entries, 2 * at + 1)
        at += 1
        score = -null_window(
            block, opp ^ turned, own | turned | bit(square), ~alpha, empties - 1, odd ^ quadrant_of(square)
        )
        if score > best:
            best = score
            chosen = square
            if score > alpha:
                break
    if empties >= TABLE_EMPTIES and load(block, ctx.STOPPED) == 0:
        store_result(block, key, empties, EXACT, alpha * 100, alpha * 100 + 100, best * 100, chosen)
    return best
