"""The `fanqi book` command."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from fanqi.book.graph import Graph
from fanqi.book.verify import faults
from fanqi.cli.book import app
from fanqi.othello import Position
from fanqi.othello_book import Book, BookHead, canonical, format_book, read_book, shared_book
from fanqi.records import parse_problem

FAST = ["--depth", "2", "--sample", "5", "--deeper", "2"]


def run(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def book(built, tmp_path):
    return shutil.copy(built, tmp_path / "my.book")


def test_build_makes_a_book_and_says_what_it_is(tmp_path):
    text = run("build", tmp_path / "b", "--positions", 40, *FAST)
    assert "40 positions, stated error" in text
    assert len(shared_book(str(tmp_path / "b"))) == 40
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_build_goes_on_with_the_settings_of_the_book(book):
    run("build", book, "--positions", 160, "--sample", 0)
    head, columns = read_book(book)
    assert head.provenance["depth"] == 2
    assert len(columns) == 160
    assert set(columns.depth.tolist()) <= {0, 2}


def test_build_grows_from_other_positions_too(tmp_path):
    run("build", tmp_path / "b", "--positions", 30, "--start", "f5f4", *FAST)
    position = Position().play("f5").play("f4")
    assert canonical(position.own, position.opponent) in set(
        zip(*(getattr(read_book(tmp_path / "b")[1], side).tolist() for side in ("own", "opponent")), strict=True)
    )


def test_show_tells_what_the_book_is(book):
    text = run("show", book)
    assert "150" in text
    assert "stated error" in text
    assert "Fanqi" in text


def test_show_writes_what_a_stranger_put_into_a_book_as_plain_text(book):
    _, columns = read_book(book)
    book.write_bytes(format_book(BookHead(provenance={"[/by]": "\x1b[2J[red]me[/nobody]"}), columns))
    text = run("show", book)
    assert "[/by]" in text
    assert "\\x1b[2J[red]me[/nobody]" in text


def test_show_merges_symmetric_moves(book):
    text = run("show", book, "othello")
    assert "c4 d3 e6 f5" in text
    assert "149" in text


def test_show_takes_moves_and_positions_and_tells_the_drop_out_move(book):
    by_moves = run("show", book, "f5d6")
    assert by_moves == run("show", book, Position().play("f5").play("d6").fen())
    assert "not in the book" in by_moves


def test_show_says_when_a_position_is_not_in_the_book(book):
    assert "not in the book" in run("show", book, "f5f4g3", code=1)


def test_transcripts_come_back_as_a_book_of_the_same_positions(book, tmp_path):
    run("export", book, "--as", "transcripts", "--out", tmp_path / "lines.txt")
    run("import", tmp_path / "again", tmp_path / "lines.txt", "--max-loss", 128, *FAST)
    before, after = read_book(book)[1], read_book(tmp_path / "again")[1]
    for name in ("own", "opponent", "value", "move", "score", "links"):
        assert getattr(after, name).tolist() == getattr(before, name).tolist()


def test_json_has_every_position_and_its_moves(book):
    rows = [json.loads(line) for line in run("export", book, "--as", "json").splitlines()]
    assert len(rows) == 150
    opened = shared_book(str(book))
    for row in rows:
        position = Position.from_fen(row["position"])
        assert row["value"] == opened.value(position) / 100
        assert {move["move"] for move in row["moves"]} <= set(position.legal_moves())


def test_obf_lines_can_be_read_back(book):
    problems = [parse_problem(line) for line in run("export", book, "--as", "obf").splitlines()]
    assert len(problems) == 150
    assert all(problem.scores for problem in problems)


def test_import_puts_moves_before_every_transcript(tmp_path):
    (tmp_path / "lines.txt").write_text("c3c4e3\nc5\n")
    assert "2 of 2 games were left out" in run("import", tmp_path / "b", tmp_path / "lines.txt", *FAST, code=1)
    run("import", tmp_path / "b", tmp_path / "lines.txt", "--after", "d3", "--max-loss", 128, *FAST)
    assert shared_book(str(tmp_path / "b")).value(Position().play("d3").play("c3").play("c4").play("e3")) is not None


def test_import_names_the_games_it_cannot_use_and_takes_the_others(tmp_path):
    (tmp_path / "lines.txt").write_text("f5d6\nf5f5\nf5f6\n")
    text = run("import", tmp_path / "b", tmp_path / "lines.txt", "--max-loss", 128, *FAST, code=1)
    assert "lines.txt: line 2" in text
    assert "1 of 3 games were left out" in text
    assert len(shared_book(str(tmp_path / "b"))) == 4


def test_measure_states_the_error_again(book):
    assert "stated error" in run("measure", book, "--sample", 7, "--deeper", 1)
    assert read_book(book)[0].provenance["error_positions"] == 7
    assert read_book(book)[0].provenance["error_depth"] == 3


def test_check_says_what_is_wrong(book, tmp_path):
    assert "150 positions, all of them right" in run("check", book)
    head, columns = read_book(book)
    columns.value[3] += 2
    (tmp_path / "wrong").write_bytes(format_book(head, columns))
    assert "position 4: its value is" in run("check", tmp_path / "wrong", code=1)


def test_check_works_all_values_out_once_however_many_are_wrong(book, monkeypatch):
    head, columns = read_book(book)
    columns.value[:] += 2
    counted, values = [], Graph.values
    monkeypatch.setattr(Graph, "values", lambda graph: counted.append(graph) or values(graph))
    assert len(list(faults(Book(head, columns)))) == len(columns)
    assert len(counted) == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["show", "missing.book"], "missing.book: No such file"),
        (["export", "missing.book"], "missing.book: No such file"),
        (["check", "."], "not a file"),
        (["measure", "missing.book"], "there is no such book"),
        (["build", "missing/b", "--positions", "5"], "missing/b.journal: there is no folder missing"),
        (["build", "b", "--selectivity", "80"], "selectivity 80"),
        (["build", "b", "--start", "z9"], "z9"),
        (["build", "b", "--start", "banqi"], "not a position of Othello"),
        (["import", "b", "missing.txt"], "missing.txt: No such file"),
        (["import", "b", "b.txt", "--after", "a1"], "a1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.txt").write_text("f5\n")
    text = run(*words, code=1)
    assert text.startswith("fanqi book: error: ")
    assert reason in text
    assert len(text.splitlines()) == 1
    assert not (tmp_path / "b").exists()


def test_an_export_that_does_not_exist_is_a_usage_error(book):
    assert "expected one of transcripts, json, obf" in run("export", book, "--as", "pdf", code=2)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_keeps_everything_and_says_so(tmp_path):
    command = [sys.executable, "-m", "fanqi.cli", "book", "build", str(tmp_path / "b"), "--depth", "6"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "b.journal").exists() or (tmp_path / "b.journal").stat().st_size < 2000:
            assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from here" in err
    assert "Traceback" not in out + err
    assert len(shared_book(str(tmp_path / "b"))) > 5
