"""From cp to utility and back."""

from __future__ import annotations

import math

import numpy as np

from fanqi.banqi.context import EVALUATION_MOST, TABLE_WIN
from fanqi.bits.tables import word_table
from fanqi.kernels import kernel

__all__ = ["SLOPE", "centipawns", "chances", "utility"]

SLOPE = 900.0
"""cp at which the utility is 0.71 of a win. A unit of the evaluation is a hundredth of a pawn, or nearly: over the
positions of the tuning games a living pawn is worth 91 on average (9 while most men are covered, 143 when none is)."""

DRAWS = {True: (0.24, 0.5), False: (0.52, 1.1)}
"""With and without covered men: the share of draws in even positions, and the power of the variance left by which it
falls as the game is decided. Fitted by `fanqi train banqi chances`, see ``docs/banqi.md``."""


def _curve(cp: int) -> int:
    """The algebraic sigmoid: only multiplication, division and a square root, which give the same everywhere."""
    x = cp / SLOPE
    return int(EVALUATION_MOST * x / math.sqrt(1.0 + x * x))


KNOWN = 4096  # hardly any evaluation is beyond; for those within, the division and the root are saved
_known = word_table("banqi_utilities", [_curve(cp) for cp in range(KNOWN)])
_computed = kernel(_curve)


@kernel("int64(int64)")
def utility(cp: int) -> int:
    """A static evaluation as a utility, an odd and rising function below `EVALUATION_MOST`."""
    if abs(cp) >= KNOWN:
        return _computed(cp)
    known = int(np.int64(_known(abs(cp))))
    return known if cp >= 0 else -known


def centipawns(score: float) -> int:
    """The inverse of `utility` for a search score; wins and losses go to the ends of the scale (+-10000)."""
    share = score / EVALUATION_MOST
    if abs(share) >= 0.995:
        return 10000 if share > 0 else -10000
    return max(-9000, min(9000, round(SLOPE * share / math.sqrt(1.0 - share * share))))


def chances(score: float, covered: bool) -> tuple[int, int, int]:
    """Win, draw and loss in per mille for a search score.

    The utility is the difference of win and loss, as self-play bears out; `DRAWS` says how many games are neither.

    Args:
        score: a utility.
        covered: whether men are covered.
    """
    share = max(-1.0, min(1.0, score / EVALUATION_MOST))
    if abs(score) > TABLE_WIN - 500:
        share = 1.0 if score > 0 else -1.0
    even, power = DRAWS[covered]
    draw = round(1000 * min(even * (1.0 - share * share) ** power, 1.0 - abs(share)))
    win = round((1000 - draw + 1000 * share) / 2)
    return win, draw, 1000 - draw - win
