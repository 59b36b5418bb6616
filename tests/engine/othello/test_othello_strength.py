"""Othello below full strength: how much each level throws away, and what the presets do."""

from __future__ import annotations

import functools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thinking import NotedControl, think_afresh

from fanqi.othello import GAME
from fanqi.othello.ladder import LADDER
from fanqi.search import Control, Limits, Solve
from fanqi.strength import PRESETS, load_calibration

think = functools.partial(think_afresh, GAME.engine())
CALIBRATION = load_calibration("othello")


def positions_at(empties, count, games):
    """Positions with a choice and so many empty squares."""
    found = [
        position
        for game in games
        for position in game
        if position.empties == empties and len(position.legal_moves()) >= 3
    ]
    return found[:count]


def exact_scores(position):
    result = think(position, Limits(solve=Solve.SCORE), multipv=64)
    return {info.pv[0]: info.score_cp for info in result.infos}


def test_each_level_throws_away_fewer_discs_than_one_much_weaker(games):
    """The loss is exact: the positions are solved move by move."""
    positions = positions_at(9, 12, games)
    solved = [(position, exact_scores(position)) for position in positions]
    losses = []
    for level in (0, 4, 8, 12, 16, 20):
        lost = 0
        for position, scores in solved:
            for seed in range(6):
                move = think(position, skill_level=level, seed=seed).move
                lost += max(scores.values()) - scores[move]
        losses.append(lost / (100 * 6 * len(solved)))
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 4 * losses[2] > 0
    assert losses[-2] < 0.2
    assert losses[-1] == 0


def test_the_ladder_gets_steeper_in_every_respect():
    for below, above in zip(LADDER.rungs, LADDER.rungs[1:], strict=False):
        assert below.depth <= above.depth
        assert below.noise > above.noise
        assert below.exact_from <= above.exact_from


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 20),
    st.booleans(),
    st.integers(-100, 4000),
    st.sampled_from(["none", *PRESETS]),
    st.integers(0, 60),
    st.integers(0, 99),
    st.sampled_from([Limits(nodes=1), Limits(nodes=500), Limits(depth=2), Limits(movetime_ms=2)]),
)
def test_whatever_the_strength_the_move_is_legal_and_explained(level, limit, elo, preset, ply, seed, limits):
    dice = random.Random(seed)
    position = GAME.start()
    for _ in range(ply):
        if not position.legal_moves():
            break
        position = position.play(dice.choice(position.legal_moves()))
    result = think(
        position, limits, skill_level=level, limit_strength=limit, elo=elo, preset=preset, seed=seed, multipv=2
    )
    if position.legal_moves():
        assert result.move in position.legal_moves()
        assert result.infos[0].pv[0] == result.move
    else:
        assert result.move is None


def test_the_same_seed_plays_the_same_game_and_another_seed_another():
    def game(seed):
        position, moves = GAME.start(), []
        while position.legal_moves() and len(moves) < 24:
            moves.append(think(position, skill_level=5, seed=seed).move)
            position = position.play(moves[-1])
        return moves

    games = [game(seed) for seed in (1, 1, 2, 3)]
    assert games[0] == games[1]
    assert len({tuple(moves) for moves in games}) == 3


def test_the_last_report_of_the_first_line_is_of_the_move_that_is_played():
    for seed in range(8):
        infos = []
        result = think(GAME.start().play("f5").play("d6"), on_info=infos.append, skill_level=2, seed=seed, multipv=2)
        assert [info.pv[0] for info in infos if info.multipv == 1][-1:] in ([], [result.move])


def test_a_rating_plays_as_the_level_that_has_it():
    position = GAME.start().play("f5").play("d6")
    for level in (0, 7, 19):
        elo = round(CALIBRATION.levels[level].elo)
        nearly = [
            think(position, limit_strength=True, elo=elo, seed=seed).move
            == think(position, skill_level=level, seed=seed).move
            for seed in range(10)
        ]
        assert sum(nearly) >= 9


def test_a_beginner_takes_the_most_discs_but_for_a_whim_now_and_then(games):
    positions = [p for game in games[:4] for p in game if len(p.legal_moves()) >= 3]
    most = 0
    for position in positions:
        turned = {move: len(position.facts("flips", (move,)).split()) for move in position.legal_moves()}
        most += turned[think(position, preset="beginner").move] == max(turned.values())
    assert 0.75 * len(positions) < most < len(positions)


def test_a_beginner_at_anti_othello_takes_the_fewest(games):
    position = next(p for p in games[0][20:] if len(p.legal_moves()) >= 4)
    turned = {move: len(position.facts("flips", (move,)).split()) for move in position.legal_moves()}
    fewest = [
        turned[think(position, preset="beginner", objective="fewest", seed=seed).move] == min(turned.values())
        for seed in range(20)
    ]
    assert sum(fewest) >= 15


def test_an_intermediate_player_looks_four_plies_ahead_and_sees_the_end_from_ten_empties_on(games):
    for empties in (30, 11):
        for position in positions_at(empties, 4, games):
            assert think(position, preset="intermediate").infos[0].depth == 4
    for empties in (10, 7):
        for position in positions_at(empties, 4, games):
            info = think(position, preset="intermediate").infos[0]
            assert (info.depth, info.selectivity, info.score_cp) == (
                empties,
                100,
                max(exact_scores(position).values()),
            )


def test_an_advanced_player_takes_a_second_and_a_half_and_no_more_than_it_is_given():
    position = GAME.start().play("f5")
    for limits, granted in (
        (Limits(infinite=True), 1490),
        (Limits(movetime_ms=5000), 1490),
        (Limits(movetime_ms=200), 190),
        (Limits(depth=3), 1490),
    ):
        control = NotedControl()
        result = think(position, limits, control, preset="advanced")
        assert control.granted == granted
        assert limits.depth is None or result.infos[0].depth == limits.depth


def test_an_advanced_player_tries_for_the_exact_score_from_twenty_empties_on(games):
    position = positions_at(14, 1, games)[0]
    info = think(position, preset="advanced", control=Control()).infos[0]
    assert (info.depth, info.selectivity) == (14, 100)
    early = positions_at(22, 1, games)[0]
    assert think(early, preset="advanced", control=NotedControl()).infos[0].depth < 22


def test_a_limit_of_the_users_bounds_a_preset(games):
    for position in positions_at(10, 3, games):
        assert think(position, Limits(depth=2), preset="intermediate").infos[0].depth == 2


def test_a_solution_is_exact_at_any_strength(games):
    position = positions_at(8, 1, games)[0]
    best = max(exact_scores(position).values())
    for chosen in ({"skill_level": 0}, {"preset": "beginner"}):
        assert think(position, Limits(solve=Solve.SCORE), **chosen).infos[0].score_cp == best


@pytest.mark.nojit
def test_low_levels_play_legal_moves_uncompiled():
    position = GAME.start().play("f5")
    assert think(position, skill_level=0).move in position.legal_moves()
    assert think(position, preset="beginner").move in position.legal_moves()
