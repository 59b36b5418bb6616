"""The fit finds tables that made the labels, shares what is symmetric, and goes on where it stopped."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from fanqi.othello.patterns import ORDERING, Section, Weights
from fanqi.train.fit import (
    FitSettings,
    build_problem,
    fit_name,
    fit_section,
    hold_out_errors,
    phase_of_empties,
    predict,
    save_checkpoint,
)
from fanqi.train.positions import Positions, concatenate
from fanqi.train.regression import COUNTS, Passes, Solution, solve, tridiagonal_solve
from fanqi.train.wthor import wthor_positions

DATA = Path(__file__).parents[2] / "data" / "othello"
SETTINGS = FitSettings(phase_width=6, ridge=0.01, smoothing=0.02, iterations=60, first=1, last=60)


@pytest.fixture(scope="module")
def rows():
    return wthor_positions(DATA)


def tables(seed, scale):
    chooser = np.random.default_rng(seed)
    of_empties = phase_of_empties(SETTINGS)
    shape = (int(of_empties.max()) + 1, ORDERING.folded_size)
    entries = np.rint(chooser.normal(0, scale, shape)).astype(np.int16)
    return Section(ORDERING, of_empties, entries, np.zeros(COUNTS, np.int16))


def weights_of(ordering):
    from fanqi.othello.patterns import EVALUATION

    nothing = np.zeros((1, EVALUATION.folded_size), np.int16)
    empty = Section(EVALUATION, np.zeros(COUNTS, np.int64), nothing, np.zeros(COUNTS, np.int16))
    return Weights(empty, ordering, {})


@pytest.fixture(scope="module")
def made(rows):
    """Rows labelled by known tables, free of noise, so that all count the same."""
    labels = predict(weights_of(tables(1, 100)), rows, ordering=True)
    return dataclasses.replace(rows, label=labels, weight=np.ones(len(rows), np.float32))


def test_labels_made_by_tables_are_fitted_closely(made):
    fitted = fit_section(ORDERING, made, SETTINGS)
    errors = hold_out_errors(weights_of(fitted), made, ordering=True)
    assert max(error.rms for error in errors) < 0.1 < np.abs(made.label).mean()


def test_the_normal_operator_is_symmetric_and_matches_the_gradient(made):
    problem = build_problem(ORDERING, made, SETTINGS)
    passes = Passes(problem, 2)
    chooser = np.random.default_rng(2)

    def vector():
        shape = (problem.phases, ORDERING.folded_size)
        return Solution(chooser.normal(size=shape).astype(np.float32), chooser.normal(size=COUNTS).astype(np.float32))

    a, b = vector(), vector()
    zero = Solution(np.zeros_like(a.table), np.zeros_like(a.bias))
    normal = passes.run(a, 0)
    assert normal.dot(b) == pytest.approx(passes.run(b, 0).dot(a), rel=1e-3)
    at_zero, at_a = passes.run(zero, 1), passes.run(a, 1)
    difference = at_zero.plus(-1.0, at_a)
    assert difference.dot(b) == pytest.approx(normal.dot(b), rel=1e-3)
    assert passes.penalty(a).dot(b) == pytest.approx(passes.penalty(b).dot(a), rel=1e-3)


def test_the_gradient_shrinks_to_nothing(made):
    sizes = []
    solve(build_problem(ORDERING, made, SETTINGS), 40, progress=lambda _, gradient, __: sizes.append(gradient))
    assert sizes[-1] < 0.01 < sizes[0]


def test_smoothing_carries_tables_into_a_phase_without_rows(made):
    gap = made.take((made.empties < 13) | (made.empties > 18))
    fitted = fit_section(ORDERING, gap, SETTINGS)
    inside = fitted.tables[2].astype(float)
    assert np.abs(inside).max() > 0
    assert np.allclose(inside, (fitted.tables[1] + fitted.tables[3].astype(float)) / 2, rtol=0.35, atol=40)


def test_an_interrupted_fit_goes_on_from_its_checkpoint(made, tmp_path):
    path = tmp_path / "fit.npz"
    whole = fit_section(ORDERING, made, SETTINGS)
    problem = build_problem(ORDERING, made, SETTINGS)
    halfway = solve(problem, 30)
    save_checkpoint(path, fit_name(problem, SETTINGS), 30, halfway)
    steps = []
    resumed = fit_section(ORDERING, made, SETTINGS, checkpoint=path, progress=steps.append)
    assert steps == list(range(31, 61))
    assert not path.exists()
    rms = [max(e.rms for e in hold_out_errors(weights_of(s), made, ordering=True)) for s in (whole, resumed)]
    assert rms[1] < 2 * rms[0] + 0.05


def test_a_checkpoint_of_another_fit_is_not_used(made, tmp_path):
    path = tmp_path / "fit.npz"
    settings = dataclasses.replace(SETTINGS, iterations=2)
    problem = build_problem(ORDERING, made, SETTINGS)
    shape = (problem.phases, ORDERING.folded_size)
    save_checkpoint(path, "another", 1, Solution(np.ones(shape, np.float32), np.ones(COUNTS, np.float32)))
    steps = []
    fit_section(ORDERING, made, settings, checkpoint=path, progress=steps.append)
    assert steps == [1, 2]


@pytest.mark.parametrize("changed", ["own", "opponent", "target", "weight"])
def test_the_name_of_a_fit_tells_apart_what_differs_in_one_row(made, changed):
    several = concatenate([made] * (20_001 // len(made) + 1))
    problem = build_problem(ORDERING, several, SETTINGS)
    array = getattr(problem, changed).copy()
    array[1] = array[1] + array.dtype.type(1)
    other = dataclasses.replace(problem, **{changed: array})
    assert fit_name(other, SETTINGS) != fit_name(problem, SETTINGS)


def test_the_tridiagonal_solver_solves():
    chooser = np.random.default_rng(3)
    diagonal = (3 + chooser.random((6, 4))).astype(np.float32)
    right = chooser.normal(size=(6, 4)).astype(np.float32)
    x = tridiagonal_solve(diagonal, -1.0, right)
    for column in range(4):
        matrix = np.diag(diagonal[:, column]) - np.eye(6, k=1) - np.eye(6, k=-1)
        assert np.allclose(matrix @ x[:, column], right[:, column], atol=1e-5)


def test_errors_are_of_the_evaluation_less_the_label():
    start = Positions(
        np.array([0x0000000810000000], np.uint64),
        np.array([0x0000001008000000], np.uint64),
        np.array([-3.0], np.float32),
        np.ones(1, np.float32),
        np.zeros(1, np.int64),
    )
    (error,) = hold_out_errors(weights_of(tables(1, 0)), start, ordering=True)
    assert (error.empties, error.rows, error.mean, error.absolute, error.rms) == (60, 1, 3.0, 3.0, 3.0)
