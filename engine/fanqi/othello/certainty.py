"""The error model of forward pruning as kernels read it.

ProbCut decides a search of some depth by a shallower one. `fanqi.othello.patterns.probcut` has the model
fitted to our own evaluation; this module spreads it into a table with a row of `ROW_WORDS` words for each
depth and number of empty squares, in hundredths of a disc::

    word 0   the shallower depth
    word 1   standard deviation of (deep score - shallower score)
    word 2   its mean
    word 3   standard deviation of (deep score - static evaluation)

Searches deeper than any that was measured count as the deepest that were, at the same ratio of depths.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from fanqi.othello.patterns.probcut import load_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.othello.patterns.probcut import Fit

__all__ = ["ROW_WORDS", "error_table", "final_deviation", "shallower", "spread"]

packaged_model = functools.cache(load_model)

PLACES = 64  # depths, and numbers of empty squares
ROW_WORDS = 4


def spread(fit: Fit, depth: int, shallow: int, empties: int) -> tuple[float, float]:
    """Standard deviation and mean of the difference between two searches of one position."""
    deepest = fit.depth[1]
    if depth > deepest:
        depth, shallow = deepest, min(round(shallow * deepest / depth), deepest - 1)
    return fit.sigma(depth, shallow, empties), fit.bias(depth, shallow, empties)


def shallower(depth: int) -> int:
    """The depth that decides about one of ``depth``: half of it and at least two less.

    Both are even or both odd, since evaluations swing with the parity of the depth.
    """
    return max(0, min(depth - 2, 2 * (depth // 4) + depth % 2))


@functools.cache
def error_table() -> NDArray[np.int64]:
    """The table, flat: the row of ``64 * depth + empties`` starts at `ROW_WORDS` times that."""
    model = packaged_model()
    table = np.zeros((PLACES, PLACES, ROW_WORDS), np.int64)
    for depth in range(2, PLACES):
        for empties in range(PLACES):
            fit = model.exact if depth >= empties else model.midgame
            reduced = shallower(depth)
            deviation, mean = spread(fit, depth, reduced, empties)
            doubt, _ = spread(fit, depth, 0, empties)
            table[depth, empties] = reduced, round(deviation), round(mean), round(doubt)
    return table.reshape(-1)


def final_deviation(depth: int, empties: int) -> float:
    """How far the final score may be off that of a search of ``depth`` with best play: one standard
    deviation.

    The model knows exact scores for the last squares only. The earlier the game, the less is known, so two
    hundredths of a disc are added for each square between.
    """
    fit = packaged_model().exact
    deviation, _ = spread(fit, max(empties, 2), min(depth, max(empties - 1, 0)), empties)
    return deviation + 2.0 * max(0, empties - fit.empties[1])
