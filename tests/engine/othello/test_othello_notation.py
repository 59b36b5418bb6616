"""Moves and positions as text: round trips, every spelling, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.game import MoveError, Player, PositionError
from fanqi.othello.notation import (
    PASS,
    format_board,
    format_move,
    format_squares,
    parse_board,
    parse_move,
    squares_of,
)

pytestmark = pytest.mark.nojit

bitboards = st.integers(0, 2**64 - 1)


@given(st.integers(0, 64))
def test_moves_round_trip(number):
    assert parse_move(format_move(number)) == parse_move(format_move(number).upper()) == number


@given(bitboards, bitboards, st.sampled_from(Player))
def test_boards_round_trip(black, other, turn):
    white = other & ~black
    assert parse_board(format_board(black, white, turn)) == (black, white, turn)


@given(st.text(max_size=8))
def test_any_text_is_a_move_or_refused(text):
    try:
        number = parse_move(text)
    except MoveError as error:
        assert error.text == text
    else:
        assert 0 <= number <= PASS


@given(st.text(st.sampled_from("XO-*bw. x;"), max_size=70))
def test_any_text_is_a_board_or_refused(text):
    try:
        black, white, turn = parse_board(text)
    except PositionError as error:
        assert error.text == text
    else:
        assert black & white == 0
        assert turn in Player


@given(bitboards)
def test_squares_are_listed_by_name(bits):
    names = format_squares(bits)
    assert list(names) == sorted(names)
    assert sum(1 << square for square in squares_of(bits)) == bits


@pytest.mark.parametrize("text", ["pass", "PASS", "PA", "pa", "ps", "--", "0000", "@@@@"])
def test_spellings_of_the_pass(text):
    assert parse_move(text) == PASS


def test_squares_are_numbered_row_by_row():
    assert [format_move(square) for square in (0, 7, 8, 37, 63)] == ["a1", "h1", "a2", "f5", "h8"]


@pytest.mark.parametrize("text", ["XXXOOO", "XxbXOo", "X*bWw0", "***ooo"])
def test_every_spelling_of_discs_is_read(text):
    black, white, turn = parse_board(text + "." * 29 + "-" * 29 + "*")
    assert (black | white, (black & white), turn) == (0b111111, 0, Player.P1)
    assert parse_board(text + "-" * 58 + " w;")[2] is Player.P2


def test_blanks_between_rows_are_skipped():
    rows = " ".join(["--------"] * 3 + ["---O*---", "---*O---"] + ["--------"] * 3)
    assert parse_board(f"{rows} *") == (1 << 28 | 1 << 35, 1 << 27 | 1 << 36, Player.P1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected 64 cells and the side to move, found 0 characters"),
        ("-" * 64, "found 64 cells and no side to move"),
        ("-" * 64 + " X O", "found 66 characters"),
        ("-" * 63 + "? X", r"cell 64 \(h8\) is '\?'; expected X, O or -"),
        ("-" * 64 + " ?", r"the side to move is '\?'; expected X or O"),
    ],
)
def test_unreadable_boards_are_named(text, reason):
    with pytest.raises(PositionError, match=reason):
        parse_board(text)
