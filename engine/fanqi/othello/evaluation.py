"""The static evaluation by hand-made features: what `eval` shows, and what the search uses without weights.

Values are hundredths of a disc of the final score, from the view of the side to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, popcount
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.moves import legal_moves
from fanqi.othello.stability import count_stable

__all__ = ["CORNERS", "C_SQUARES", "X_SQUARES", "evaluate", "neighbourhood", "next_to_empty_corners"]

CORNERS = np.uint64(0x8100000000000081)
C_SQUARES = np.uint64(0x4281000000008142)
X_SQUARES = np.uint64(0x0042000000004200)
INNER_COLUMNS = np.uint64(0x7E7E7E7E7E7E7E7E)
LIMIT = 6400


@kernel
def neighbourhood(bits: Any) -> Any:
    """All squares next to one of ``bits``."""
    left = (bits >> np.uint64(1)) & np.uint64(0x7F7F7F7F7F7F7F7F)
    right = (bits << np.uint64(1)) & np.uint64(0xFEFEFEFEFEFEFEFE)
    rows = bits | left | right
    return left | right | (rows << np.uint64(8)) | (rows >> np.uint64(8))


@kernel
def next_to_empty_corners(own: Any, opp: Any) -> Any:
    """The C and X squares whose corner is empty."""
    corners = CORNERS & ~(own | opp)
    return neighbourhood(corners)


@kernel
def evaluate(block: Any, own: Any, opp: Any) -> Any:
    """Expected final score of the side to move."""
    empty = ~(own | opp)
    mobility = popcount(legal_moves(own, opp)) - popcount(legal_moves(opp, own))
    potential = popcount(neighbourhood(opp) & empty) - popcount(neighbourhood(own) & empty)
    corners = popcount(own & CORNERS) - popcount(opp & CORNERS)
    risky = next_to_empty_corners(own, opp)
    x_squares = popcount(own & X_SQUARES & risky) - popcount(opp & X_SQUARES & risky)
    c_squares = popcount(own & C_SQUARES & risky) - popcount(opp & C_SQUARES & risky)
    edges = load(block, ctx.EDGES)
    stable = count_stable(edges, own, opp) - count_stable(edges, opp, own)
    value = 110 * mobility + 45 * potential + 700 * corners - 350 * x_squares - 120 * c_squares + 130 * stable
    value += 100 if (popcount(empty) & 1) == 1 else -100
    if value > LIMIT:
        return LIMIT
    if value < -LIMIT:
        return -LIMIT
    return value
