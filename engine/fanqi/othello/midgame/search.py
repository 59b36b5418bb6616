"""Principal variation search over the whole game, from the root to where the exact solver takes over.

Scores are hundredths of a disc from the view of the side to move. A pass costs no depth. Depth counts plies;
a depth of all empty squares is a search to the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.last import count_node, final_score
from fanqi.othello.endgame.search import (
    EXACT,
    insert,
    list_address,
    null_window,
    should_stop,
    weighted_mobility,
)
from fanqi.othello.endgame.shallow import odd_quadrants
from fanqi.othello.evaluation import evaluate
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest
from fanqi.othello.notation import PASS
from fanqi.othello.table import (
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

__all__ = ["search_null", "search_open", "search_root"]

LEAF_DEPTH = 2
SOLVE_EMPTIES = 12
"""With so few empty squares a search to the end is exact at every certainty level."""
END_OF_LIST = 1 << 60


@kernel
def reached(block: Any, empties: Any) -> Any:
    """Note how deep the search got."""
    if empties < load(block, ctx.FEWEST):
        store(block, ctx.FEWEST, empties)


@kernel
def leaf(block: Any, own: Any, opp: Any, alpha: Any, beta: Any, depth: Any, empties: Any) -> Any:
    """A few plies of plain alpha-beta (fail-soft) above the static evaluation."""
    count_node(block)
    if depth <= 0:
        reached(block, empties)
        return evaluate(block, own, opp)
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return 100 * final_score(own, opp)
        return -leaf(block, opp, own, -beta, -alpha, depth, empties)
    best = -INFINITE
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        limit = best if best > alpha else alpha
        score = -leaf(block, opp ^ turned, own | turned | bit(square), -beta, -limit, depth - 1, empties - 1)
        if score > best:
            best = score
            if score >= beta:
                break
    return best


@kernel
def order_moves(block: Any, own: Any, opp: Any, moves: Any, depth: Any, empties: Any, first: Any, second: Any) -> Any:
    """Fill the move list of this number of empty squares, best first."""
    entries = list_address(block, empties)
    count = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        if square == first:
            key = -(1 << 20)
        elif square == second:
            key = -(1 << 19)
        else:
            looked = 0 if depth < 5 else 1
            key = leaf(block, after_own, after_opp, -INFINITE, INFINITE, looked, empties - 1)
            key += weighted_mobility(legal_moves(after_own, after_opp)) * 32
        insert(entries, count, key * 64 + square, np.int64(turned))
        count += 1
    store(entries, 2 * count, END_OF_LIST)


@kernel
def search_null(block: Any, own: Any, opp: Any, alpha: Any, depth: Any, empties: Any) -> Any:
    """The score in the null window above ``alpha`` (fail-soft); meaningless once the thread has been stopped."""
    if depth >= empties and (empties <= SOLVE_EMPTIES or load(block, ctx.LEVEL) == EXACT):
        reached(block, 0)
        return 100 * null_window(block, own, opp, alpha // 100, empties, odd_quadrants(own, opp))
    if depth <= LEAF_DEPTH:
        return leaf(block, own, opp, alpha, alpha + 1, depth, empties)
    count_node(block)
    if should_stop(block):
        return alpha
    level = load(block, ctx.LEVEL)
    first, second = NO_MOVE, NO_MOVE
    key = hash_position(own, opp)
    data = probe(block, key)
    if data != ZERO:
        if data_depth(data) >= depth and data_level(data) >= level:
            if data_lower(data) > alpha:
                return data_lower(data)
            if data_upper(data) <= alpha:
                return data_upper(data)
        first, second = data_move(data), data_second(data)
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return 100 * final_score(own, opp)
        return -search_null(block, opp, own, ~alpha, depth, empties)
    order_moves(block, own, opp, moves, depth, empties, first, second)
    entries = list_address(block, empties)
    best, chosen = -INFINITE, NO_MOVE
    at = 0
    while True:
        entry = load(entries, 2 * at)
        if entry == END_OF_LIST:
            break
        square = entry & 63
        turned = load_bits(entries, 2 * at + 1)
        at += 1
        score = -search_null(block, opp ^ turned, own | turned | bit(square), ~alpha, depth - 1, empties - 1)
        if score > best:
            best, chosen = score, square
            if score > alpha:
                break
    if load(block, ctx.STOPPED) == 0:
        store_result(block, key, depth, level, alpha, alpha + 1, best, chosen)
    return best


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
def search_open(block: Any, own: Any, opp: Any, alpha: Any, beta: Any, depth: Any, empties: Any, ply: Any) -> Any:
    """The score in a window (fail-soft), and the principal variation in the line of this ply.

    No table cutoffs here, so that the variation is whole. Meaningless once the thread has been stopped.
    """
    store(line_address(block, ply), 0, 0)
    count_node(block)
    if should_stop(block):
        return alpha
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            reached(block, empties)
            return 100 * final_score(own, opp)
        score = -search_open(block, opp, own, -beta, -alpha, depth, empties, ply + 1)
        take_line(block, ply, PASS)
        return score
    if depth <= 0:
        reached(block, empties)
        return evaluate(block, own, opp)
    key = hash_position(own, opp)
    data = probe(block, key)
    first, second = NO_MOVE, NO_MOVE
    if data != ZERO:
        first, second = data_move(data), data_second(data)
    order_moves(block, own, opp, moves, depth, empties, first, second)
    entries = list_address(block, empties)
    best, chosen, limit = -INFINITE, NO_MOVE, alpha
    at = 0
    while True:
        entry = load(entries, 2 * at)
        if entry == END_OF_LIST:
            break
        square = entry & 63
        turned = load_bits(entries, 2 * at + 1)
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        if at == 0:
            score = -search_open(block, after_own, after_opp, -beta, -limit, depth - 1, empties - 1, ply + 1)
        else:
            score = -search_null(block, after_own, after_opp, ~limit, depth - 1, empties - 1)
            if limit < score < beta:
                score = -search_open(block, after_own, after_opp, -beta, -limit, depth - 1, empties - 1, ply + 1)
        at += 1
        if load(block, ctx.STOPPED) != 0:
            return best
        if score > best:
            best, chosen = score, square
            if score > limit:
                limit = score
                take_line(block, ply, square)
                if score >= beta:
                    break
    store_result(block, key, depth, load(block, ctx.LEVEL), alpha, beta, best, chosen)
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
        if at == start:
            score = -search_open(block, after_own, after_opp, -beta, -limit, below, left, np.int64(1))
        else:
            score = -search_null(block, after_own, after_opp, ~limit, below, left)
            if limit < score < beta and load(block, ctx.STOPPED) == 0:
                score = -search_open(block, after_own, after_opp, -beta, -limit, below, left, np.int64(1))
        if load(block, ctx.STOPPED) != 0:
            return best
        store(block, ctx.ROOT_SCORES + at, score)
        if score > best:
            best, chosen = score, move
            if score > limit:
                limit = score
                take_line(block, 0, move)
                if score >= beta:
                    break
    if start == 0 and chosen != PASS:
        store_result(block, hash_position(own, opp), depth, load(block, ctx.LEVEL), alpha, beta, best, chosen)
    return best
