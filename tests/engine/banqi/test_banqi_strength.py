"""Banqi below full strength: how much each level throws away, and what the presets do."""

from __future__ import annotations

import functools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thinking import NotedControl, think_afresh

from fanqi.banqi import GAME
from fanqi.banqi.ladder import LADDER
from fanqi.search import Limits
from fanqi.strength import PRESETS, load_calibration

think = functools.partial(think_afresh, GAME.engine())
CALIBRATION = load_calibration("banqi")
RANKS = "PCNRMGK"
MIDDLE = "XXrK/XX.r/XGgN/XPXX/m.XR/nX.R/cMpX/kMgX NCCPPPmncppp r 1 -"


def played(plies, seed):
    """A position some random plies from the start."""
    dice = random.Random(seed)
    position = GAME.start()
    for _ in range(plies):
        if position.outcome():
            break
        move = dice.choice(position.legal_moves())
        position = position.play(f"{move}={dice.choice(position.covered())}" if len(move) == 2 else move)
    return position


def running(plies, count):
    """Positions with a choice."""
    found = (played(plies, seed) for seed in range(10 * count))
    return [position for position in found if len(position.legal_moves()) >= 3][:count]


def captures(position):
    """Each capture with the rank of the man it takes."""
    return {
        move: RANKS.index(position.piece(move[2:]).upper())
        for move in position.legal_moves()
        if len(move) == 4 and position.piece(move[2:]) != "."
    }


def test_each_level_throws_away_less_than_one_much_weaker():
    """The loss is by a search of all moves three plies deep, in pawns, none counted as more than ten."""
    judged = []
    for position in running(50, 12):
        result = think(position, Limits(depth=3), multipv=64)
        judged.append((position, {info.pv[0]: info.score_cp / 100 for info in result.infos}))
    losses = []
    for level in (0, 3, 6, 20):
        lost = 0.0
        for position, scores in judged:
            for seed in range(8):
                move = think(position, Limits(depth=3), skill_level=level, seed=seed).move
                lost += min(10.0, max(scores.values()) - scores.get(move, min(scores.values())))
        losses.append(lost / (8 * len(judged)))
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 2 * losses[2]
    assert losses[-1] < 0.1


def test_the_ladder_gets_steeper_in_every_respect():
    for below, above in zip(LADDER.rungs, LADDER.rungs[1:], strict=False):
        assert below.depth <= above.depth
        assert below.noise >= above.noise
        assert below.nodes is None or below.nodes < above.nodes
        assert (below.noise, below.nodes) != (above.noise, above.nodes)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 20),
    st.booleans(),
    st.integers(-100, 4000),
    st.sampled_from(["none", *PRESETS]),
    st.integers(0, 120),
    st.integers(0, 99),
    st.sampled_from([Limits(nodes=1), Limits(nodes=500), Limits(depth=2), Limits(movetime_ms=2)]),
)
def test_whatever_the_strength_the_move_is_legal_and_explained(level, limit, elo, preset, plies, seed, limits):
    position = played(plies, seed)
    result = think(
        position, limits, skill_level=level, limit_strength=limit, elo=elo, preset=preset, seed=seed, multipv=2
    )
    if position.legal_moves():
        assert result.move in position.legal_moves()
        assert result.infos[0].pv[0] == result.move
    else:
        assert result.move is None


def test_the_same_seed_chooses_the_same_and_another_seed_sometimes_another():
    positions = running(40, 12)

    def moves(seed):
        return [think(position, skill_level=2, seed=seed).move for position in positions]

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in (1, 2, 3)}) == 3


@pytest.mark.parametrize("chosen", [{"skill_level": 0}, {"skill_level": 8}, {"preset": "beginner"}])
def test_the_covered_layout_cannot_reach_the_choice(chosen):
    fields = MIDDLE.split()
    other = " ".join([fields[0], fields[1][::-1], *fields[2:]])
    for seed in range(5):
        first, second = (think(GAME.parse(fen), seed=seed, **chosen).move for fen in (MIDDLE, other))
        assert first == second


def test_the_last_report_of_the_first_line_is_of_the_move_that_is_played():
    for seed in range(8):
        infos = []
        result = think(GAME.parse(MIDDLE), on_info=infos.append, skill_level=2, seed=seed, multipv=2)
        assert [info.pv[0] for info in infos if info.multipv == 1][-1:] in ([], [result.move])


def test_a_rating_plays_as_the_level_that_has_it():
    positions = running(40, 10)
    for level in (0, 9):
        elo = round(CALIBRATION.levels[level].elo)
        same = [
            think(position, limit_strength=True, elo=elo).move == think(position, skill_level=level).move
            for position in positions
        ]
        assert sum(same) >= 8


def test_a_beginner_takes_the_dearest_man_but_for_a_whim_now_and_then():
    positions = [position for position in running(30, 60) if captures(position)]
    dearest = 0
    for position in positions:
        gains = captures(position)
        move = think(position, preset="beginner").move
        dearest += gains.get(move, -1) == max(gains.values())
    assert len(positions) > 20
    assert 0.7 * len(positions) < dearest < len(positions)


def test_an_intermediate_player_looks_four_plies_ahead():
    for position in running(60, 4):
        info = think(position, preset="intermediate").infos[0]
        assert info.depth == 4 or abs(info.score_cp) == 10000
        assert info.pv[0] == think(position, Limits(depth=4)).infos[0].pv[0]


def test_an_advanced_player_takes_a_second_and_a_half_and_no_more_than_it_is_given():
    position = GAME.parse(MIDDLE)
    for limits, granted in (
        (Limits(infinite=True), 1490),
        (Limits(movetime_ms=5000), 1490),
        (Limits(movetime_ms=200), 190),
    ):
        control = NotedControl()
        assert think(position, limits, control, preset="advanced").move in position.legal_moves()
        assert control.granted == granted


def test_a_limit_of_the_users_bounds_a_preset():
    assert think(GAME.parse(MIDDLE), Limits(depth=2), preset="intermediate").infos[0].depth == 2
