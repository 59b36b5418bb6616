"""Anti-Othello, where fewest discs win: evaluation and exact solver of its own.

The rules are the same and so are the squares left empty, but they count for the side with fewer discs. Scores
are the *opponent's* final disc difference, so that more is better here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.bits.recursion import self_call
from fanqi.bits.tables import load_bits
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.last import WORST, final_score
from fanqi.othello.features import CORNERS, neighbourhood
from fanqi.othello.frame import END_OF_LIST, count_node, insert, list_address, reached, should_stop
from fanqi.othello.levels import EXACT
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest
from fanqi.othello.stability import count_stable
from fanqi.othello.table import (
    NO_MOVE,
    data_depth,
    data_level,
    data_lower,
    data_move,
    data_upper,
    hash_position,
    probe,
    store_result,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FEATURES", "count_features", "evaluate_fewest", "null_window_fewest"]

TABLE_EMPTIES = 7
LIMIT = 6400
FEATURES = 6
# hundredths of a disc at 30 empty squares, and 1/16 of one for each empty square more: `fanqi train fewest --games 300
# --depth 3 --exact 11 --seed 1`, 11,355 positions, hold-out error 8.96 discs
MOVES, MOVES_SLOPE = 32, -32
AROUND, AROUND_SLOPE = 32, -15
CORNER, CORNER_SLOPE = -395, -147
STABLE, STABLE_SLOPE = -72, -8
DISC, DISC_SLOPE = -44, -15
TURN, TURN_SLOPE = -167, 71


@kernel
def moves_ahead(own: Any, opp: Any) -> Any:
    """How many more moves the side to move has."""
    return popcount(legal_moves(own, opp)) - popcount(legal_moves(opp, own))


@kernel
def around_ahead(own: Any, opp: Any) -> Any:
    """How many more empty squares there are next to the other side's discs."""
    empty = ~(own | opp)
    return popcount(neighbourhood(opp) & empty) - popcount(neighbourhood(own) & empty)


@kernel
def corners_ahead(own: Any, opp: Any) -> Any:
    """How many more corners the side to move holds."""
    return popcount(own & CORNERS) - popcount(opp & CORNERS)


@kernel
def stable_ahead(block: Any, own: Any, opp: Any) -> Any:
    """How many more stable discs the side to move has."""
    edges = load(block, ctx.EDGES)
    return count_stable(edges, own, opp) - count_stable(edges, opp, own)


@kernel("void(int64, uint64, uint64, int64[::1])")
def count_features(block: Any, own: Any, opp: Any, out: Any) -> None:
    """Write the `FEATURES` that the evaluation weighs, from the view of the side to move."""
    out[0] = moves_ahead(own, opp)
    out[1] = around_ahead(own, opp)
    out[2] = corners_ahead(own, opp)
    out[3] = stable_ahead(block, own, opp)
    out[4] = popcount(own) - popcount(opp)
    out[5] = 1


@kernel
def evaluate_fewest(block: Any, own: Any, opp: Any) -> Any:
    """Expected final score of the side to move in hundredths of a disc."""
    stage = 34 - popcount(own | opp)
    value = (16 * MOVES + MOVES_SLOPE * stage) * moves_ahead(own, opp)
    value += (16 * AROUND + AROUND_SLOPE * stage) * around_ahead(own, opp)
    value += (16 * CORNER + CORNER_SLOPE * stage) * corners_ahead(own, opp)
    value += (16 * STABLE + STABLE_SLOPE * stage) * stable_ahead(block, own, opp)
    value += (16 * DISC + DISC_SLOPE * stage) * (popcount(own) - popcount(opp))
    value += 16 * TURN + TURN_SLOPE * stage
    return min(max(value >> 4, -LIMIT), LIMIT)


@kernel
def list_fewest(block: Any, own: Any, opp: Any, moves: Any, empties: Any, first: Any) -> Any:
    """Fill the move list: the table's move, then those that leave the opponent few replies and no corner
    gained."""
    entries = list_address(block, empties)
    count = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        key = -(1 << 20)
        if square != first:
            after_own, after_opp = opp ^ turned, own | turned | bit(square)
            key = popcount(legal_moves(after_own, after_opp)) * 16
            key += popcount(neighbourhood(after_opp) & ~(after_own | after_opp)) * 4
            if (bit(square) & CORNERS) != ZERO:
                key += 48
        insert(entries, count, key * 64 + square, np.int64(turned))
        count += 1
    store(entries, 2 * count, END_OF_LIST)


def _search_fewest_itself() -> Callable[..., int]:
    return search_fewest


_search_fewest = self_call("int64(int64, uint64, uint64, int64, int64)", _search_fewest_itself)


@kernel
def search_fewest(block: Any, own: Any, opp: Any, alpha: Any, empties: Any) -> Any:
    """The exact score in the null window above ``alpha`` (fail-soft); meaningless once the thread is
    stopped."""
    count_node(block)
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return -final_score(own, opp)
        return -_search_fewest(block, opp, own, ~alpha, empties)
    if should_stop(block):
        return alpha
    # stable discs of the mover are lost to him
    bound = 64 - 2 * count_stable(load(block, ctx.EDGES), own, opp)
    if bound <= alpha:
        return bound
    key, first = ZERO, NO_MOVE
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
            first = data_move(data)
    list_fewest(block, own, opp, moves, empties, first)
    entries = list_address(block, empties)
    best, chosen = WORST, NO_MOVE
    at = 0
    while True:
        entry = load(entries, at)
        if entry == END_OF_LIST:
            break
        turned = load_bits(entries, at + 1)
        at += 2
        square = entry & 63
        score = -_search_fewest(block, opp ^ turned, own | turned | bit(square), ~alpha, empties - 1)
        if score > best:
            best, chosen = score, square
            if score > alpha:
                break
    if empties >= TABLE_EMPTIES and load(block, ctx.STOPPED) == 0:
        store_result(block, key, empties, EXACT, alpha * 100, alpha * 100 + 100, best * 100, chosen)
    return best


@kernel
def null_window_fewest(block: Any, own: Any, opp: Any, alpha: Any, empties: Any) -> Any:
    """`search_fewest` from the midgame search."""
    reached(block, 0)
    return search_fewest(block, own, opp, alpha, empties)
