"""Adjudication by endgame tables: what they say follows from what they say of the moves."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from fanqi.banqi import Position
from fanqi.game import Player, load_game
from fanqi.match.config import Adjudication
from fanqi.match.endgames import decided, table_byte
from fanqi.match.errors import ConfigurationError
from fanqi.match.openings import Opening

BANQI = load_game("banqi")
LOSS = 128


def random_position(dice: random.Random, men: str) -> Position:
    """A position with these men anywhere, red to move."""
    squares = dice.sample(range(32), len(men))
    cells = ["."] * 32
    for square, man in zip(squares, men, strict=True):
        cells[square] = man
    ranks = ["".join(cells[4 * rank : 4 * rank + 4]) for rank in reversed(range(8))]
    position = BANQI.parse(f"{'/'.join(ranks)} - r 0 -")
    assert isinstance(position, Position)
    return position


def best_of(position: Position) -> int:
    """What one ply of looking ahead makes of the tables: as in a table's byte."""
    wins, losses, draw = [], [], False
    for move in position.legal_moves():
        after = position.play(move)
        outcome = after.outcome()
        captured = after.fen().split()[3] == "0"
        if outcome is not None:
            value, distance = LOSS, 1
        else:
            byte = table_byte(after)
            assert byte is not None
            value = LOSS if byte >= LOSS else int(byte > 0)
            distance = 1 if captured else byte % LOSS + 1
        if value == LOSS:
            wins.append(distance)
        elif value == 0:
            draw = True
        else:
            losses.append(distance)
    if wins:
        return min(wins)
    return 0 if draw or not losses else LOSS + max(losses)


@pytest.mark.parametrize("men", ["Rn", "Kp", "Cr", "RNr", "PPk", "CKp"])
def test_what_is_said_of_a_position_follows_from_its_moves(men: str) -> None:
    dice = random.Random(men)
    for _ in range(60):
        position = random_position(dice, men)
        if position.outcome() is None:
            assert table_byte(position) == best_of(position)


def test_a_rook_beside_a_knight_takes_it() -> None:
    position = BANQI.parse("..../..../..../..../..../..../..../Rn.. - r 3 -")
    assert decided(position) == (Player.P1, 1)
    assert decided(BANQI.parse("..../..../..../..../..../..../..../Rn.. - b 3 -"))  # the knight runs, or is caught


@pytest.mark.parametrize(
    "fen",
    [
        "X.../..../..../..../..../..../..../Rn.. p r 3 -",
        "..../.n../..../.R../..../..../..../...K - r 11 r:b5>b7=5",
        "rrnn/mmgg/..../..../..../..../RRNN/MMGG - r 3 -",
    ],
)
def test_positions_that_no_table_is_exact_for_are_left_alone(fen: str) -> None:
    assert decided(BANQI.parse(fen)) is None


def test_a_win_that_needs_more_quiet_plies_than_are_left_is_a_draw() -> None:
    dice = random.Random(1)
    while True:
        position = random_position(dice, "Rn")
        byte = table_byte(position)
        if byte is not None and 5 < byte < LOSS:
            break
    board = position.fen().split()[0]
    assert decided(BANQI.parse(f"{board} - r {60 - byte} -")) == (Player.P1, byte)
    assert decided(BANQI.parse(f"{board} - r {61 - byte} -")) == (None, byte - 1)


def test_a_game_is_decided_when_a_table_knows_it(play_match: Callable[..., Any]) -> None:
    start = "..../..../..../..../..../..../..../Rn.. - r 3 -"
    played = play_match(
        "a=builtin:random",
        "b=builtin:random",
        game="banqi",
        openings="a file",
        listed=[Opening(start, (), start)],
        adjudication=Adjudication(tables=True),
    )
    for game in played.games:
        assert game.termination == "adjudicated_tables"
        assert game.moves == []
        assert game.result.winner == "p1"
        assert game.result.margin == 1.0


def test_othello_has_no_such_tables(play_match: Callable[..., Any]) -> None:
    with pytest.raises(ConfigurationError, match="only banqi"):
        play_match("a=builtin:random", "b=builtin:random", adjudication=Adjudication(tables=True))
