"""Move lists for the exact solver: fastest first, and with enough squares left, best first as well.

A null-window search that is going to fail high needs one good reply to each move. Which one, matters less
than how soon it is refuted, so moves that leave the opponent few replies come first (Buro's fastest-first).
The weights of the keys were tuned on the node count of 39 positions with 18 to 23 empty squares, among them
#26-37 and #40-44 of the FFO test: its node counts are not those of unseen positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.last import WORST
from fanqi.othello.endgame.shallow import quadrant_of
from fanqi.othello.features import CORNERS, neighbourhood
from fanqi.othello.frame import END_OF_LIST, insert, list_address, state_address
from fanqi.othello.levels import EXACT
from fanqi.othello.midgame.leaf import best_reply
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest
from fanqi.othello.patterns import evaluate, evaluation_move
from fanqi.othello.table import (
    INFINITE,
    data_depth,
    data_level,
    data_upper,
    hash_position,
    prefetch_bucket,
    probe,
    probe_local,
)

__all__ = ["list_few", "list_many"]

HASH_MOVE = -(1 << 20)  # keys no other move reaches
SECOND_MOVE = -(1 << 19)

FEW_MOBILITY, FEW_POTENTIAL, FEW_CORNER, FEW_PARITY = 32, 6, 12, 12
MANY_MOBILITY, MANY_POTENTIAL, MANY_CORNER, MANY_PARITY = 40, 12, 24, 16
MANY_VALUE = 8  # 1/64 for each hundredth of a disc
LOCAL_CUTOFF_EMPTIES = 9
"""From so many empty squares on, each move is looked up before any is searched."""
LEAF_EMPTIES = 14
"""From so many empty squares on, a move's value is that of the opponent's best reply."""


@kernel
def weighted_mobility(moves: Any) -> Any:
    """Number of moves, corners twice."""
    return popcount(moves) + popcount(moves & CORNERS)


@kernel
def list_few(block: Any, own: Any, opp: Any, moves: Any, alpha: Any, empties: Any, odd: Any, first: Any) -> Any:
    """Fill the move list by mobility and parity.

    Returns:
        A score above ``alpha`` if the thread's own table proves one for a move, 64 if one turns all discs that are
        left, else `WORST`.
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
        if empties >= LOCAL_CUTOFF_EMPTIES:
            data = probe_local(block, hash_position(after_own, after_opp))
            if data != ZERO:
                bound = -(data_upper(data) // 100)
                if bound > alpha:
                    return bound
        key = HASH_MOVE
        if square != first:
            key = weighted_mobility(legal_moves(after_own, after_opp)) * FEW_MOBILITY
            key += popcount(neighbourhood(after_opp) & ~(after_own | after_opp)) * FEW_POTENTIAL
            if (bit(square) & CORNERS) != ZERO:
                key -= FEW_CORNER
            if (quadrant_of(square) & odd) != ZERO:
                key -= FEW_PARITY
        insert(entries, count, key * 64 + square, np.int64(turned))
        count += 1
    store(entries, 2 * count, END_OF_LIST)
    return WORST


@kernel
def prefetch_replies(block: Any, own: Any, opp: Any, moves: Any) -> Any:
    """Have the table's buckets of all positions one move further on their way."""
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        prefetch_bucket(block, hash_position(opp ^ turned, own | turned | bit(square)))


@kernel
def list_many(
    block: Any, own: Any, opp: Any, moves: Any, alpha: Any, empties: Any, odd: Any, first: Any, second: Any
) -> Any:
    """Fill the move list by mobility, parity and the pattern evaluation.

    Returns:
        A score above ``alpha`` if the table proves one for a move (enhanced transposition cutoff) or a move
        turns all discs, else `WORST`.
    """
    prefetch_replies(block, own, opp, moves)
    entries = list_address(block, empties)
    state, after = state_address(block, empties), state_address(block, empties - 1)
    weights = load(block, ctx.WEIGHTS)
    count = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        if turned == opp:
            return 64
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        data = probe(block, hash_position(after_own, after_opp))
        if data != ZERO and data_level(data) == EXACT and data_depth(data) == empties - 1:
            bound = -(data_upper(data) // 100)
            if bound > alpha:
                return bound
        if square == first:
            key = HASH_MOVE
        elif square == second:
            key = SECOND_MOVE
        else:
            replies = legal_moves(after_own, after_opp)
            key = weighted_mobility(replies) * MANY_MOBILITY
            key += popcount(neighbourhood(after_opp) & ~(after_own | after_opp)) * MANY_POTENTIAL
            if (bit(square) & CORNERS) != ZERO:
                key -= MANY_CORNER
            if (quadrant_of(square) & odd) != ZERO:
                key -= MANY_PARITY
            evaluation_move(state, after, square, turned)
            if empties >= LEAF_EMPTIES and replies != ZERO:
                value = best_reply(block, after_own, after_opp, replies, INFINITE, empties - 1)
            else:
                value = evaluate(after, weights, empties - 1)
            key += (value * MANY_VALUE) >> 6
        insert(entries, count, key * 64 + square, np.int64(turned))
        count += 1
    store(entries, 2 * count, END_OF_LIST)
    return WORST
