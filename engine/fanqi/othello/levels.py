"""Certainty levels of forward pruning.

At level L a move or position is cut off when a shallower search says that its score is out of the window by
so many standard deviations of the error that the cut is right with probability `LEVELS[L]` percent, if errors
are normal.
"""

from __future__ import annotations

from statistics import NormalDist

__all__ = ["EXACT", "LEVELS", "deviation_factor", "deviations", "level_of"]

LEVELS = (73, 87, 95, 98, 99, 100)
"""Percent of each level, also what `Info.selectivity` shows and what `fanqi.game.FEATURES` tells protocols."""
EXACT = 5
"""The level without forward pruning."""


def deviations(level: int) -> float:
    """Standard deviations of the margin of a level below `EXACT`; only an error to one side makes a cut wrong."""
    return NormalDist().inv_cdf(LEVELS[level] / 100)


def deviation_factor(level: int) -> int:
    """`deviations` as kernels take them, in 1/1024; 0 for `EXACT`, which prunes nothing."""
    return 0 if level == EXACT else round(1024 * deviations(level))


def level_of(percent: int) -> int:
    """The level of a percentage.

    Raises:
        ValueError: there is no such level.
    """
    if percent not in LEVELS:
        raise ValueError(f"selectivity {percent}: expected one of {', '.join(map(str, LEVELS))}")
    return LEVELS.index(percent)
