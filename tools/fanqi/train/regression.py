"""The least-squares fit behind the tables: conjugate gradients over all phases at once.

For rows r of phase p(r) with label y, weight a and lane entries i1 … in, minimise over the folded tables w::

      sum_r a_r (y_r - bias[empties] - sum_k w[p, i_k])**2
    + ridge * sum w**2
    + smoothing * sum_p (w[p] - w[p + 1])**2

and likewise ``ridge`` and ``smoothing`` for the biases, whose neighbours are two empty squares apart, since who makes
the last move alternates. ``ridge`` pulls entries that the data hardly shows towards zero, ``smoothing`` towards the
same entry in the neighbouring phases.

Indices are recomputed from the bitboards at every pass, so a row costs 25 bytes of memory and tens of millions fit. The
preconditioner solves, for each entry, the tridiagonal system over the phases that is left when the entries are taken
as independent; it is exact for what rarely occurs.
"""

from __future__ import annotations

import functools
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import address_of
from fanqi.othello.patterns.indices import operations
from fanqi.train.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fanqi.othello.patterns.shapes import PatternSet


__all__ = ["COUNTS", "Problem", "Solution", "solve"]

COUNTS = 61  # possible numbers of empty squares
NORMAL, GRADIENT, DIAGONAL = range(3)


@functools.cache
def accumulator(patterns: PatternSet) -> Any:
    """The kernel that makes one pass over the rows of one phase.

    ``accumulate(own, opponent, empties, target, weight, table, bias, out, out_bias, mode)`` adds to the entries of each
    row, and to its bias, the weight times the prediction (`NORMAL`), times target less prediction (`GRADIENT`), or
    itself (`DIAGONAL`).
    """
    board = operations(patterns).board
    lanes, count = patterns.lanes, patterns.count
    centres = patterns.centres

    @compiled
    def accumulate(
        own: Any,
        opponent: Any,
        empties: Any,
        target: Any,
        weight: Any,
        table: Any,
        bias: Any,
        out: Any,
        out_bias: Any,
        mode: Any,
    ) -> None:
        index = np.zeros(lanes, np.int16)
        entry = np.zeros(lanes, np.int64)
        for row in range(len(own)):
            board(address_of(index), own[row], opponent[row])
            for lane in range(count):
                entry[lane] = centres[lane] + index[lane]
            value = np.float32(1.0)
            if mode != DIAGONAL:
                value = bias[empties[row]]
                for lane in range(count):
                    value += table[entry[lane]]
                if mode == GRADIENT:
                    value = target[row] - value
            value *= weight[row]
            for lane in range(count):
                out[entry[lane]] += value
            out_bias[empties[row]] += value

    return accumulate


@dataclass(frozen=True, slots=True)
class Problem:
    """Rows sorted by phase, and what is asked of the fit.

    Attributes:
        patterns: the tables to fit.
        bounds: (phases + 1,) the rows of phase p are ``bounds[p]:bounds[p + 1]``.
        own, opponent, empties, target, weight: one entry a row.
        ridge, smoothing: see the module's formula.
    """

    patterns: PatternSet
    bounds: NDArray[np.int64]
    own: NDArray[np.uint64]
    opponent: NDArray[np.uint64]
    empties: NDArray[np.int8]
    target: NDArray[np.float32]
    weight: NDArray[np.float32]
    ridge: float
    smoothing: float

    @property
    def phases(self) -> int:
        return len(self.bounds) - 1


@dataclass(frozen=True, slots=True)
class Solution:
    """Fitted tables in discs: (phases, folded entries), and a bias for each of 61 numbers of empty squares.

    Also any other vector of that space, such as a gradient.
    """

    table: NDArray[np.float32]
    bias: NDArray[np.float32]

    def plus(self, factor: float, other: Solution) -> Solution:
        """``self + factor * other``."""
        step = np.float32(factor)
        return Solution(self.table + step * other.table, self.bias + step * other.bias)

    def dot(self, other: Solution) -> float:
        """The scalar product."""
        return float(np.vdot(self.table, other.table)) + float(np.vdot(self.bias, other.bias))


class Passes:
    """Runs `accumulate` over all phases on a few threads."""

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        self._accumulate = accumulator(problem.patterns)
        sizes = np.diff(problem.bounds)
        self._largest_first = [int(p) for p in np.argsort(-sizes, kind="stable")]

    def run(self, x: Solution, mode: int) -> Solution:
        """One pass; ``mode`` as for `accumulate`."""
        problem, patterns = self.problem, self.problem.patterns
        table = np.empty_like(x.table)

        def one(p: int) -> NDArray[np.float32]:
            chunk = slice(problem.bounds[p], problem.bounds[p + 1])
            unfolded, bias = np.zeros(patterns.size, np.float32), np.zeros(COUNTS, np.float32)
            self._accumulate(
                problem.own[chunk],
                problem.opponent[chunk],
                problem.empties[chunk],
                problem.target[chunk],
                problem.weight[chunk],
                x.table[p][patterns.fold],
                x.bias,
                unfolded,
                bias,
                mode,
            )
            table[p] = np.bincount(patterns.fold, unfolded, patterns.folded_size)
            return bias

        with ThreadPoolExecutor(self.threads) as pool:
            biases = list(pool.map(one, self._largest_first))
        return Solution(table, np.sum(biases, axis=0, dtype=np.float32))

    def penalty(self, x: Solution) -> Solution:
        """Half the gradient of the two penalties."""
        problem = self.problem
        ridge, smoothing = np.float32(problem.ridge), np.float32(problem.smoothing)
        bias = x.bias.copy() * ridge
        bias[0::2] += smoothing * differences(x.bias[0::2])
        bias[1::2] += smoothing * differences(x.bias[1::2])
        return Solution(ridge * x.table + smoothing * differences(x.table), bias)


def differences(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Half the gradient of the summed squared differences of neighbours along the first axis."""
    step = np.diff(x, axis=0)
    out = np.zeros_like(x)
    out[:-1] -= step
    out[1:] += step
    return out


def neighbours(count: int) -> NDArray[np.float32]:
    """The diagonal of `differences`, a linear map, on ``count`` entries."""
    out = np.full(count, 2.0, np.float32)
    out[0] -= 1.0
    out[-1] -= 1.0
    return out


def tridiagonal_solve(diagonal: NDArray[np.float32], off: float, right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Solve, for every column, the symmetric system along the first axis with a constant off-diagonal."""
    pivot = np.empty_like(diagonal)
    x = np.empty_like(right)
    pivot[0], x[0] = diagonal[0], right[0]
    for p in range(1, len(diagonal)):
        factor = off / pivot[p - 1]
        pivot[p] = diagonal[p] - factor * off
        x[p] = right[p] - factor * x[p - 1]
    x[-1] /= pivot[-1]
    for p in range(len(diagonal) - 2, -1, -1):
        x[p] = (x[p] - off * x[p + 1]) / pivot[p]
    return x


def solve(
    problem: Problem,
    iterations: int,
    threads: int = 2,
    start: Solution | None = None,
    progress: Callable[[int, float, Solution], None] | None = None,
) -> Solution:
    """Fit by preconditioned conjugate gradients.

    Args:
        problem: what to fit.
        iterations: passes over the data.
        threads: phases are shared out among them.
        start: tables to start from; zeros if None.
        progress: called after each pass with its number, the size of the remaining gradient relative to the first
            one, and the tables so far.
    """
    passes = Passes(problem, threads)
    shape = (problem.phases, problem.patterns.folded_size)
    x = start or Solution(np.zeros(shape, np.float32), np.zeros(COUNTS, np.float32))
    shown = passes.run(x, DIAGONAL)
    table_diagonal = shown.table + problem.ridge + problem.smoothing * neighbours(problem.phases)[:, None]
    bias_diagonal = shown.bias + problem.ridge + 2 * problem.smoothing

    def precondition(gradient: Solution) -> Solution:
        table = tridiagonal_solve(table_diagonal, -problem.smoothing, gradient.table)
        return Solution(table, gradient.bias / bias_diagonal)

    residual = passes.run(x, GRADIENT).plus(-1.0, passes.penalty(x))
    direction = precondition(residual)
    first = size = residual.dot(direction)
    for number in range(1, iterations + 1):
        image = passes.run(direction, NORMAL).plus(1.0, passes.penalty(direction))
        step = size / direction.dot(image)
        x = x.plus(step, direction)
        residual = residual.plus(-step, image)
        improved = precondition(residual)
        previous, size = size, residual.dot(improved)
        direction = improved.plus(size / previous, direction)
        if progress is not None:
            progress(number, math.sqrt(size / first), x)
    return x
