"""The least-squares fit behind the tables: conjugate gradients over all phases at once.

For rows r of phase p(r) with label y, weight a and lane entries i1 … in, minimise over the folded tables w::

      sum_r a_r (y_r - bias[p, empties] - sum_k w[p, i_k])**2
    + ridge * sum w**2
    + smoothing * sum_p (w[p] - w[p + 1])**2

``ridge`` pulls entries that the data hardly shows towards zero, ``smoothing`` towards the same entry in the
neighbouring phases. Indices are recomputed from the bitboards at every pass, so a row costs 24 bytes of memory and
tens of millions fit. The preconditioner solves, for each entry, the tridiagonal system over the phases that is left
when the entries are taken as independent; it is exact for what rarely occurs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numba
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.othello.patterns.shapes import PatternSet

__all__ = ["COUNTS", "Problem", "Solution", "solve"]

COUNTS = 61  # possible numbers of empty squares


@numba.njit(nogil=True)
def entries_of(own, opponent, rows, centres, index, entry):  # type: ignore[no-untyped-def]
    """Fill ``entry`` with the table entries of a position, by way of the int16 scratch vector ``index``."""
    index[:] = 0
    one = np.uint64(1)
    for square in range(64):
        if (own >> np.uint64(square)) & one:
            for lane in range(len(index)):
                index[lane] += rows[square, lane]
        elif (opponent >> np.uint64(square)) & one:
            for lane in range(len(index)):
                index[lane] -= rows[square, lane]
    for lane in range(len(entry)):
        entry[lane] = centres[lane] + np.int32(index[lane])


@numba.njit(nogil=True)
def accumulate(own, opponent, empties, target, weight, rows, centres, count, table, bias, out, out_bias, mode):  # type: ignore[no-untyped-def]
    """One pass over the rows of one phase.

    mode 0: out += a * prediction (the normal operator); mode 1: out += a * (target - prediction) (the gradient);
    mode 2: out += a (the diagonal). Returns the weighted sum of squared errors (mode 1).
    """
    index = np.zeros(rows.shape[1], np.int16)
    entry = np.zeros(count, np.int32)
    loss = 0.0
    for row in range(len(own)):
        entries_of(own[row], opponent[row], rows, centres, index, entry)
        a = weight[row]
        if mode == 2:
            value = a
        else:
            value = bias[empties[row]]
            for lane in range(count):
                value += table[entry[lane]]
            if mode == 1:
                value = target[row] - value
                loss += a * value * value
            value *= a
        for lane in range(count):
            out[entry[lane]] += value
        out_bias[empties[row]] += value
    return loss


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
    empties: NDArray[np.int64]
    target: NDArray[np.float32]
    weight: NDArray[np.float32]
    ridge: float
    smoothing: float

    @property
    def phases(self) -> int:
        return len(self.bounds) - 1


@dataclass(frozen=True, slots=True)
class Solution:
    """Fitted tables in discs: (phases, folded entries) and (phases, 61 numbers of empties)."""

    table: NDArray[np.float32]
    bias: NDArray[np.float32]


class _Passes:
    """Runs `accumulate` over all phases on a few threads."""

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        self.rows = problem.patterns.rows
        self.fold = problem.patterns.fold

    def run(self, x: NDArray[np.float32], mode: int) -> tuple[NDArray[np.float32], float]:
        """``x`` and the result have (phases, folded + 61) entries: the tables, then the biases."""
        problem = self.problem
        folded = problem.patterns.folded_size
        out = np.empty_like(x)

        def phase(p: int) -> float:
            first, last = problem.bounds[p], problem.bounds[p + 1]
            partial = np.zeros(problem.patterns.size, np.float32)
            partial_bias = np.zeros(COUNTS, np.float32)
            chunk = slice(first, last)
            loss = accumulate(
                problem.own[chunk],
                problem.opponent[chunk],
                problem.empties[chunk],
                problem.target[chunk],
                problem.weight[chunk],
                self.rows,
                problem.patterns.centres,
                problem.patterns.count,
                x[p, :folded][self.fold],
                x[p, folded:],
                partial,
                partial_bias,
                mode,
            )
            out[p, :folded] = np.bincount(self.fold, partial, folded)
            out[p, folded:] = partial_bias
            return float(loss)

        with ThreadPoolExecutor(self.threads) as pool:
            losses = list(pool.map(phase, sorted(range(problem.phases), key=self._size, reverse=True)))
        return out, sum(losses)

    def _size(self, p: int) -> int:
        return int(self.problem.bounds[p + 1] - self.problem.bounds[p])


def laplacian(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The gradient of half the summed squared differences of neighbouring phases."""
    step = np.diff(x, axis=0)
    out = np.zeros_like(x)
    out[:-1] -= step
    out[1:] += step
    return out


def tridiagonal_solve(diagonal: NDArray[np.float32], off: float, right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Solve, for every column, the symmetric system over the phases with a constant off-diagonal."""
    phases = len(diagonal)
    pivot = np.empty_like(diagonal)
    x = np.empty_like(right)
    pivot[0], x[0] = diagonal[0], right[0]
    for p in range(1, phases):
        factor = off / pivot[p - 1]
        pivot[p] = diagonal[p] - factor * off
        x[p] = right[p] - factor * x[p - 1]
    x[-1] /= pivot[-1]
    for p in range(phases - 2, -1, -1):
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
    passes = _Passes(problem, threads)
    folded = problem.patterns.folded_size
    shape = (problem.phases, folded + COUNTS)
    x = np.zeros(shape, np.float32)
    if start is not None:
        x[:, :folded], x[:, folded:] = start.table, start.bias
    diagonal, _ = passes.run(x, 2)
    diagonal += problem.ridge + problem.smoothing * laplacian_diagonal(problem.phases)[:, None]
    residual, _ = passes.run(x, 1)
    residual -= problem.ridge * x + problem.smoothing * laplacian(x)
    z = tridiagonal_solve(diagonal, -problem.smoothing, residual)
    direction = z.copy()
    first = rz = float(np.vdot(residual, z))
    for number in range(1, iterations + 1):
        image, _ = passes.run(direction, 0)
        image += problem.ridge * direction + problem.smoothing * laplacian(direction)
        step = rz / float(np.vdot(direction, image))
        x += np.float32(step) * direction
        residual -= np.float32(step) * image
        z = tridiagonal_solve(diagonal, -problem.smoothing, residual)
        previous, rz = rz, float(np.vdot(residual, z))
        direction = z + np.float32(rz / previous) * direction
        if progress is not None:
            progress(number, math.sqrt(rz / first), Solution(x[:, :folded], x[:, folded:]))
    return Solution(x[:, :folded], x[:, folded:])


def laplacian_diagonal(phases: int) -> NDArray[np.float32]:
    """The diagonal of `laplacian` as a matrix."""
    out = np.full(phases, 2.0 if phases > 1 else 0.0, np.float32)
    if phases > 1:
        out[0] = out[-1] = 1.0
    return out
