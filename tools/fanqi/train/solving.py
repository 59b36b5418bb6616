"""Exact labels: positions solved to the end by the engine's own solver.

Solving millions of positions takes hours, so it goes on where it was interrupted: labels are appended to a file of one
signed byte a row, in the order of the rows, and the number of bytes is the progress.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import address_of, popcount
from fanqi.othello import context as ctx
from fanqi.othello.context import HashTable, SearchContext
from fanqi.othello.endgame.search import null_window
from fanqi.othello.endgame.shallow import odd_quadrants
from fanqi.othello.patterns import DISC, EVALUATION, Weights, evaluate_board
from fanqi.train.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from fanqi.train.positions import Positions

__all__ = ["SolveError", "Solver", "solve_rows"]

CHUNK = 1024
NO_LIMIT = 1 << 62


class SolveError(ValueError):
    """A progress file that does not belong to the rows; the message names it."""


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
    progress_file: Path,
    threads: int = 2,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int8]:
    """Solve all rows, going on where ``progress_file`` ends.

    Args:
        rows: their labels are not looked at.
        weights: see `Solver`.
        progress_file: created if missing; after the last row it holds all labels.
        threads: solvers at work.
        progress: called with (rows done, rows in all).

    Raises:
        SolveError: the file has more labels than there are rows.
    """
    done = progress_file.stat().st_size if progress_file.exists() else 0
    if done > len(rows):
        raise SolveError(f"{progress_file}: {done} labels, but there are only {len(rows)} rows to solve")
    solvers = [Solver(weights) for _ in range(threads)]
    with progress_file.open("ab") as file, ThreadPoolExecutor(threads) as pool:
        while done < len(rows):
            starts = range(done, min(len(rows), done + threads * CHUNK), CHUNK)
            jobs = [
                pool.submit(solver.solve, rows.own[first : first + CHUNK], rows.opponent[first : first + CHUNK])
                for solver, first in zip(solvers, starts, strict=False)
            ]
            for job in jobs:
                labels = job.result()
                file.write(labels.tobytes())
                done += len(labels)
            file.flush()
            if progress is not None:
                progress(done, len(rows))
    return np.fromfile(progress_file, np.int8)
