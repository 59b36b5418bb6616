"""The tables of ratings: what they promise, and that the shipped ones keep it."""

from __future__ import annotations

import importlib
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.game import FEATURES, GAME_NAMES
from fanqi.strength import PRESETS, Calibration, CalibrationError, Rating, load_calibration, parse_calibration

WEIGHTS = {"othello": "fanqi.othello.patterns", "banqi": "fanqi.banqi.weights"}


def table(*elos, numbers=(0, 19, 20)):
    levels = (Rating(f"level {n}", elo, 9.0, 10) for n, elo in zip(numbers, elos, strict=True))
    players = (Rating("random", 0.0, 0.0, 10), *levels)
    return Calibration("othello", "random", "nodes 10", "2026-11-30", "0.1.0", "abc", "def", 50, players)


def test_a_table_is_read_as_it_was_written():
    made = table(10.0, 20.5, 300.0)
    assert parse_calibration(made.format()) == made


def test_ratings_between_two_levels_are_interpolated_and_those_beyond_mean_the_nearest():
    made = table(100, 200, 400, 900, numbers=(0, 1, 19, 20))
    assert [made.level(elo) for elo in (-50, 100, 150, 200, 300, 400, 500)] == [0, 0, 0.5, 1, 10, 19, 19]
    assert [made.elo(level) for level in (0, 0.5, 10, 19, 19.5, 20)] == [100, 150, 300, 400, 650, 900]
    assert made.range == (100, 400)


@given(st.floats(0, 19))
@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_level_of_a_rating_has_that_rating(game, level):
    made = load_calibration(game)
    assert made.level(made.elo(level)) == pytest.approx(level, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"format": "other"}, "format 'other'"),
        ({"players": []}, "levels 0, 19 and 20 have to be among"),
        ({"games": "many"}, "ValueError"),
        ({"players": [{"name": "level 0"}]}, "KeyError"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_the_reason(change, complaint):
    data = json.loads(table(1, 2, 3).format()) | change
    with pytest.raises(CalibrationError, match=complaint):
        parse_calibration(json.dumps(data))


def test_a_level_that_is_not_stronger_than_the_one_below_is_named():
    with pytest.raises(CalibrationError, match=r"level 20 \(150\) is not stronger than level 19 \(200\)"):
        parse_calibration(table(100, 200, 150).format())


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_shipped_table_rates_the_shipped_levels(game):
    made = load_calibration(game)
    assert made.game == game
    assert made.ladder == importlib.import_module(f"fanqi.{game}.ladder").LADDER.fingerprint
    evaluation = importlib.import_module(WEIGHTS[game]).evaluation_digest()
    assert made.weights == evaluation, "rate the levels anew: docs/levels.md, Making the tables"
    assert {0, 19, 20} <= {one.level for one in made.levels}
    assert {"random", "greedy", *PRESETS} - {"advanced"} <= {one.name for one in made.players}
    assert FEATURES[game].elo == made.range


@pytest.mark.parametrize("game", GAME_NAMES)
def test_each_level_is_stronger_than_the_one_below_and_the_weakest_loses_to_a_greedy_novice(game):
    made = load_calibration(game)
    assert all(above.elo > below.elo for below, above in pairwise(made.levels))
    novice = next(one for one in made.players if one.name == "greedy")
    assert made.levels[0].elo < novice.elo
