"""Measuring ProbCut: scores are those of plain search, and the fit finds the spread that made the scores."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fanqi.othello import Position
from fanqi.othello.certainty import shallower
from fanqi.othello.patterns import default_weights, evaluate_position
from fanqi.train.positions import Positions
from fanqi.train.probcut import MISSING, MeasureError, choose_positions, fit_model, measure, table_of_spreads
from fanqi.train.side_file import SideFileError
from fanqi.train.wthor import wthor_positions

DATA = Path(__file__).parents[2] / "data" / "othello"


@pytest.fixture(scope="module")
def rows():
    return wthor_positions(DATA)


def plain(position, depth):
    """Plain negamax in hundredths of a disc; a pass costs no depth."""
    if (outcome := position.outcome()) is not None:
        margin = round(outcome.margin * 100)
        return margin if position.turn == 1 else -margin
    if depth == 0:
        return round(100 * evaluate_position(position.own, position.opponent, default_weights()))
    deeper = depth if position.legal_moves() == ("pass",) else depth - 1
    return max(-plain(position.play(move), deeper) for move in position.legal_moves())


@cache
def to_the_end(own, opp):
    position = Position(own, opp)
    if (outcome := position.outcome()) is not None:
        return round(100 * outcome.margin)
    following = (position.play(move) for move in position.legal_moves())
    return max(-to_the_end(after.own, after.opponent) for after in following)


def test_scores_are_those_of_plain_search(rows, tmp_path):
    chosen = choose_positions(rows, 1, 5, 40)
    scores = measure(chosen, default_weights(), 3, 5, tmp_path / "scores")
    for own, opponent, line in zip(chosen.own, chosen.opponent, scores, strict=True):
        position = Position(int(own), int(opponent))
        assert [int(score) for score in line[:4]] == [plain(position, depth) for depth in range(4)]
        assert int(line[4]) == (to_the_end(int(own), int(opponent)) if position.empties <= 5 else MISSING)


def test_a_measurement_goes_on_where_it_was_interrupted(rows, tmp_path):
    chosen = choose_positions(rows, 2, 10, 20)
    path = tmp_path / "scores"
    whole = measure(chosen, default_weights(), 2, 0, path)
    path.write_bytes(path.read_bytes()[: 4 * 2 * 13 + 3 - whole.nbytes])
    steps = []
    again = measure(chosen, default_weights(), 2, 0, path, progress=steps.append)
    assert (again == whole).all()
    assert steps[0] > 13


@pytest.mark.parametrize(
    ("depth", "exact", "complaint"), [(2, 0, "depth 1, but this is depth 2"), (1, 4, "exact 0, but this is exact 4")]
)
def test_scores_of_other_searches_are_refused(rows, tmp_path, depth, exact, complaint):
    few, path = rows.take(rows.empties == 12), tmp_path / "rows.scores"
    measure(few, default_weights(), 1, 0, path)
    with pytest.raises(SideFileError, match=rf"rows\.scores: begun with {complaint}"):
        measure(few, default_weights(), depth, exact, path)


def test_scores_of_other_positions_are_refused(rows, tmp_path):
    few, path = rows.take(rows.empties == 12), tmp_path / "rows.scores"
    measure(few, default_weights(), 1, 0, path)
    with pytest.raises(SideFileError, match=r"rows\.scores: begun with positions"):
        measure(few.take(np.arange(3)), default_weights(), 1, 0, path)


def test_chosen_positions_cover_every_number_of_empties(rows):
    chosen = choose_positions(rows, 3, 10, 30)
    assert [int((chosen.empties == e).sum()) for e in range(10, 31)] == [3] * 21


@pytest.fixture(scope="module")
def synthetic():
    """Positions with 8 to 39 empties and scores whose errors are of a known spread."""
    chooser = np.random.default_rng(5)
    count = 32 * 150
    empties = np.tile(np.arange(8, 40), 150)
    full = np.array([(1 << int(64 - e)) - 1 for e in empties], np.uint64)
    nothing, ones = np.zeros(count, np.uint64), np.ones(count, np.float32)
    made = Positions(full, nothing, ones, ones, np.arange(count))
    depths = 8
    scores = np.full((count, depths + 2), MISSING, np.int16)
    truth = chooser.normal(0, 1000, count)
    for depth in range(depths + 1):
        spread = 400 * np.exp(-0.1 * depth - 0.01 * empties)
        scores[:, depth] = truth + 20.0 * depth + chooser.normal(size=count) * spread
    late = empties <= 18
    scores[late, -1] = truth[late] + chooser.normal(size=int(late.sum())) * 50
    return made, scores


def test_the_fit_finds_the_spread_that_made_the_scores(synthetic):
    made, scores = synthetic
    fit = fit_model(made, scores, {}).midgame
    for depth, shallow, empties in ((4, 2, 12), (6, 3, 24), (8, 4, 36)):
        factors = np.exp(-0.2 * depth), np.exp(-0.2 * shallow)
        expected = 400 * np.exp(-0.01 * empties) * np.sqrt(sum(factors))
        assert fit.sigma(depth, shallow, empties) == pytest.approx(expected, rel=0.08)
        assert fit.bias(depth, shallow, empties) == pytest.approx(20.0 * (depth - shallow), abs=15)


def test_a_search_to_the_end_depends_on_depth_and_not_on_empties_beside(synthetic):
    fit = fit_model(*synthetic, {}).exact
    assert fit.ln_sigma[3:] == (0.0, 0.0)
    assert fit.mean[3] == 0.0


def test_the_table_compares_measured_and_fitted(synthetic):
    made, scores = synthetic
    lines = table_of_spreads(made, scores, fit_model(made, scores, {}))
    assert {line["search"] for line in lines} == {"midgame", "exact"}
    for line in lines:
        if line["search"] == "midgame":
            assert float(line["sigma"]) == pytest.approx(float(line["fitted sigma"]), rel=0.25)


def test_the_table_is_of_the_depths_that_the_search_prunes_by(synthetic):
    made, scores = synthetic
    lines = table_of_spreads(made, scores, fit_model(made, scores, {}))
    pairs = {(int(line["depth"]), int(line["shallow"])) for line in lines if line["search"] == "midgame"}
    assert pairs == {(depth, shallower(depth)) for depth in range(3, 9)}
    ended = {(round(float(line["empties"])), int(line["shallow"])) for line in lines if line["search"] == "exact"}
    assert ended == {(empties, shallower(empties)) for empties in (10, 14)}


def test_too_few_positions_are_refused(synthetic):
    made, scores = synthetic
    few = np.arange(40)
    with pytest.raises(MeasureError, match="too few"):
        fit_model(made.take(few), scores[few], {})
