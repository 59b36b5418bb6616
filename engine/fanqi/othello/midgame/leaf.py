"""The last ply of the midgame search: the static evaluation of every move."""

from __future__ import annotations

from typing import Any

from fanqi.bits import load, popcount, store
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.features import C_SQUARES, CORNERS, X_SQUARES
from fanqi.othello.frame import state_address
from fanqi.othello.midgame.wipeout import FEW_DISCS, wipes_out
from fanqi.othello.moves import ZERO, bit, flips, lowest_square, without_lowest
from fanqi.othello.patterns import evaluate, evaluation_move, refine
from fanqi.othello.table import HIGHEST, INFINITE

__all__ = ["best_reply"]

CORRECTED = 1000
"""Evaluations farther than this from the window are not corrected: few corrections are as large, and a value so far off
decides nothing but whether it is above."""


@kernel
def best_reply(block: Any, own: Any, opp: Any, moves: Any, alpha: Any, empties: Any) -> Any:
    """The best evaluation after one of ``moves`` (at least one), from the mover's view; one above ``alpha``
    will do.

    The pattern indices of the position are in the state of ``empties``. Counts the position and the moves
    tried.
    """
    state, below = state_address(block, empties), state_address(block, empties - 1)
    weights = load(block, ctx.WEIGHTS)
    best = -INFINITE
    part = moves & CORNERS
    calm = moves & ~(CORNERS | C_SQUARES | X_SQUARES)
    rest = moves & (C_SQUARES | X_SQUARES)
    seen = 1
    while True:
        while part != ZERO:
            square = lowest_square(part)
            part = without_lowest(part)
            seen += 1
            turned = flips(own, opp, square)
            if turned == opp:
                store(block, ctx.NODES, load(block, ctx.NODES) + seen)
                return HIGHEST
            after = own | turned | bit(square)
            if popcount(after) <= FEW_DISCS and wipes_out(opp ^ turned, after):
                best = max(best, -HIGHEST)
                continue
            evaluation_move(state, below, square, turned)
            score = -evaluate(below, weights, empties - 1)
            if -CORRECTED < score - alpha < CORRECTED:
                score = -refine(below, opp ^ turned, after, weights, empties - 1, -score)
            if score > best:
                best = score
                if score > alpha:
                    store(block, ctx.NODES, load(block, ctx.NODES) + seen)
                    return best
        if calm != ZERO:
            part, calm = calm, ZERO
        elif rest != ZERO:
            part, rest = rest, ZERO
        else:
            store(block, ctx.NODES, load(block, ctx.NODES) + seen)
            return best
