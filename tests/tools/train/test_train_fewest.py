"""Anti-Othello's coefficients: found again where they made the results, and those in use weigh what the fit counts."""

from __future__ import annotations

import numpy as np
from typer.testing import CliRunner

from fanqi.othello import GAME, fewest
from fanqi.othello.context import SearchContext
from fanqi.othello.fewest import FEATURES, count_features
from fanqi.search import Settings
from fanqi.train.cli import app
from fanqi.train.fewest import fit_fewest, play_fewest

NAMES = ("MOVES", "AROUND", "CORNER", "STABLE", "DISC", "TURN")


def test_coefficients_that_made_the_results_are_found_again():
    chooser = np.random.default_rng(1)
    features = chooser.integers(-5, 6, (4000, FEATURES)).astype(float)
    features[:, -1] = 1.0
    empties = chooser.integers(5, 56, 4000)
    level, slope = np.array([0.5, 0.2, -2.0, -1.0, -0.1, 0.3]), np.array([0.01, 0.0, -0.02, 0.0, 0.005, 0.0])
    result = (features * (level + slope * (empties[:, None] - 30))).sum(axis=1)
    fit = fit_fewest(np.column_stack([features, empties, result]), np.arange(4000) // 20)
    assert np.abs(fit.level - 100 * level).max() < 2
    assert np.abs(fit.slope - 100 * slope).max() < 0.1
    assert fit.rms < 0.3


def test_every_position_after_the_opening_is_a_row_with_the_result():
    rows, games = play_fewest(4, 1, 4, seed=3)
    assert rows.shape[1] == FEATURES + 2
    assert set(games) == {0, 1, 2, 3}
    for game in range(4):
        played = rows[games == game]
        assert (np.diff(played[:, FEATURES]) < 0).all()
        assert len(set(np.abs(played[:, -1]))) == 1
    again, _ = play_fewest(4, 1, 4, seed=3)
    assert (again == rows).all()


def test_the_evaluation_weighs_the_features_that_are_fitted():
    engine = GAME.engine()
    engine.configure(Settings(objective="fewest"))
    context, counted = SearchContext(), np.zeros(FEATURES, np.int64)
    position = GAME.start()
    for move in ["f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3", "e6", "e7", "d7", "c6"]:
        position = position.play(move)
        count_features(context.address, np.uint64(position.own), np.uint64(position.opponent), counted)
        stage = position.empties - 30
        weights = [16 * getattr(fewest, name) + stage * getattr(fewest, f"{name}_SLOPE") for name in NAMES]
        assert engine.evaluate(position)[0] == sum(w * int(n) for w, n in zip(weights, counted, strict=True)) >> 4


def test_the_command_prints_the_coefficients():
    done = CliRunner().invoke(app, ["fewest", "--games", "20", "--depth", "1", "--exact", "4"])
    assert done.exit_code == 0, done.output
    assert all(f"{name}, {name}_SLOPE = " in done.output for name in NAMES)
