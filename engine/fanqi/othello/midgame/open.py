"""Open windows: the principal variation, and the root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.bits.recursion import self_call
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.frame import (
    END_OF_LIST,
    again,
    count_node,
    defer,
    list_address,
    reached,
    should_stop,
    state_address,
)
from fanqi.othello.levels import EXACT
from fanqi.othello.midgame.search import order_moves, search_null
from fanqi.othello.midgame.values import at_rest, terminal
from fanqi.othello.moves import ZERO, bit, flips, legal_moves
from fanqi.othello.notation import PASS
from fanqi.othello.patterns import evaluation_board, evaluation_move, evaluation_pass
from fanqi.othello.sharing import busy, enter, leave
from fanqi.othello.table import (
    HIGHEST,
    INFINITE,
    NO_MOVE,
    data_move,
    data_second,
    hash_position,
    probe,
    store_result,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["search_open", "search_root"]

SHARE_DEPTH = 6


@kernel
def line_address(block: Any, ply: Any) -> Any:
    """Address of the principal variation found at a ply: its length, then its moves."""
    return block + 8 * (ctx.LINES + ply * ctx.LINE_WORDS)


@kernel
def take_line(block: Any, ply: Any, move: Any) -> Any:
    """The principal variation at ``ply`` is ``move`` and the one just found a ply deeper."""
    line, deeper = line_address(block, ply), line_address(block, ply + 1)
    length = load(deeper, 0)
    store(line, 0, length + 1)
    store(line, 1, move)
    for at in range(1, length + 1):
        store(line, at + 1, load(deeper, at))


@kernel
def keep(block: Any, key: Any, depth: Any, empties: Any, alpha: Any, beta: Any, best: Any, move: Any) -> Any:
    """Store an open result, except an exact one that contempt has coloured: the solver shares the table."""
    level = load(block, ctx.LEVEL)
    if level == EXACT and depth >= empties and load(block, ctx.CONTEMPT) != 0:
        return
    store_result(block, key, depth, level, alpha, beta, best, move)


def _search_open_itself() -> Callable[..., int]:
    return search_open


_search_open = self_call("int64(int64, uint64, uint64, int64, int64, int64, int64, int64, int64)", _search_open_itself)


@kernel
def search_open(
    block: Any, own: Any, opp: Any, alpha: Any, beta: Any, depth: Any, empties: Any, ours: Any, ply: Any
) -> Any:
    """The score in a window (fail-soft), and the principal variation in the line of this ply.

    No table cutoffs here, so that the variation is whole. Meaningless once the thread has been stopped.
    """
    store(line_address(block, ply), 0, 0)
    count_node(block)
    if should_stop(block):
        return alpha
    moves = legal_moves(own, opp)
    state, after = state_address(block, empties), state_address(block, empties - 1)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            reached(block, empties)
            return terminal(block, own, opp, ours)
        evaluation_pass(state, state)
        score = -_search_open(block, opp, own, -beta, -alpha, depth, empties, 1 - ours, ply + 1)
        evaluation_pass(state, state)
        take_line(block, ply, PASS)
        return score
    if depth <= 0:
        reached(block, empties)
        return at_rest(block, own, opp, empties)
    key = hash_position(own, opp)
    data = probe(block, key)
    first, second = NO_MOVE, NO_MOVE
    if data != ZERO:
        first, second = data_move(data), data_second(data)
    order_moves(block, own, opp, moves, empties, first, second)
    entries = list_address(block, empties)
    best, chosen, limit = -INFINITE, NO_MOVE, alpha
    sharing = depth >= SHARE_DEPTH and load(block, ctx.BUSY) != 0
    at, deferred, leading = 0, 0, True
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
        if sharing and not leading:
            after_key = hash_position(after_own, after_opp)
            if busy(block, after_key):
                deferred = defer(entries, deferred, entry, turned)
                continue
            enter(block, after_key)
        evaluation_move(state, after, square, turned)
        score = limit + 1
        if not leading:
            store(line_address(block, ply + 1), 0, 0)  # the last move's line is not this one's
            score = -search_null(block, after_own, after_opp, ~limit, depth - 1, empties - 1, 1 - ours)
        if leading or limit < score < beta:
            score = -_search_open(block, after_own, after_opp, -beta, -limit, depth - 1, empties - 1, 1 - ours, ply + 1)
        if sharing and not leading:
            leave(block, after_key)
        leading = False
        if load(block, ctx.STOPPED) != 0:
            return best
        if score > best:
            best, chosen = score, square
            if score > limit:
                limit = score
                take_line(block, ply, square)
                if score >= beta or score >= HIGHEST:
                    break
    keep(block, key, depth, empties, alpha, beta, best, chosen)
    return best


@kernel("int64(int64, uint64, uint64, int64, int64, int64)")
def search_root(block: Any, own: Any, opp: Any, alpha: Any, beta: Any, depth: Any) -> Any:
    """One iteration over the root moves in ``ROOT_MOVES``, after the first ``ROOT_SKIP`` of them.

    Leaves each move's score (a bound where it is not the best) in ``ROOT_SCORES``, `-INFINITE` for those not
    reached, and the variation in line 0.

    Returns:
        The best score (fail-soft), of the moves finished when the thread was stopped.
    """
    empties = 64 - popcount(own | opp)
    count_node(block)
    count = load(block, ctx.ROOT_COUNT)
    start = load(block, ctx.ROOT_SKIP)
    best, chosen, limit = -INFINITE, NO_MOVE, alpha
    theirs, ply = np.int64(0), np.int64(1)
    store(line_address(block, 0), 0, 0)
    for at in range(start, count):
        store(block, ctx.ROOT_SCORES + at, -INFINITE)
    for at in range(start, count):
        move = load(block, ctx.ROOT_MOVES + at)
        if move == PASS:
            after_own, after_opp, below, left = opp, own, depth, empties
        else:
            turned = flips(own, opp, move)
            after_own, after_opp, below, left = opp ^ turned, own | turned | bit(move), depth - 1, empties - 1
        evaluation_board(state_address(block, left), after_own, after_opp)
        score = limit + 1
        store(line_address(block, 1), 0, 0)  # the last move's line is not this one's
        doomed = move != PASS and (load_bits(block, ctx.DOOMED) & bit(move)) != ZERO
        if doomed:
            score = -HIGHEST
        elif at > start:
            score = -search_null(block, after_own, after_opp, ~limit, below, left, theirs)
        if not doomed and (at == start or (limit < score < beta and load(block, ctx.STOPPED) == 0)):
            score = -search_open(block, after_own, after_opp, -beta, -limit, below, left, theirs, ply)
        if load(block, ctx.STOPPED) != 0:
            return best
        store(block, ctx.ROOT_SCORES + at, score)
        if score > best:
            best, chosen = score, move
            if score > limit:
                limit = score
                take_line(block, 0, move)
                if score >= beta or score >= HIGHEST:
                    break
    if start == 0 and chosen != PASS:
        keep(block, hash_position(own, opp), depth, empties, alpha, beta, best, chosen)
    return best
