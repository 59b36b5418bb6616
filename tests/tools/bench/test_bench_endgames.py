"""`fanqi bench endgames`: files of endgames, and how a wrong score or line is told."""

from __future__ import annotations

import pytest
from plain_solver import exact_score
from typer.testing import CliRunner

from fanqi.bench.endgames import endgames
from fanqi.cli.bench import app

BOARD = "-XXXXXX--XXXXX-OXXXXOOOXXXXOOOOXXXXXOOOXXXXXOOOXXXXXXXXXXXXXXXXX"
TABLE = "board\tside\tempties\tscore_side_to_move\tscore_checked\n"


def run(*words):
    return CliRunner().invoke(app, ["endgames", *map(str, words)])


@pytest.fixture(scope="module")
def score():
    """The score of BOARD with O to move."""
    from fanqi.othello import GAME

    return exact_score(GAME.parse(f"{BOARD} O"))


def test_a_table_takes_the_last_score_column(tmp_path, score):
    file = tmp_path / "table.tsv"
    file.write_text(f"{TABLE}{BOARD}\tO\t4\t-64\t{score}\n")
    result = run(file)
    assert (result.exit_code, result.stdout.startswith("1 solved, 0 wrong")) == (0, True), result.stdout


def test_a_wrong_score_is_named_and_fails(tmp_path, score):
    file = tmp_path / "problems.obf"
    file.write_text(f"# two problems\n{BOARD} O; A1:{score}\n\n{BOARD} O; H2:-9; A1:{score + 2};\n")
    result = run(file)
    assert result.exit_code == 1
    assert f"{file}, line 4: {score:+d} with" in result.stdout
    assert "2 solved, 1 wrong" in result.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{BOARD} O\n", "line 1: no move has a score"),
        ("XXO\n", "line 1"),
        (f"{TABLE}{BOARD}\tO\n", "line 2"),
        (f"{TABLE}{BOARD}\tZ\t4\t0\t0\n", "line 2"),
        (f"board\tempties\n{BOARD}\t4\n", "expected board, side and score"),
    ],
)
def test_a_line_that_is_no_problem_is_named(tmp_path, text, message):
    file = tmp_path / "broken.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"broken\.txt, line \d") as caught:
        list(endgames(file))
    assert message in str(caught.value)


def test_no_file_and_an_empty_one_fail(tmp_path):
    (tmp_path / "empty").write_text("")
    assert run(tmp_path / "empty").exit_code == 1
    assert run(tmp_path / "none").exit_code == 1
