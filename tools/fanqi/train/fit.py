"""From labelled positions to a weights file: phases, the fit, quantisation, hold-out error."""

from __future__ import annotations

import zipfile
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import address_of
from fanqi.othello.patterns import (
    DISC,
    EVALUATION,
    ORDERING,
    PatternSet,
    Section,
    Weights,
    evaluate_board,
    evaluate_order_board,
)
from fanqi.train.compiled import compiled
from fanqi.train.origin import digest
from fanqi.train.regression import COUNTS, Problem, Solution, solve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from fanqi.train.network import NetworkSettings
    from fanqi.train.positions import Positions

__all__ = ["EVALUATION_FIT", "ORDERING_FIT", "Error", "FitSettings", "fit_section", "hold_out_errors", "predict"]


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How a pattern set is fitted; see `fanqi.train.regression` for the formula.

    Attributes:
        phase_width: numbers of empty squares that share a phase.
        ridge: pull of every entry towards zero, in rows of weight 1.
        smoothing: pull towards the same entry of the neighbouring phases, in rows of weight 1.
        iterations: of conjugate gradients.
        first, last: numbers of empty squares fitted; outside, the nearest phase is used.
    """

    phase_width: int
    ridge: float
    smoothing: float
    iterations: int
    first: int = 1
    last: int = 60


EVALUATION_FIT = FitSettings(phase_width=2, ridge=10.0, smoothing=200.0, iterations=24)
ORDERING_FIT = FitSettings(phase_width=2, ridge=10.0, smoothing=200.0, iterations=16, first=1, last=32)


def phase_of_empties(settings: FitSettings) -> NDArray[np.int64]:
    """The phase of each number of empty squares, 0 to 60; phase 0 is the end of the game."""
    empties = np.clip(np.arange(COUNTS), settings.first, settings.last)
    return (empties - settings.first) // settings.phase_width


def build_problem(patterns: PatternSet, rows: Positions, settings: FitSettings) -> Problem:
    """Sort rows by phase; those outside ``settings.first`` to ``settings.last`` are left out."""
    of_empties = phase_of_empties(settings)
    empties = rows.empties
    rows = rows.take((empties >= settings.first) & (empties <= settings.last))
    empties = rows.empties
    phases = of_empties[empties]
    order = np.argsort(phases, kind="stable")
    bounds = np.searchsorted(phases[order], np.arange(int(of_empties.max()) + 2))
    return Problem(
        patterns,
        bounds,
        rows.own[order],
        rows.opponent[order],
        empties[order].astype(np.int8),
        rows.label[order],
        rows.weight[order],
        settings.ridge,
        settings.smoothing,
    )


def fit_section(
    patterns: PatternSet,
    rows: Positions,
    settings: FitSettings,
    threads: int = 2,
    checkpoint: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Section:
    """Fit and quantise one pattern set.

    Args:
        patterns: the tables.
        rows: what to fit.
        settings: how.
        threads: that work on it.
        checkpoint: where to keep the tables between iterations; a fit of the same rows and settings goes on from
            there, and the file is removed at the end.
        progress: called after each iteration with the number done.
    """
    problem = build_problem(patterns, rows, settings)
    name = fit_name(problem, settings)
    done, start = (0, None) if checkpoint is None else load_checkpoint(checkpoint, name)

    def finished(number: int, _: float, solution: Solution) -> None:
        if checkpoint is not None:
            save_checkpoint(checkpoint, name, done + number, solution)
        if progress is not None:
            progress(done + number)

    solution = solve(problem, settings.iterations - done, threads, start, finished)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return quantise(patterns, phase_of_empties(settings), solution)


def fit_name(problem: Problem, settings: FitSettings) -> str:
    """Names a fit by what it follows from: rows, settings and patterns."""
    rows = digest(problem.own, problem.opponent, problem.target, problem.weight)
    return f"{settings} {problem.patterns.shapes} {rows}"


def save_checkpoint(path: Path, name: str, done: int, solution: Solution) -> None:
    temporary = path.with_suffix(".partial")
    with temporary.open("wb") as file:
        np.savez(file, name=name, done=done, table=solution.table, bias=solution.bias)
    temporary.replace(path)


def load_checkpoint(path: Path, name: str) -> tuple[int, Solution | None]:
    """(iterations done, tables) of the same fit, or (0, None)."""
    try:
        with path.open("rb") as opened, np.load(opened) as file:
            if str(file["name"]) == name:
                return int(file["done"]), Solution(file["table"], file["bias"])
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        pass  # none, or of an older version: the fit starts anew
    return 0, None


def quantise(patterns: PatternSet, of_empties: NDArray[np.int64], solution: Solution) -> Section:
    """Round discs to the int16 units of the file."""

    def rounded(discs: NDArray[np.float32]) -> NDArray[np.int16]:
        return np.clip(np.rint(discs * DISC), -(2**15), 2**15 - 1).astype(np.int16)

    return Section(patterns, of_empties, rounded(solution.table), rounded(solution.bias))


@compiled
def predict_many(own: Any, opponent: Any, scratch: Any, weights: Any, ordering: Any, out: Any) -> Any:
    for row in range(len(own)):
        if ordering:
            out[row] = evaluate_order_board(own[row], opponent[row], scratch, weights)
        else:
            out[row] = evaluate_board(own[row], opponent[row], scratch, weights)


def predict(weights: Weights, rows: Positions, *, ordering: bool = False) -> NDArray[np.float32]:
    """What the engine says about each row, in discs: the very kernels of the search, quantised tables included."""
    block = weights.ordering_block if ordering else weights.evaluation_block
    scratch = np.zeros(max(EVALUATION.lanes, ORDERING.lanes), np.int16)
    out = np.zeros(len(rows), np.int64)
    predict_many(rows.own, rows.opponent, address_of(scratch), address_of(block), ordering, out)
    return (out / DISC).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Error:
    """Hold-out error of the rows with one number of empty squares, in discs: evaluation less label."""

    empties: int
    rows: int
    mean: float
    absolute: float
    rms: float


def hold_out_errors(weights: Weights, rows: Positions, *, ordering: bool = False) -> list[Error]:
    """The error of an evaluation by number of empty squares."""
    difference = predict(weights, rows, ordering=ordering).astype(np.float64) - rows.label
    empties = rows.empties
    errors = []
    for count in np.unique(empties):
        chosen = difference[empties == count]
        measures = chosen.mean(), np.abs(chosen).mean(), np.sqrt((chosen**2).mean())
        errors.append(Error(int(count), len(chosen), *(round(float(measure), 3) for measure in measures)))
    return errors


def settings_json(settings: FitSettings | NetworkSettings) -> dict[str, Any]:
    """For a provenance."""
    return asdict(settings)
