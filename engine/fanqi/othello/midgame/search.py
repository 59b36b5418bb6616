"""The midgame search in null windows.

Scores are as `fanqi.othello.midgame.values` says. Depth counts plies; a pass costs none; a depth of all empty
squares is a search to the end of the game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.bits.recursion import self_call
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.certainty import ROW_WORDS
from fanqi.othello.endgame.shallow import stability_bound, stability_pays
from fanqi.othello.frame import (
    END_OF_LIST,
    again,
    count_node,
    defer,
    insert,
    list_address,
    reached,
    should_stop,
    state_address,
)
from fanqi.othello.levels import EXACT
from fanqi.othello.midgame.leaf import best_reply
from fanqi.othello.midgame.values import at_rest, quick, solved, terminal
from fanqi.othello.midgame.wipeout import endangered
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest
from fanqi.othello.patterns import evaluation_move, evaluation_pass
from fanqi.othello.sharing import busy, enter, leave
from fanqi.othello.table import (
    HIGHEST,
    INFINITE,
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

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["order_moves", "search_null"]

SOLVE_EMPTIES = 10
"""With so few empty squares a search to the end is exact at every level."""
PROBCUT_DEPTH = 3
SHARE_DEPTH = 6
MOBILITY_KEY = 8
HASH_MOVE = -(1 << 20)
SECOND_MOVE = -(1 << 19)


@kernel
def order_moves(block: Any, own: Any, opp: Any, moves: Any, empties: Any, first: Any, second: Any) -> Any:
    """Fill the move list of this number of empty squares by static evaluation and mobility, best first."""
    entries = list_address(block, empties)
    state, after = state_address(block, empties), state_address(block, empties - 1)
    count = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        if square == first:
            key = HASH_MOVE
        elif square == second:
            key = SECOND_MOVE
        else:
            after_own, after_opp = opp ^ turned, own | turned | bit(square)
            evaluation_move(state, after, square, turned)
            key = quick(block, after_own, after_opp, empties - 1)
            key += popcount(legal_moves(after_own, after_opp)) * MOBILITY_KEY
        insert(entries, count, key * 64 + square, np.int64(turned))
        count += 1
    store(entries, 2 * count, END_OF_LIST)


def _search_null_itself() -> Callable[..., int]:
    return search_null


_search_null = self_call("int64(int64, uint64, uint64, int64, int64, int64, int64)", _search_null_itself)


@kernel
def search_null(block: Any, own: Any, opp: Any, alpha: Any, depth: Any, empties: Any, ours: Any) -> Any:
    """The score in the null window above ``alpha`` (fail-soft); meaningless once the thread has been stopped.

    The pattern indices of the position are in the state of ``empties``.
    """
    if alpha >= HIGHEST or alpha < -HIGHEST:
        return HIGHEST if alpha >= HIGHEST else -HIGHEST
    level = load(block, ctx.LEVEL)
    if depth >= empties and (empties <= SOLVE_EMPTIES or level == EXACT):
        return solved(block, own, opp, alpha, empties, ours)
    moves = legal_moves(own, opp)
    state, after = state_address(block, empties), state_address(block, empties - 1)
    if moves == ZERO:
        count_node(block)
        if legal_moves(opp, own) == ZERO:
            return terminal(block, own, opp, ours)
        evaluation_pass(state, state)
        best = -_search_null(block, opp, own, ~alpha, depth, empties, 1 - ours)
        evaluation_pass(state, state)
        return best
    if depth <= 0:
        count_node(block)
        reached(block, empties)
        return at_rest(block, own, opp, empties)
    if depth == 1 and load(block, ctx.OBJECTIVE) == 0:
        reached(block, empties - 1)
        return best_reply(block, own, opp, moves, alpha, empties)
    count_node(block)
    if should_stop(block):
        return alpha
    if alpha >= 100 * stability_pays(empties) and load(block, ctx.OBJECTIVE) == 0:
        bound = 100 * stability_bound(block, own, opp)
        if bound <= alpha:
            return bound
    key = hash_position(own, opp)
    data = probe(block, key)
    first, second = NO_MOVE, NO_MOVE
    if data != ZERO:
        if data_depth(data) >= depth and data_level(data) >= level:
            if data_lower(data) > alpha:
                return data_lower(data)
            if data_upper(data) <= alpha:
                return data_upper(data)
        first, second = data_move(data), data_second(data)
    if level < EXACT and depth >= PROBCUT_DEPTH and not endangered(own, opp):
        errors = load(block, ctx.ERRORS) + 8 * ROW_WORDS * (64 * depth + empties)
        factor = load(block, ctx.DEVIATIONS)
        reduced, mean = load(errors, 0), load(errors, 2)
        margin, doubt = (load(errors, 1) * factor) >> 10, (load(errors, 3) * factor) >> 10
        guess = quick(block, own, opp, empties)
        bound = alpha + margin - mean
        if (
            guess + doubt > alpha
            and bound < HIGHEST
            and _search_null(block, own, opp, bound, reduced, empties, ours) > bound
        ):
            return alpha + 1
        bound = alpha - margin - mean
        if (
            guess - doubt <= alpha
            and bound > -HIGHEST
            and _search_null(block, own, opp, bound, reduced, empties, ours) <= bound
        ):
            return alpha
        if load(block, ctx.STOPPED) != 0:
            return alpha
    order_moves(block, own, opp, moves, empties, first, second)
    entries = list_address(block, empties)
    best, chosen = -INFINITE, NO_MOVE
    sharing = depth >= SHARE_DEPTH and load(block, ctx.BUSY) != 0
    at, deferred = 0, 0
    while True:
        entry = load(entries, at)
        if entry == END_OF_LIST:
            if deferred == 0:
                break
            at, deferred = again(entries, deferred), 0
            sharing = False
            continue
        turned = load_bits(entries, at + 1)
        at += 2
        square = entry & 63
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        after_key = ZERO
        if sharing:
            after_key = hash_position(after_own, after_opp)
            if at > 2 and busy(block, after_key):
                deferred = defer(entries, deferred, entry, turned)
                continue
            enter(block, after_key)
        evaluation_move(state, after, square, turned)
        score = -_search_null(block, after_own, after_opp, ~alpha, depth - 1, empties - 1, 1 - ours)
        if sharing:
            leave(block, after_key)
        if score > best:
            best, chosen = score, square
            if score > alpha:
                break
    if load(block, ctx.STOPPED) == 0:
        store_result(block, key, depth, level, alpha, alpha + 1, best, chosen)
    return best
