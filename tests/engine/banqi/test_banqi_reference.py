"""The kernels agree with the slow reference on random positions and games, and with a foreign program."""

from __future__ import annotations

import importlib
import os
import random

import pytest

from fanqi.banqi import GAME
from fanqi.game import Player


def agree(position, slow):
    assert position.fen() == slow.fen()
    result = slow.result()
    outcome = position.outcome()
    if result is not None:
        assert outcome is not None and outcome.reason == result[1], slow.fen()
        winner = "draw" if outcome.winner is None else "rb"[position.colour(outcome.winner)]
        assert winner == result[0], slow.fen()
        assert position.legal_moves() == ()
        return False
    assert outcome is None, slow.fen()
    legal, banned = slow.actions()
    assert position.legal_moves() == tuple(legal), slow.fen()
    assert position.banned_moves() == tuple(banned), slow.fen()
    return True


def test_random_positions_have_the_moves_of_the_reference(setups, reference):
    banned = 0
    for fen in setups:
        position = GAME.parse(fen)
        agree(position, reference(fen))
        banned += len(position.banned_moves())
    assert banned > 100  # else they were no test of the chase ban


def test_every_move_from_random_positions_leads_where_the_reference_goes(setups, reference):
    chooser = random.Random(5)
    for fen in setups[:600]:
        position = GAME.parse(fen)
        for move in position.legal_moves():
            if position.needs_reveal(move):
                move += "=" + chooser.choice(position.covered())
            slow = reference(fen)
            slow.play(move)
            agree(position.play(move), slow)


def play_out(position, slow, chooser):
    """To the end with moves that like to chase; returns how it ended."""
    while agree(position, slow):
        moves = position.legal_moves()
        quiet = [move for move in moves if len(move) == 4 and position.piece(move[2:]) == "."]
        move = chooser.choice(quiet if quiet and chooser.random() < 0.8 else moves)
        if position.needs_reveal(move):
            move += "=" + chooser.choice(position.covered())
        position = position.play(move)
        slow.play(move)
    return position.outcome().reason


def test_random_games_go_as_the_reference_says(reference):
    chooser = random.Random(6)
    start = GAME.start().fen()
    for _ in range(60):
        play_out(GAME.parse(start), reference(start), chooser)


def test_games_from_random_positions_reach_every_end(setups, reference):
    chooser = random.Random(7)
    boxed = "..../..../..../..../..../..../pp../K..p - b 3 -"
    last_chase = "..../..../.nk./..../..../.p../p.../C... - b 20 r:a1>b6=5"
    reasons = {
        play_out(GAME.parse(fen), reference(fen), chooser) for fen in setups[:200] + [boxed] * 30 + [last_chase] * 30
    }
    assert reasons == {"extinct", "no_moves", "all_banned", "no_progress"}


def test_other_limits_are_obeyed_as_by_the_reference(reference):
    chooser = random.Random(8)
    start = GAME.start().fen()
    for chase, no_progress in ((1, 20), (0, 40), (2, 7), (30, 999)):
        rules = f"chase={chase or 'off'},noprogress={no_progress}"
        for _ in range(6):
            slow = reference(start, chase=chase, no_progress=no_progress)
            play_out(GAME.parse(start, rules), slow, chooser)


def require(module):
    """The module, or a skip with the reason; where CI is set its absence is a failure."""
    try:
        return importlib.import_module(module)
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"{module} is not installed")


def test_open_spiel_plays_the_same_game_but_for_its_known_differences():
    game = require("pyspiel").load_game("banqi", {"max_no_progress": 60})
    letters = dict(zip("GAERHCSgaerhcs", "KGMRNCPkgmrncp", strict=True))
    chooser = random.Random(9)

    def ours(state, action):
        """Its rows are our files, its columns our ranks."""
        text = state.action_to_string(state.current_player(), action)
        places = [part.split(")")[0] for part in text.split("(")[1:]]
        squares = ["abcd"[int(place[0])] + str(int(place[2]) + 1) for place in places]
        return "".join(squares)

    known = 0
    for _ in range(80):
        position, state = GAME.start(), game.new_initial_state()
        while (outcome := position.outcome()) is None:
            actions = {ours(state, action): action for action in state.legal_actions()}
            assert sorted(actions) == sorted(position.legal_moves() + position.banned_moves())
            move = chooser.choice(position.legal_moves())
            state.apply_action(actions[move])
            if state.is_chance_node():
                letter = chooser.choice(position.covered())
                reveals = {
                    letters[state.action_to_string(-1, action)[-1]]: action for action, _ in state.chance_outcomes()
                }
                assert sorted(reveals) == sorted(set(position.covered()))
                state.apply_action(reveals[letter])
                move += f"={letter}"
            position = position.play(move)
        if not state.is_terminal():
            # it plays on when one side's last man is gone but others are covered, and knows no chase
            assert outcome.reason == "all_banned" or (outcome.reason == "extinct" and position.covered())
            known += 1
            continue
        winner = 0 if outcome.winner is None else 1 if outcome.winner is Player.P1 else -1
        assert state.returns()[0] == winner
    assert known < 8
