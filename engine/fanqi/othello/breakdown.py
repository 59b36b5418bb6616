"""The static evaluation taken apart for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import load, popcount
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.shallow import QUADRANTS
from fanqi.othello.features import C_SQUARES, CORNERS, X_SQUARES, neighbourhood
from fanqi.othello.frame import state_address
from fanqi.othello.midgame.values import static
from fanqi.othello.patterns import evaluation_board
from fanqi.othello.stability import stable_discs
from fanqi.search import EvaluationTerm

if TYPE_CHECKING:
    from fanqi.othello.board import Position
    from fanqi.othello.context import SearchContext

__all__ = ["explain"]

FIRST_EMPTIES = 60
"""With more empty squares, before the four centre discs, the evaluation knows nothing."""
REGION_STEPS = (1, 7, 8, 9)


@kernel("int64(int64, uint64, uint64)")
def evaluate_position(block: Any, own: Any, opp: Any) -> Any:
    """The evaluation the search uses, for callers outside kernels."""
    empties = 64 - popcount(own | opp)
    evaluation_board(state_address(block, empties), own, opp)
    return static(block, own, opp, empties)


@kernel("uint64(int64, uint64, uint64)")
def stable_discs_of(block: Any, own: Any, opp: Any) -> Any:
    """`stable_discs` for callers outside kernels."""
    return stable_discs(load(block, ctx.EDGES), own, opp)


@kernel("uint64(uint64)")
def neighbourhood_of(bits: Any) -> Any:
    """`neighbourhood` for callers outside kernels."""
    return neighbourhood(bits)


def regions(empty: int) -> list[int]:
    """The empty squares in groups that touch, diagonally too."""
    found = []
    while empty:
        region, grown = 0, empty & -empty
        while grown != region:
            region = grown
            grown = (region | int(neighbourhood_of(np.uint64(region)))) & empty
        found.append(region)
        empty &= ~region
    return found


def explain(context: SearchContext, position: Position) -> tuple[int, list[EvaluationTerm]]:
    """The evaluation of the side to move in hundredths of a disc, and what one looks at in a position.

    One term makes the whole value: the tables of patterns with their network, or where the fewest discs win the
    features weighed for that. The others are for information.
    """
    own, opp = position.own, position.opponent
    empty = ~(own | opp) & (1 << 64) - 1
    words = np.uint64(own), np.uint64(opp)
    value = int(evaluate_position(context.address, *words)) if position.empties <= FIRST_EMPTIES else 0
    other_moves = position.passed().moves()
    around_own = int(neighbourhood_of(words[0])) & empty
    around_opp = int(neighbourhood_of(words[1])) & empty
    stable_own = int(stable_discs_of(context.address, *words)).bit_count()
    stable_opp = int(stable_discs_of(context.address, *reversed(words))).bit_count()
    groups = regions(empty)
    odd = sum(group.bit_count() & 1 for group in groups)
    terms = [
        EvaluationTerm("mobility", position.moves().bit_count(), other_moves.bit_count()),
        EvaluationTerm("potential mobility", around_opp.bit_count(), around_own.bit_count()),
        EvaluationTerm("stable discs", stable_own, stable_opp),
        EvaluationTerm("discs", own.bit_count(), opp.bit_count()),
        EvaluationTerm("corners", *count_on(int(CORNERS), own, opp)),
        EvaluationTerm("C squares", *count_on(int(C_SQUARES), own, opp)),
        EvaluationTerm("X squares", *count_on(int(X_SQUARES), own, opp)),
        EvaluationTerm("parity regions", f"{odd} odd", f"{len(groups) - odd} even"),
        EvaluationTerm("parity quadrants", " ".join(str((empty & q).bit_count()) for q in QUADRANTS)),
        EvaluationTerm("features" if context.block[ctx.OBJECTIVE] else "patterns", cp=value),
    ]
    return value, terms


def count_on(squares: int, own: int, opp: int) -> tuple[int, int]:
    """How many of the squares each side holds."""
    return (own & squares).bit_count(), (opp & squares).bit_count()
