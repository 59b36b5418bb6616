"""Measuring and fitting the error model of ProbCut (`fanqi.othello.patterns.probcut`).

Each position is searched to every depth up to a limit without any pruning but alpha-beta, and solved exactly where that
is cheap. An interrupted measurement goes on as `fanqi.train.labelling` says, with a file of int16 (positions, depths
and the exact score).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.about import VERSION
from fanqi.bits import address_of, popcount
from fanqi.othello.certainty import shallower
from fanqi.othello.patterns.probcut import ErrorModel, Fit
from fanqi.train.compiled import compiled
from fanqi.train.labelling import label_rows
from fanqi.train.origin import weights_name
from fanqi.train.playing import BLOCK_WORDS, search_score
from fanqi.train.solving import Solver, solve_position

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from fanqi.othello.patterns import Weights
    from fanqi.train.positions import Positions

__all__ = ["MeasureError", "choose_positions", "fit_model", "measure"]

CHUNK = 8
MISSING = -32768
LEAST_ROWS = 30
"""Fewer positions say too little about a spread."""


class MeasureError(ValueError):
    """Scores that are too few for a fit; the message says so."""


def choose_positions(rows: Positions, each: int, low: int, high: int, seed: int = 0) -> Positions:
    """``each`` random rows with every number of empty squares from ``low`` to ``high``, all mixed."""
    chooser = np.random.default_rng(seed)
    empties = rows.empties
    chosen = []
    for count in range(low, high + 1):
        found = np.flatnonzero(empties == count)
        chosen.append(chooser.choice(found, min(each, len(found)), replace=False))
    return rows.take(chooser.permutation(np.concatenate(chosen)))


@compiled
def measure_rows(block: Any, weights: Any, solver: Any, own: Any, opponent: Any, exact: Any, out: Any) -> Any:
    """Column d of ``out`` is the score at depth d, `MISSING` from the number of empty squares on; the last is exact."""
    depths = out.shape[1] - 1
    for row in range(len(own)):
        empties = 64 - popcount(own[row] | opponent[row])
        score = 0
        for depth in range(depths):
            if depth < empties:
                score = search_score(block, weights, own[row], opponent[row], np.int64(depth))
                out[row, depth] = score
        if empties <= exact:
            guess = 2 * ((score + 100) // 200)
            out[row, depths] = 100 * solve_position(solver, own[row], opponent[row], guess)


class Measurer:
    """One thread's searches.

    Args:
        weights: of the evaluation that is measured.
        depth: deepest search in plies.
        exact: most empty squares that are solved.
    """

    def __init__(self, weights: Weights, depth: int, exact: int) -> None:
        self._weights = weights
        self._depth = depth
        self._exact = exact
        self._solver = Solver(weights)
        self._block = np.zeros(BLOCK_WORDS, np.int64)

    def measure(self, own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.int16]:
        """A row of `measure` for each position."""
        out = np.full((len(own), self._depth + 2), MISSING, np.int16)
        weights = address_of(self._weights.evaluation_block)
        measure_rows(address_of(self._block), weights, self._solver.block, own, opponent, self._exact, out)
        return out


def measure(
    rows: Positions,
    weights: Weights,
    depth: int,
    exact: int,
    path: Path,
    threads: int = 2,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.int16]:
    """Search every row to depths 0 to ``depth``, and solve those with at most ``exact`` empty squares.

    Args:
        rows: their labels are not looked at.
        weights, depth, exact: see `Measurer`.
        path, progress: see `fanqi.train.labelling.label_rows`.
        threads: that search.

    Returns:
        (rows, depth + 2) int16 scores in hundredths of a disc, `MISSING` where there is none; the last column is exact.

    Raises:
        SideFileError: the file at ``path`` was begun with something else, or for other rows.
        OSError: it is no regular file, or cannot be read and written.
    """
    labellers = [Measurer(weights, depth, exact).measure for _ in range(threads)]
    origin: dict[str, str | int] = {
        "labels": "every depth",
        "depth": depth,
        "exact": exact,
        "weights": weights_name(weights),
        "fanqi": VERSION,
    }
    return label_rows(rows, labellers, np.dtype((np.int16, (depth + 2,))), CHUNK, path, origin, progress)


def samples(
    shallow: NDArray[np.int16], deep: NDArray[np.int16], empties: NDArray[np.int64], d: int | None, s: int
) -> list[tuple[float, float, float, float, float, float]]:
    """(d, s, mean empties, mean, spread, rows) for each group of four neighbouring numbers of empty squares.

    ``d`` None stands for the number of empty squares itself: a search to the end.
    """
    there = (shallow != MISSING) & (deep != MISSING)
    error = deep[there].astype(np.float64) - shallow[there]
    empties = empties[there]
    found = []
    for group in np.unique(empties // 4):
        chosen = empties // 4 == group
        if int(chosen.sum()) >= LEAST_ROWS:
            mean_empties = float(empties[chosen].mean())
            found.append(
                (
                    mean_empties if d is None else float(d),
                    float(s),
                    mean_empties,
                    float(error[chosen].mean()),
                    float(error[chosen].std()),
                    float(chosen.sum()),
                )
            )
    return found


def fit_kind(groups: list[tuple[float, float, float, float, float, float]], empties: NDArray[np.int64]) -> Fit:
    """Weighted least squares over the groups."""
    if len(groups) < 6:
        raise MeasureError(f"{len(groups)} groups of at least {LEAST_ROWS} positions: too few for a fit")
    d, s, e, mean, spread, rows = np.array(groups).T
    weight = np.sqrt(rows)
    ones = np.ones_like(d)
    free_empties = 0.0 if (d == e).all() else e  # in a search to the end they are the depth
    ln_sigma_terms = np.stack([ones, d, s, free_empties * ones, free_empties * e], axis=1)
    mean_terms = np.stack([ones, d, s, free_empties * ones], axis=1)
    ln_sigma = np.linalg.lstsq(ln_sigma_terms * weight[:, None], np.log(np.maximum(spread, 1.0)) * weight)[0]
    means = np.linalg.lstsq(mean_terms * weight[:, None], mean * weight)[0]
    return Fit(
        tuple(round(float(c), 6) for c in ln_sigma),
        tuple(round(float(c), 4) for c in means),
        (int(d.min()), int(d.max())),
        (int(empties.min()), int(empties.max())),
    )


def fit_model(rows: Positions, scores: NDArray[np.int16], provenance: dict[str, Any]) -> ErrorModel:
    """Fit both kinds of search to measured scores.

    Args:
        rows: the positions, as many as rows of ``scores``.
        scores: from `measure`.
        provenance: for the file; the number of positions and depths are added.

    Raises:
        MeasureError: too few positions.
    """
    empties = rows.empties
    deepest = scores.shape[1] - 2
    midgame, exact = [], []
    for s in range(1, deepest):
        for d in range(s + 1, deepest + 1):
            midgame += samples(scores[:, s], scores[:, d], empties, d, s)
        exact += samples(scores[:, s], scores[:, -1], empties, None, s)
    solved = scores[:, -1] != MISSING
    return ErrorModel(
        fit_kind(midgame, empties),
        fit_kind(exact, empties[solved]),
        provenance | {"positions": len(rows), "solved": int(solved.sum()), "deepest": deepest},
    )


def table_of_spreads(rows: Positions, scores: NDArray[np.int16], model: ErrorModel) -> list[dict[str, str]]:
    """Measured and fitted mean and sigma for the pairs of depths that the search uses, in discs, for a table."""
    empties = rows.empties
    deepest = scores.shape[1] - 2
    found = []
    for kind, fit, depths in (("midgame", model.midgame, range(3, deepest + 1)), ("exact", model.exact, (None,))):
        for d in depths:
            for s in range(1, deepest) if d is None else [shallower(d)]:
                deep = scores[:, -1 if d is None else d]
                for depth, _, e, mean, spread, count in samples(scores[:, s], deep, empties, d, s):
                    if d is None and shallower(round(depth)) != s:
                        continue
                    fitted_mean = fit.bias(round(depth), s, round(e))
                    fitted_sigma = fit.sigma(round(depth), s, round(e))
                    found.append(
                        {
                            "search": kind,
                            "depth": f"{depth:g}" if d is not None else "end",
                            "shallow": str(s),
                            "empties": f"{e:.1f}",
                            "positions": f"{count:g}",
                            "mean": f"{mean / 100:.2f}",
                            "fitted mean": f"{fitted_mean / 100:.2f}",
                            "sigma": f"{spread / 100:.2f}",
                            "fitted sigma": f"{fitted_sigma / 100:.2f}",
                        }
                    )
    return found
