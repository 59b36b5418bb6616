"""From cp to utility and back."""

from __future__ import annotations

import math

from fanqi.banqi.context import EVALUATION_MOST, TABLE_WIN
from fanqi.kernels import kernel

__all__ = ["SLOPE", "centipawns", "chances", "utility"]

SLOPE = 900.0  # cp at which a game is about as good as 85 % won
DRAWS_IN_EVEN_POSITIONS = 0.4


@kernel
def utility(cp: int) -> int:
    """A static evaluation as a utility, an odd and rising function below `EVALUATION_MOST`.

    The algebraic sigmoid: only multiplication, division and a square root, which give the same bits
    everywhere.
    """
    x = cp / SLOPE
    return int(EVALUATION_MOST * x / math.sqrt(1.0 + x * x))


def centipawns(score: float) -> int:
    """The inverse of `utility` for a search score; wins and losses go to the ends of the scale (+-10000)."""
    share = score / EVALUATION_MOST
    if abs(share) >= 0.995:
        return 10000 if share > 0 else -10000
    return max(-9000, min(9000, round(SLOPE * share / math.sqrt(1.0 - share * share))))


def chances(score: float) -> tuple[int, int, int]:
    """Win, draw and loss in per mille for a search score.

    The utility is the difference of win and loss; the rest is split by a draw rate that is highest in even
    positions.
    """
    share = max(-1.0, min(1.0, score / EVALUATION_MOST))
    if abs(score) > TABLE_WIN - 500:
        share = 1.0 if score > 0 else -1.0
    draw = round(1000 * DRAWS_IN_EVEN_POSITIONS * (1.0 - abs(share)))
    win = round((1000 - draw + 1000 * share) / 2)
    return win, draw, 1000 - draw - win
