"""`fanqi bench accuracy`, and the positions that `fanqi train problems` makes for it."""

from __future__ import annotations

import pytest
from plain_solver import exact_score
from typer.testing import CliRunner

from fanqi.bench.accuracy import Figure, judged_positions, measure
from fanqi.cli.bench import app
from fanqi.train.cli import app as train

EMPTIES = 11


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    path = tmp_path_factory.mktemp("problems") / "made.obf"
    done = CliRunner().invoke(train, ["problems", str(path), "--empties", str(EMPTIES), "--count", "6", "--hash", "16"])
    assert done.exit_code == 0, done.output
    return path


@pytest.fixture
def last_lines(tmp_path):
    """Two positions with six and five empty squares, the scores by `exact_score`."""
    board = "-XXXXXX--XXXXX-OXXXXOOOXXXXOOOOXXXXXOOOXXXXXOOOXXXXXXXXXXXXXXXXX O"
    from fanqi.othello import GAME

    position = GAME.parse(board)
    scores = {}
    for move in position.legal_moves():
        after = position.play(move)
        scores[move] = exact_score(after) if after.turn == position.turn else -exact_score(after)
    path = tmp_path / "last.obf"
    path.write_text(f"{board}; " + " ".join(f"{move}:{score};" for move, score in scores.items()) + "\n")
    return path, scores


def test_every_position_made_has_the_empty_squares_asked_for_and_a_score_for_every_move(problems):
    judged = judged_positions(problems)
    assert len(judged) == 6
    for problem in judged:
        assert problem.position.empties == EMPTIES
        assert set(problem.scores) == set(problem.position.legal_moves())


def test_a_search_to_the_end_makes_no_error_and_a_shallow_one_does(problems):
    judged = judged_positions(problems)
    exact = measure(judged, EMPTIES, 100)
    assert (exact.best_move.mean, exact.loss.mean, exact.error.mean, exact.bias.mean) == (1, 0, 0, 0)
    static = measure(judged, 0, 73)
    assert static.error.mean > 0
    assert static.best_move is None


def test_scores_of_the_file_are_compared_with_those_of_a_plain_search(last_lines):
    path, scores = last_lines
    exact = measure(judged_positions(path), 6, 100)
    assert exact.bias.mean == 0, scores


def test_an_interrupted_set_goes_on_to_the_same_positions(problems, tmp_path):
    cut = tmp_path / "cut.obf"
    whole = problems.read_text()
    cut.write_text(whole[: len(whole) // 2])
    done = CliRunner().invoke(train, ["problems", str(cut), "--empties", str(EMPTIES), "--count", "6", "--hash", "16"])
    assert done.exit_code == 0, done.output
    assert cut.read_text() == whole


def test_a_set_of_another_seed_is_not_mixed_in(problems):
    before = problems.read_text()
    words = ["problems", str(problems), "--empties", str(EMPTIES), "--count", "7", "--hash", "16", "--seed", "2"]
    done = CliRunner().invoke(train, words)
    assert done.exit_code == 1
    assert "line 1: of other settings or weights" in done.output
    assert problems.read_text() == before


def test_a_move_without_a_score_is_an_error_that_names_move_and_line(problems, tmp_path):
    path = tmp_path / "short.obf"
    lines = problems.read_text().splitlines()
    parts = lines[1].split(";")
    missing = parts[-2].strip().partition(":")[0].lower()
    path.write_text("\n".join([lines[0], ";".join([*parts[:-2], ""])]))
    done = CliRunner().invoke(app, ["accuracy", str(path)])
    assert done.exit_code == 1
    assert f"line 2: no score for {missing}" in done.output


@pytest.mark.parametrize("text", ["x", "15@74", "61", "-1", "", "1" * 5000, "15@"])
def test_a_search_that_cannot_be_is_refused(problems, text):
    done = CliRunner().invoke(app, ["accuracy", str(problems), f"--at={text}"])
    assert done.exit_code == 2


def test_the_table_has_a_line_a_search(problems):
    done = CliRunner().invoke(app, ["accuracy", str(problems), "--at", "0", "--at", "4@100"])
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.output.splitlines()[2:]] == ["static", "4@100"]


def test_the_error_is_half_a_95_percent_interval():
    figure = Figure.of([0.0, 1.0, 0.0, 1.0])
    assert figure.mean == 0.5
    assert figure.error == pytest.approx(1.96 * (1 / 3) ** 0.5 / 2)
