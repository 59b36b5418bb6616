"""Opening suites: all positions up to symmetry, judged by our engine."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from fanqi.cli.app import run
from fanqi.match import openings_cli
from fanqi.match.opening_files import load_openings
from fanqi.match.opening_suite import Judged, canonical_key, format_suite, judge, positions_after
from fanqi.othello import Position

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BOARDS = st.integers(0, 2**64 - 1)


def image(board: int, flip: bool, turns: int) -> int:
    """A board turned and mirrored square by square."""
    result = 0
    for square in range(64):
        if board >> square & 1:
            x, y = square % 8, square // 8
            if flip:
                x = 7 - x
            for _ in range(turns):
                x, y = 7 - y, x
            result |= 1 << (8 * y + x)
    return result


@given(BOARDS, BOARDS, st.booleans(), st.integers(0, 3))
def test_all_eight_images_of_a_position_are_one(own: int, opponent: int, flip: bool, turns: int) -> None:
    moved = image(own, flip, turns), image(opponent, flip, turns)
    assert canonical_key(*moved) == canonical_key(own, opponent)


def test_positions_that_are_not_images_of_each_other_differ() -> None:
    dice = random.Random(1)
    pairs = [(dice.getrandbits(64), dice.getrandbits(64)) for _ in range(1000)]
    assert len({canonical_key(*pair) for pair in pairs}) == 1000


def test_there_are_as_many_positions_as_everybody_counts() -> None:
    assert [len(positions_after(plies)) for plies in range(1, 7)] == [1, 3, 14, 60, 322, 1773]


def test_lines_lead_to_their_positions() -> None:
    for line, position in positions_after(4).items():
        reached = Position()
        for move in line:
            reached = reached.play(move)
        assert reached == position
        assert line[0] == "f5"


def test_openings_are_judged_from_blacks_view_and_kept_when_close_to_even() -> None:
    positions = dict(list(positions_after(3).items())[:4])
    counted: list[int] = []
    judged = list(judge(positions, 2, counted.append))
    assert [one.moves for one in judged] == list(positions)
    assert counted == [1, 2, 3, 4]
    text = format_suite(
        [Judged(("f5", "d6"), 0.5), Judged(("f5", "f6"), -1.5), Judged(("f5", "f4"), -1.0)], 1.0, ["why"]
    )
    assert text == "# why\nf5d6\nf5f4\n"


def test_the_suite_that_comes_with_fanqi_can_be_played_and_holds_no_position_twice() -> None:
    openings, complaints = load_openings("balanced", "othello", "", None)
    assert complaints == []
    assert len(openings) > 3000
    reached = set()
    for opening in openings:
        position = Position()
        for move in opening.moves:
            position = position.play(move)
        assert len(opening.moves) == 8
        reached.add(canonical_key(position.own, position.opponent))
    assert len(reached) == len(openings)


def test_a_suite_is_written_where_it_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "even.txt"
    assert run(["openings", "make", "--plies", "2", "--depth", "1", "--bound", "64", "--out", str(out)]) == 0
    assert out.read_text().splitlines()[2:] == ["f5d6", "f5f4", "f5f6"]
    assert "3 of 3 positions" in capfd.readouterr().out


def test_nothing_is_searched_for_a_suite_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openings_cli, "judge", None)
    for out in (tmp_path / "nowhere" / "even.txt", tmp_path):
        assert run(["openings", "make", "--plies", "2", "--out", str(out)]) == 2
