"""Two foreign implementations of Othello agree with ours along random games."""

from __future__ import annotations

import importlib
import os
import random

import pytest

from fanqi.game import Player
from fanqi.othello import GAME
from fanqi.othello.notation import PASS, format_move, parse_move


def require(module):
    """The module, or a skip with the reason; where CI is set its absence is a failure."""
    try:
        return importlib.import_module(module)
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"{module} is not installed")


def test_open_spiel_plays_the_same_game():
    game = require("pyspiel").load_game("othello")
    chooser = random.Random(7)
    passes = 0
    for _ in range(150):
        position, state = GAME.start(), game.new_initial_state()
        while moves := position.legal_moves():
            assert sorted(map(parse_move, moves)) == sorted(state.legal_actions())
            assert state.current_player() == position.turn - 1
            move = chooser.choice(moves)
            passes += move == "pass"
            state.apply_action(parse_move(move))
            position = position.play(move)
        assert state.is_terminal()
        winner = position.outcome().winner
        assert state.returns()[0] == (0 if winner is None else 1 if winner is Player.P1 else -1)
    assert passes > 20  # else these games were no test of the pass


def test_fairy_stockfish_plays_the_same_game():
    pyffish = require("pyffish")

    def foreign(move):
        """Its rows count from the bottom, and a pass moves nothing."""
        return "0000" if move == "pass" else f"P@{move[0]}{9 - int(move[1])}"

    def ours(move):
        return "pass" if not move.startswith("P@") else f"{move[2]}{9 - int(move[3])}"

    start = pyffish.start_fen("flipello")
    chooser = random.Random(8)
    for _ in range(25):
        position, played = GAME.start(), []
        while moves := position.legal_moves():
            theirs = pyffish.legal_moves("flipello", start, played)
            assert sorted(map(ours, theirs)) == list(moves)
            move = chooser.choice(moves)
            played.append(next(m for m in theirs if ours(m) == move))
            position = position.play(move)
        black = position.outcome().margin
        assert format_move(PASS) == "pass"
        result = pyffish.game_result("flipello", start, played)
        mover = black if position.turn is Player.P1 else -black
        assert (result > 0) - (result < 0) == (mover > 0) - (mover < 0)
