"""How a weakened player chooses, and what bounds its search."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.search import Clock, Limits, Settings, Solve
from fanqi.strength import PRESETS, Handicap, Ladder, Rung, handicap_for, load_calibration

MOVES = ("a", "b", "c", "d", "e", "f")
SCORES = st.lists(st.integers(-6400, 6400), min_size=1, max_size=6)
LADDER = Ladder((Rung(1, 300, 64, 0), Rung(2, 200, 10, 4), Rung(4.5, 100, 5, 9, 1000)))


def nothing(move):
    return 0


@given(SCORES, st.integers(0, 1000), st.floats(0, 1e5), st.floats(0, 1e5))
def test_with_the_same_dice_more_noise_never_chooses_a_better_move(scores, seed, noise, more):
    known = dict(zip(MOVES, scores, strict=False))
    less, more = sorted((noise, more))
    chosen = [
        known[Handicap(noise=error).choose(MOVES, known, nothing, random.Random(seed))] for error in (0.0, less, more)
    ]
    assert max(scores) == chosen[0] >= chosen[1] >= chosen[2]


@given(SCORES, st.integers(0, 1000), st.floats(0, 1e5), st.floats(0, 1), st.booleans())
def test_only_a_move_that_was_looked_at_is_chosen_and_the_same_for_the_same_dice(scores, seed, noise, whim, greedy):
    known = dict(zip(MOVES, scores, strict=False))
    handicap = Handicap(noise=noise, whim=whim, greedy=greedy)
    first, second = (handicap.choose(MOVES, known, ord, random.Random(seed)) for _ in range(2))
    assert first == second in known


def test_a_greedy_player_takes_the_most_and_breaks_ties_by_lot():
    gains = {"a": 1, "b": 3, "c": 3, "d": 2}
    chosen = [
        Handicap(greedy=True).choose(MOVES, dict.fromkeys(gains, 0.0), gains.__getitem__, random.Random(seed))
        for seed in range(200)
    ]
    assert set(chosen) == {"b", "c"}
    assert 60 < chosen.count("b") < 140


def test_a_whim_comes_as_often_as_it_should():
    handicap = Handicap(whim=0.25)
    known = {"a": 100.0, "b": 0.0}
    chosen = [handicap.choose(MOVES, known, nothing, random.Random(seed)) for seed in range(4000)]
    assert chosen.count("b") / 4000 == pytest.approx(0.125, abs=0.02)


@given(
    st.none() | st.integers(1, 60),
    st.none() | st.integers(1, 10_000),
    st.none() | st.integers(0, 20),
    st.none() | st.integers(0, 20),
    st.none() | st.integers(1, 60),
)
def test_a_handicap_never_widens_what_the_user_allows(depth, movetime, own_depth, exact_from, empties):
    limits = Limits(depth=depth, nodes=7, movetime_ms=movetime, clock=Clock(1000), moves=("f5",))
    bounded = Handicap(depth=own_depth, exact_from=exact_from, movetime_ms=1500).bound(limits, empties)
    assert bounded.movetime_ms == min(1500, movetime or 1500)
    assert depth is None or (bounded.depth is not None and bounded.depth <= depth)
    assert (bounded.nodes, bounded.clock, bounded.moves) == (7, Clock(1000), ("f5",))
    assert Handicap(nodes=5).bound(limits).nodes == 5


@pytest.mark.parametrize(
    ("name", "empties", "depth", "movetime"),
    [
        ("beginner", 30, 0, None),
        ("intermediate", 30, 4, None),
        ("intermediate", 11, 4, None),
        ("intermediate", 10, 10, None),
        ("advanced", 30, 29, 1500),
        ("advanced", 21, 20, 1500),
        ("advanced", 20, 20, 1500),
    ],
)
def test_presets_look_as_far_as_they_say(name, empties, depth, movetime):
    bounded = PRESETS[name].bound(Limits(infinite=True), empties)
    assert (bounded.depth, bounded.movetime_ms, bounded.infinite) == (depth, movetime, True)


def test_a_preset_goes_before_a_rating_and_a_rating_before_a_level():
    def found(**settings):
        chosen = Settings(**settings)
        return handicap_for(chosen, Limits(), "othello", LADDER, random.Random(1))

    weakest = load_calibration("othello").range[0] - 1  # the range is rounded, and may begin between two levels
    assert found() is None
    assert (
        found(skill_level=1)
        == found(skill_level=1, elo=weakest)
        == Handicap(depth=2, exact_from=4, lines=10, noise=200.0)
    )
    assert found(skill_level=20, limit_strength=True, elo=weakest) == Handicap(
        depth=1, exact_from=0, lines=64, noise=300.0
    )
    assert found(skill_level=1, limit_strength=True, elo=weakest, preset="advanced") is PRESETS["advanced"]


def test_a_question_for_a_solution_is_answered_at_full_strength():
    settings = Settings(skill_level=0, preset="beginner")
    assert handicap_for(settings, Limits(solve=Solve.WDL), "othello", LADDER, random.Random(1)) is None


@given(st.floats(0, 2))
def test_a_place_between_two_levels_lies_between_them_in_every_respect(place):
    rung = LADDER.rung(place)
    below, above = LADDER.rungs[int(place)], LADDER.rungs[min(int(place) + 1, 2)]
    assert below.depth <= rung.depth <= above.depth
    assert below.noise >= rung.noise >= above.noise
    assert below.exact_from <= rung.exact_from <= above.exact_from
    assert below.lines >= rung.lines >= above.lines
    assert rung.nodes in (None, 1000)
    assert LADDER.rung(float(int(place))) == LADDER.rungs[int(place)]


def test_a_fraction_of_a_ply_is_searched_that_often():
    depths = [LADDER.handicap(2, random.Random(seed)).depth for seed in range(1000)]
    assert set(depths) == {4, 5}
    assert sum(depths) / 1000 == pytest.approx(4.5, abs=0.05)


def test_the_last_rung_is_the_strongest_below_full_strength():
    assert LADDER.rung(19.5) == LADDER.rungs[-1]
    assert LADDER.rung(20) is None
