"""Exact labels: positions solved to the end by the engine's own solver.

Solving millions of positions takes hours, so it goes on where it was interrupted, as `fanqi.train.labelling` says, with
a file of one signed byte a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import address_of, popcount
from fanqi.othello import context as ctx
from fanqi.othello.context import HashTable, SearchContext
from fanqi.othello.endgame.search import null_window
from fanqi.othello.endgame.shallow import odd_quadrants
from fanqi.othello.patterns import DISC, EVALUATION, Weights, evaluate_board
from fanqi.train.compiled import compiled
from fanqi.train.labelling import label_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from fanqi.train.positions import Positions

__all__ = ["Solver", "solve_rows"]

CHUNK = 1024
NO_LIMIT = 1 << 62


@compiled
def solve_position(block: Any, own: Any, opp: Any, guess: Any) -> Any:
    """The exact score of a position by null windows that start around ``guess``; all scores are even."""
    empties = 64 - popcount(own | opp)
    odd = odd_quadrants(own, opp)
    lower, upper = -64, 64
    while lower < upper:
        alpha = min(max(guess - 1, lower), upper - 1)
        score = null_window(block, own, opp, alpha, empties, odd)
        if score > alpha:
            lower, guess = max(lower, score), score + 2
        else:
            upper, guess = min(upper, score), score
    return lower


@compiled
def solve_many(block: Any, own: Any, opponent: Any, scratch: Any, weights: Any, out: Any) -> Any:
    for row in range(len(own)):
        value = evaluate_board(own[row], opponent[row], scratch, weights)
        out[row] = solve_position(block, own[row], opponent[row], 2 * ((value + DISC) // (2 * DISC)))


class Solver:
    """One thread's solver, with its own table.

    Args:
        weights: whose evaluation guesses the score, so that few windows are needed.
        hash_mib: size of the table.
    """

    def __init__(self, weights: Weights, hash_mib: int = 64) -> None:
        self._weights = weights
        self._table = HashTable(hash_mib)
        self._context = SearchContext()
        self._context.use_table(self._table)
        self._stop = np.zeros(8, np.int64)
        self._scratch = np.zeros(EVALUATION.lanes, np.int16)
        self._context.block[ctx.STOP] = address_of(self._stop)
        self._context.block[ctx.NODE_LIMIT] = NO_LIMIT

    @property
    def block(self) -> int:
        """Address of the search context, for kernels; keep this object alive meanwhile."""
        return self._context.address

    def solve(self, own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Exact scores, from the view of the side to move."""
        out = np.zeros(len(own), np.int8)
        solve_many(
            self.block,
            own,
            opponent,
            address_of(self._scratch),
            address_of(self._weights.evaluation_block),
            out,
        )
        return out


def solve_rows(
    rows: Positions,
    weights: Weights,
    path: Path,
    threads: int = 2,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.int8]:
    """Solve all rows, going on where the file at ``path`` ends, with whatever weights: the scores are exact.

    Args:
        rows: their labels are not looked at.
        weights: see `Solver`.
        path, progress: see `fanqi.train.labelling.label_rows`.
        threads: that solve.

    Raises:
        SideFileError: the file was begun for something else.
    """
    labellers = [Solver(weights).solve for _ in range(threads)]
    return label_rows(rows, labellers, np.int8, CHUNK, path, {"labels": "exact"}, progress)
