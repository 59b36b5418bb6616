"""The exact solver above the last few squares, in null windows.

Three tiers, each a self-recursive function that hands on to the next::

    empty squares   12 and more   `search_many`   shared table, enhanced transposition cutoff, pattern
    evaluation
                     7 to 11      `search_few`    a small table of the thread's own, mobility
                     5 and 6      `shallow`       no table, parity
                     1 to 4       `solve_1` …     each number its own function

All scores are final disc differences from the view of the side to move, empty squares to the winner; they are
even.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanqi.bits import load
from fanqi.bits.recursion import self_call
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.last import final_score
from fanqi.othello.endgame.ordering import list_few, list_many
from fanqi.othello.endgame.shallow import quadrant_of, shallow, stability_bound, stability_pays
from fanqi.othello.frame import END_OF_LIST, again, count_node, defer, list_address, reached, should_stop, state_address
from fanqi.othello.levels import EXACT
from fanqi.othello.moves import ZERO, bit, legal_moves
from fanqi.othello.patterns import evaluation_board, evaluation_move, evaluation_pass
from fanqi.othello.sharing import busy, enter, leave
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
    probe_local,
    store_local,
    store_result,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["null_window", "search_few", "search_many"]

SHALLOW_EMPTIES = 6
FEW_EMPTIES = 11
SHARE_EMPTIES = 15
"""Fewest empty squares with which threads make way for each other."""


def _search_few_itself() -> Callable[..., int]:
    return search_few


_search_few = self_call("int64(int64, uint64, uint64, int64, int64, uint64)", _search_few_itself)


@kernel
def search_few(block: Any, own: Any, opp: Any, alpha: Any, empties: Any, odd: Any) -> Any:
    """The score in the null window above ``alpha`` (fail-soft).

    Args:
        odd: all squares of the quadrants with an odd number of empty squares.
    """
    if empties <= SHALLOW_EMPTIES:
        return shallow(block, own, opp, alpha, empties, odd)
    count_node(block)
    if alpha >= stability_pays(empties):
        bound = stability_bound(block, own, opp)
        if bound <= alpha:
            return bound
    key = hash_position(own, opp)
    data = probe_local(block, key)
    first = NO_MOVE
    if data != ZERO:
        lower = data_lower(data) // 100
        if lower > alpha:
            return lower
        upper = data_upper(data) // 100
        if upper <= alpha:
            return upper
        first = data_move(data)
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return final_score(own, opp)
        return -_search_few(block, opp, own, ~alpha, empties, odd)
    best = list_few(block, own, opp, moves, alpha, empties, odd, first)
    if best > alpha:
        return best
    entries = list_address(block, empties)
    chosen = NO_MOVE
    at = 0
    while True:
        entry = load(entries, at)
        if entry == END_OF_LIST:
            break
        turned = load_bits(entries, at + 1)
        at += 2
        square = entry & 63
        after_odd = odd ^ quadrant_of(square)
        score = -_search_few(block, opp ^ turned, own | turned | bit(square), ~alpha, empties - 1, after_odd)
        if score > best:
            best, chosen = score, square
            if score > alpha:
                break
    store_local(block, key, alpha, best, chosen)
    return best


def _search_many_itself() -> Callable[..., int]:
    return search_many


_search_many = self_call("int64(int64, uint64, uint64, int64, int64, uint64)", _search_many_itself)


@kernel
def search_many(block: Any, own: Any, opp: Any, alpha: Any, empties: Any, odd: Any) -> Any:
    """The score in the null window above ``alpha`` (fail-soft); meaningless once the thread has been stopped.

    The pattern indices of the position are in the state of ``empties`` when there are more than
    `FEW_EMPTIES`.
    """
    if empties <= FEW_EMPTIES:
        return search_few(block, own, opp, alpha, empties, odd)
    count_node(block)
    if should_stop(block):
        return alpha
    if alpha >= stability_pays(empties):
        bound = stability_bound(block, own, opp)
        if bound <= alpha:
            return bound
    key = hash_position(own, opp)
    data = probe(block, key)
    first, second = NO_MOVE, NO_MOVE
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
    state, after = state_address(block, empties), state_address(block, empties - 1)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return final_score(own, opp)
        evaluation_pass(state, state)
        best = -_search_many(block, opp, own, ~alpha, empties, odd)
        evaluation_pass(state, state)
        return best
    best = list_many(block, own, opp, moves, alpha, empties, odd, first, second)
    if best > alpha:
        return best
    entries = list_address(block, empties)
    chosen = NO_MOVE
    sharing = empties >= SHARE_EMPTIES and load(block, ctx.BUSY) != 0
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
        score = -_search_many(block, after_own, after_opp, ~alpha, empties - 1, odd ^ quadrant_of(square))
        if sharing:
            leave(block, after_key)
        if score > best:
            best, chosen = score, square
            if score > alpha:
                break
    if load(block, ctx.STOPPED) == 0:
        store_result(block, key, empties, EXACT, alpha * 100, alpha * 100 + 100, best * 100, chosen)
    return best


@kernel
def null_window(block: Any, own: Any, opp: Any, alpha: Any, empties: Any, odd: Any) -> Any:
    """`search_many` from nothing but the position: the exact score in the null window above ``alpha``
    (fail-soft)."""
    reached(block, 0)
    if empties > FEW_EMPTIES:
        evaluation_board(state_address(block, empties), own, opp)
    return search_many(block, own, opp, alpha, empties, odd)
