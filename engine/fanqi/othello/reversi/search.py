"""The search of old Reversi, from the midgame to the end of the game.

It is `fanqi.othello.midgame.search` with discs in hand (1890) and with games that are drawn when neither side can move
(1886): evaluation, ordering, forward pruning and table are those of Othello. Keys of the table are not, so that one
table serves all rules. Scores and depth are as there; a search of all empty squares is exact.
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
from fanqi.othello.endgame.shallow import odd_quadrants, stability_bound, stability_pays
from fanqi.othello.frame import END_OF_LIST, count_node, list_address, reached, should_stop, state_address
from fanqi.othello.levels import EXACT
from fanqi.othello.midgame.leaf import best_reply
from fanqi.othello.midgame.search import order_moves
from fanqi.othello.midgame.values import quick, static, terminal, with_contempt
from fanqi.othello.moves import ZERO, bit, flips, lowest_square, without_lowest
from fanqi.othello.notation import PASS
from fanqi.othello.patterns import evaluation_board, evaluation_move, evaluation_pass
from fanqi.othello.reversi.hand import hash_in_hand, moves_in_hand
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
    probe,
    store_result,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["search_reversi_root"]

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
FEW_EMPTIES = 7
"""With so few empty squares neither table nor ordering pays."""
PROBCUT_DEPTH = 3
SPARSE = 8
"""Discs of one side below which evaluations are not trusted: a move may turn all of them."""
SPARE_DISCS = 2
"""Forward pruning stops where fewer discs than so many would be left in a hand at the end of the search: evaluations
know nothing of hands."""
MOST_OF_A_DRAW = 200
"""Hundredths of a disc above any draw, whatever contempt makes of it."""


@kernel
def finished(block: Any, own: Any, opp: Any, ours: Any) -> Any:
    """The score of a finished game."""
    if load(block, ctx.EDITION) == 1886 and (own | opp) != FULL:
        return with_contempt(block, 0, ours)
    return terminal(block, own, opp, ours)


@kernel
def cost_of_move(block: Any) -> Any:
    """Discs that a move takes from the hand: none where hands are unlimited."""
    return 1 if load(block, ctx.EDITION) == 1890 else 0


def _solve_few_itself() -> Callable[..., int]:
    return solve_few


_solve_few = self_call("int64(int64, uint64, uint64, int64, int64, int64, int64, int64)", _solve_few_itself)


@kernel
def solve_few(block: Any, own: Any, opp: Any, mine: Any, theirs: Any, alpha: Any, beta: Any, ours: Any) -> Any:
    """The exact score of the last few squares (fail-soft), odd quadrants first."""
    count_node(block)
    moves = moves_in_hand(own, opp, mine)
    if moves == ZERO:
        if moves_in_hand(opp, own, theirs) == ZERO:
            return finished(block, own, opp, ours)
        return -_solve_few(block, opp, own, theirs, mine, -beta, -alpha, 1 - ours)
    odd = odd_quadrants(own, opp)
    part, rest = moves & odd, moves & ~odd
    best, limit, left = -INFINITE, alpha, mine - cost_of_move(block)
    while True:
        while part != ZERO:
            square = lowest_square(part)
            part = without_lowest(part)
            turned = flips(own, opp, square)
            score = -_solve_few(block, opp ^ turned, own | turned | bit(square), theirs, left, -beta, -limit, 1 - ours)
            if score > best:
                best = score
                if score > limit:
                    limit = score
                    if score >= beta:
                        return best
        if rest == ZERO:
            return best
        part, rest = rest, ZERO


def _search_itself() -> Callable[..., int]:
    return search_reversi


_search = self_call(
    "int64(int64, uint64, uint64, int64, int64, int64, int64, int64, int64, int64)",
    _search_itself,
)


@kernel
def search_reversi(
    block: Any,
    own: Any,
    opp: Any,
    mine: Any,
    theirs: Any,
    alpha: Any,
    beta: Any,
    depth: Any,
    empties: Any,
    ours: Any,
) -> Any:
    """The score in a window (fail-soft); meaningless once the thread has been stopped.

    Args:
        mine, theirs: discs in the hands of the side to move and of the other.
        depth, empties, ours: as in `fanqi.othello.midgame.search`; the pattern indices of the position are in the
            state of ``empties``.
    """
    if alpha >= HIGHEST:
        return HIGHEST
    if beta <= -HIGHEST:
        return -HIGHEST
    if depth >= empties and empties <= FEW_EMPTIES:
        reached(block, 0)
        return solve_few(block, own, opp, mine, theirs, alpha, beta, ours)
    moves = moves_in_hand(own, opp, mine)
    state, after = state_address(block, empties), state_address(block, empties - 1)
    if depth <= 0 and own != ZERO and opp != ZERO:
        count_node(block)
        reached(block, empties)
        return static(block, own, opp, empties)
    if moves == ZERO:
        count_node(block)
        if moves_in_hand(opp, own, theirs) == ZERO:
            reached(block, empties)
            return finished(block, own, opp, ours)
        evaluation_pass(state, state)
        best = -_search(block, opp, own, theirs, mine, -beta, -alpha, depth, empties, 1 - ours)
        evaluation_pass(state, state)
        return best
    most = load(block, ctx.OBJECTIVE) == 0
    crowd = min(popcount(own), popcount(opp))
    # where a wipe-out is a draw the last ply is searched like others
    if depth == 1 and most and crowd > SPARSE and beta - alpha == 1 and load(block, ctx.EDITION) == 1890:
        reached(block, empties - 1)
        return best_reply(block, own, opp, moves, alpha, empties)
    count_node(block)
    if should_stop(block):
        return alpha
    if most and alpha >= 100 * stability_pays(empties):
        bound = max(100 * stability_bound(block, own, opp), MOST_OF_A_DRAW)
        if bound <= alpha:
            return bound
    level = load(block, ctx.LEVEL)
    key = hash_in_hand(own, opp, mine)
    data = probe(block, key)
    first, second = NO_MOVE, NO_MOVE
    if data != ZERO:
        if data_depth(data) >= depth and data_level(data) >= level:
            lower, upper = data_lower(data), data_upper(data)
            if lower >= beta or lower == upper:
                return lower
            if upper <= alpha:
                return upper
        first, second = data_move(data), data_second(data)
    if (
        level < EXACT
        and depth >= PROBCUT_DEPTH
        and beta - alpha == 1
        and crowd > SPARSE
        and ((depth + 1) >> 1) + SPARE_DISCS <= min(mine, theirs)
    ):
        errors = load(block, ctx.ERRORS) + 8 * ROW_WORDS * (64 * depth + empties)
        factor = load(block, ctx.DEVIATIONS)
        shallow, mean = load(errors, 0), load(errors, 2)
        margin, doubt = (load(errors, 1) * factor) >> 10, (load(errors, 3) * factor) >> 10
        guess = quick(block, own, opp, empties)
        bound = alpha + margin - mean
        if guess + doubt > alpha and bound < HIGHEST:
            score = _search(block, own, opp, mine, theirs, bound, bound + 1, shallow, empties, ours)
            if score > bound:
                return beta
        bound = alpha - margin - mean
        if guess - doubt <= alpha and bound > -HIGHEST:
            score = _search(block, own, opp, mine, theirs, bound, bound + 1, shallow, empties, ours)
            if score <= bound:
                return alpha
        if load(block, ctx.STOPPED) != 0:
            return alpha
    order_moves(block, own, opp, moves, empties, first, second)
    entries = list_address(block, empties)
    best, chosen, limit, left = -INFINITE, NO_MOVE, alpha, mine - cost_of_move(block)
    at, leading = 0, True
    while True:
        entry = load(entries, at)
        if entry == END_OF_LIST:
            break
        turned = load_bits(entries, at + 1)
        at += 2
        square = entry & 63
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        evaluation_move(state, after, square, turned)
        score = limit + 1
        if not leading:
            score = -_search(
                block, after_own, after_opp, theirs, left, ~limit, -limit, depth - 1, empties - 1, 1 - ours
            )
        if leading or limit < score < beta:
            score = -_search(block, after_own, after_opp, theirs, left, -beta, -limit, depth - 1, empties - 1, 1 - ours)
        leading = False
        if load(block, ctx.STOPPED) != 0:
            return best
        if score > best:
            best, chosen = score, square
            if score > limit:
                limit = score
                if score >= beta:
                    break
    store_result(block, key, depth, level, alpha, beta, best, chosen)
    return best


@kernel("int64(int64, uint64, uint64, int64, int64, int64, int64, int64)")
def search_reversi_root(
    block: Any, own: Any, opp: Any, mine: Any, theirs: Any, alpha: Any, beta: Any, depth: Any
) -> Any:
    """`fanqi.othello.midgame.open.search_root` for old Reversi; the variation in line 0 is the move alone."""
    empties = 64 - popcount(own | opp)
    count_node(block)
    count, start = load(block, ctx.ROOT_COUNT), load(block, ctx.ROOT_SKIP)
    best, chosen, limit = -INFINITE, NO_MOVE, alpha
    ours = np.int64(0)
    store(block, ctx.LINES, 0)
    for at in range(start, count):
        store(block, ctx.ROOT_SCORES + at, -INFINITE)
    for at in range(start, count):
        move = load(block, ctx.ROOT_MOVES + at)
        if move == PASS:
            after_own, after_opp, below, left, hand = opp, own, depth, empties, mine
        else:
            turned = flips(own, opp, move)
            after_own, after_opp, below, left = opp ^ turned, own | turned | bit(move), depth - 1, empties - 1
            hand = mine - cost_of_move(block)
        evaluation_board(state_address(block, left), after_own, after_opp)
        score = limit + 1
        if at > start:
            score = -search_reversi(block, after_own, after_opp, theirs, hand, ~limit, -limit, below, left, ours)
        if at == start or (limit < score < beta and load(block, ctx.STOPPED) == 0):
            score = -search_reversi(block, after_own, after_opp, theirs, hand, -beta, -limit, below, left, ours)
        if load(block, ctx.STOPPED) != 0:
            return best
        store(block, ctx.ROOT_SCORES + at, score)
        if score > best:
            best, chosen = score, move
            if score > limit:
                limit = score
                store(block, ctx.LINES, 1)
                store(block, ctx.LINES + 1, move)
                if score >= beta or score >= HIGHEST:
                    break
    if start == 0 and chosen != PASS:
        store_result(block, hash_in_hand(own, opp, mine), depth, load(block, ctx.LEVEL), alpha, beta, best, chosen)
    return best
