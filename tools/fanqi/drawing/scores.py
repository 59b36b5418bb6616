"""Scores as people read them: discs in Othello, the expected score in per cent in banqi."""

from __future__ import annotations

import math

__all__ = ["expected_score"]

PAWNS = 9.0
"""The evaluation in pawns that is 0.71 of the way from even to won: `fanqi.banqi.utility.SLOPE` in pawns."""


def expected_score(pawns: float) -> float:
    """An evaluation of banqi as the expected score of the same side, in per cent: a win 100, a draw 50.

    The curve is that of the engine's own search, whoever gave the evaluation.
    """
    share = pawns / math.hypot(PAWNS, pawns) if math.isfinite(pawns) else math.copysign(1.0, pawns)
    return 50.0 + 50.0 * share
