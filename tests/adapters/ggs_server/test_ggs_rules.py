"""Othello on every board: agreement with our own rules on 8x8, and starts on the others."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanqi.ggs_server.errors import RuleError
from fanqi.ggs_server.rules import BLACK, WHITE, Board, random_start, standard_start
from fanqi.ggs_wire import BOARD_WIDTHS, GameType
from fanqi.othello import Position


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_a_random_game_on_8x8_is_that_of_our_own_rules(seed: int) -> None:
    dice = random.Random(seed)
    board, position = standard_start(8), Position()
    while legal := position.legal_moves():
        assert not board.finished
        for name in {"a1", "d3", "f5", "h8", dice.choice("abcdefgh") + dice.choice("12345678")} - set(legal):
            with pytest.raises(RuleError, match="illegal move"):
                board.play(name)
        move = dice.choice(legal)
        board, position = board.play("pa" if move == "pass" else move), position.play(move)
        assert board.cells == position.fen().split()[0].replace("X", "*")
    assert board.finished
    outcome = position.outcome()
    assert outcome is not None
    assert board.margin() == outcome.margin


@pytest.mark.parametrize("board", sorted(BOARD_WIDTHS))
def test_every_board_begins_with_four_moves_for_black(board: int) -> None:
    start = standard_start(board)
    assert start.turn == BLACK
    assert sum(bool(start.flips(square, BLACK)) for square in range(len(start.cells))) == 4
    assert start.squares == (88 if board == 88 else board**2)


def test_the_board_without_corners_looks_as_on_the_genuine_server() -> None:
    assert standard_start(88).diagram().lines()[1:4] == [
        " 1     - - - - - -     1 ",
        " 2   - - - - - - - -   2 ",
        " 3 - - - - - - - - - - 3 ",
    ]


@pytest.mark.parametrize("kind", ["s8r4", "s8r14", "s8r20", "8kr16", "s8r21", "8kr48", "s6r20", "s10r60", "s88r48"])
def test_random_starts_have_their_discs_leave_the_corners_alone_and_can_be_played(kind: str) -> None:
    game_type = GameType.parse(kind)
    discs = game_type.random or 0
    for seed in range(5):
        board = random_start(game_type, random.Random(seed))
        assert board.cells.count(BLACK) + board.cells.count(WHITE) == discs
        assert board.turn == (BLACK if discs % 2 == 0 else WHITE)
        assert abs(board.margin(empties_count=False)) * 3 <= discs
        assert board.can_move(BLACK)
        assert board.can_move(WHITE)
        last = board.width - 1
        for x in (0, 1, last - 1, last):
            for y in (0, 1, last - 1, last):
                assert board.cells[y * board.width + x] in "- "


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("zz", "corrupt"),
        ("a15", "corrupt"),
        ("f", "corrupt"),
        ("i9", "illegal"),
        ("pa", "illegal"),
    ],
)
def test_bad_moves_are_told_in_the_words_of_the_service(move: str, said: str) -> None:
    with pytest.raises(RuleError, match=f"^{said} move$"):
        standard_start(8).play(move)


@pytest.mark.parametrize("move", ["f5", "F5"])
def test_moves_are_taken_in_either_case(move: str) -> None:
    assert standard_start(8).play(move).cells.count(BLACK) == 4


def test_a_board_reads_what_it_writes() -> None:
    board = standard_start(8).play("f5")
    assert Board.parse(board.diagram().ggf()) == board
