"""What stands beside the score, against positions where it can be counted by hand."""

from __future__ import annotations

import pytest

from fanqi.analysis.facts import BanqiFacts, OthelloFacts, facts_of, open_corner
from fanqi.game import load_game


def othello(fen: str) -> OthelloFacts:
    game = load_game("othello")
    found = facts_of("othello", game.parse(fen), game.engine())
    assert isinstance(found, OthelloFacts)
    return found


def banqi(fen: str) -> BanqiFacts:
    game = load_game("banqi")
    found = facts_of("banqi", game.parse(fen), game.engine())
    assert isinstance(found, BanqiFacts)
    return found


def test_the_start_of_othello() -> None:
    found = othello("---------------------------OX------XO--------------------------- X")
    assert found == OthelloFacts((2, 2), (4, 4), (0, 0), (2, 2), empties=60, regions=1, odd=0)


@pytest.mark.parametrize("turn", ["X", "O"])
def test_othello_figures_are_blacks_first_whoever_is_to_move(turn: str) -> None:
    # Black holds a corner, its edge and a2; White's b2 can be turned from four sides
    found = othello("XXXXXXXXXO-------------------------------------------------O---- " + turn)
    assert found.discs == (9, 2)
    assert found.stable == (9, 0)
    assert found.mobility == (4, 0)
    assert found.frontier == (8, 2)


def test_regions_are_told_apart() -> None:
    board = "X" * 64
    for square in (0, 7, 8, 63):  # a1 with a2, h1, h8
        board = board[:square] + "-" + board[square + 1 :]
    found = othello(board + " X")
    assert (found.empties, found.regions, found.odd) == (4, 3, 2)


def test_nobody_threatens_anybody_while_nobody_has_a_colour() -> None:
    found = banqi("XXXX/XXXX/XXXX/XXXX/XXXX/XXXX/XXXX/XXXX KGGMMRRNNCCPPPPPkggmmrrnnccppppp ?0 0 -")
    assert found == BanqiFacts((16, 16), (0, 0), ((), ()), ((), ()), covered=32, quiet=0)


def test_a_man_beside_a_stronger_one_is_attacked_and_hangs() -> None:
    # red king a8 beside a black rook a7; a black pawn far away
    found = banqi("K.../r.../..../..../..../..../..../...p - r 0 -")
    assert found.men == (1, 2)
    assert found.attacked == ((), ("a7",))
    assert found.hanging == ((), ("a7",))


def test_a_man_that_can_be_taken_back_does_not_hang() -> None:
    # the pawn on b7 takes the king that takes the rook
    found = banqi("K.../rp../..../..../..../..../..../.... - r 0 -")
    assert found.attacked[1] == ("a7",)
    assert found.hanging[1] == ()


def test_banqi_figures_are_those_of_the_side_to_move_first() -> None:
    found = banqi("K.../r.../..../..../..../..../..../...p - b 0 -")
    assert found.men == (2, 1)
    assert found.attacked == (("a7",), ())
    assert found.hanging == (("a7",), ())


def test_banqi_mobility_counts_steps_and_captures_but_no_flips() -> None:
    found = banqi("KX../r.../..../..../..../..../..../...p g r 0 -")
    assert found.mobility == (1, 4)  # king takes rook; rook: b7, a6; pawn: c1, d2
    assert found.covered == 1


CORNER_CASES = [
    ("b2", "--------" * 8, "X"),
    ("g7", "--------" * 8, "X"),
    ("a7", "--------" * 8, "C"),
    ("g1", "--------" * 8, "C"),
    ("b2", "X-------" + "--------" * 7, ""),
    ("h2", "-------O" + "--------" * 7, ""),
    ("g1", "X-------" + "--------" * 7, "C"),
    ("a8", "--------" * 8, ""),
    ("c3", "--------" * 8, ""),
    ("pass", "--------" * 8, ""),
]


@pytest.mark.parametrize(("move", "board", "kind"), CORNER_CASES)
def test_a_square_beside_a_corner_is_named_while_the_corner_is_empty(move: str, board: str, kind: str) -> None:
    assert open_corner("othello", load_game("othello").parse(f"{board} X"), move) == kind


def test_banqi_has_no_such_squares() -> None:
    assert open_corner("banqi", load_game("banqi").start(), "b2") == ""
