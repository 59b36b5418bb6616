"""`fanqi analyse` as it is typed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scripted import DATA, TCGA, WTHOR, first_game

from fanqi.analysis import Searcher
from fanqi.cli.app import run
from fanqi.records import FORMATS, format_json, parse_transcript

QUICK = ["--depth", "1", "--exact", "0"]


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@contextlib.contextmanager
def standing_in(data: bytes) -> Any:
    """Bytes on stdin, and what comes out on stdout and stderr."""
    saved = sys.stdin, sys.stdout, sys.stderr
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
    sys.stdout, sys.stderr = out, io.StringIO()
    try:
        yield out
    finally:
        sys.stdin, sys.stdout, sys.stderr = saved


def analysed(data: bytes, *arguments: str) -> tuple[int, str]:
    """Exit code and stdout of an analysis of stdin."""
    with standing_in(data) as out:
        code = run(["analyse", "-", *QUICK, *arguments])
        out.flush()
        return code, out.buffer.getvalue().decode()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["ggf", "sgf", "pgn", "wthor", "transcript", "json"])
def test_an_othello_game_is_analysed_in_every_format(name: str, tmp_path: Path) -> None:
    source = tmp_path / f"game{FORMATS[name].suffixes[0]}"
    assert run(["convert", str(WTHOR), str(source)]) == 0
    code, out = analysed(source.read_bytes(), "--game", "2", "--json")
    assert code == 0
    game, *moves, summary = lines_of(out)
    expected = first_game(WTHOR, 2)
    assert [move["move"] for move in moves] == [move.move for move in expected.moves]
    assert (game["game"], game["number"], summary["complete"]) == ("othello", 2, True)


@pytest.mark.parametrize("suffix", [".tcga", ".jsonl"])
def test_a_banqi_game_is_analysed_in_every_format(suffix: str, tmp_path: Path) -> None:
    source = tmp_path / f"game{suffix}"
    assert run(["convert", str(TCGA), str(source)]) == 0
    code, out = analysed(source.read_bytes(), "--json")
    assert code == 0
    game, *moves, _ = lines_of(out)
    assert [move["move"] for move in moves] == [move.move for move in first_game(TCGA).moves]
    assert (game["game"], game["unit"]) == ("banqi", "%")
    assert all((move["luck"] is not None) == ("=" in move["move"]) for move in moves)


def test_games_are_chosen_by_number(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("f5\nf5d6\nf5f6\nf5f4\n", encoding="utf-8")
    for chosen, numbers in (("2-3", [2, 3]), ("3-", [3, 4]), ("-2", [1, 2]), ("4", [4]), ("3-9", [3, 4])):
        code, out = analysed(source.read_bytes(), "--games", chosen, "--json")
        assert code == 0
        assert [line["number"] for line in lines_of(out) if line["type"] == "game"] == numbers


def test_a_game_may_be_typed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", "f5d6c3", *QUICK]) == 0
    assert "after the last move: " in capfd.readouterr().out
    board = "-" * 27 + "O*------*O" + "-" * 27 + " *"
    long = f"(;GM[Othello]PC[{'x' * 5000}]BO[8 {board}]B[f5];)"
    assert run(["analyse", long, *QUICK]) == 0
    assert "after the last move: " in capfd.readouterr().out
    assert run(["analyse", "no\0thing", *QUICK]) == 1
    assert "No such file" in capfd.readouterr().err
    assert run(["analyse", "banqi", *QUICK]) == 0
    assert "score: 50.0, best flip b3" in capfd.readouterr().out


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.txt"
    source.write_text("f5d6\nf5f5\ne6f4\n", encoding="utf-8")
    assert run(["analyse", str(source), *QUICK, "--json"]) == 1
    said = capfd.readouterr()
    assert f"{source}: line 2, column 3: 'f5': f5 is taken" in said.err
    lines = lines_of(said.out)
    assert [line["number"] for line in lines if line["type"] == "game"] == [1, 3]
    error = next(line for line in lines if line["type"] == "error")
    assert (error["number"], error["line"], error["column"]) == (2, 2, 3)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing.ggf"], 1, "No such file"),
        (["{0}"], 1, "irectory"),
        (["{0}/noise"], 1, "no format that Fanqi reads"),
        (["{0}/a.txt", "--game", "3"], 1, "there is no game 3: it holds 1 game"),
        (["{0}/a.txt", "--games", "5-2"], 2, "counted from 1, upwards"),
        (["{0}/a.txt", "--games", "x"], 2, "expected A-B"),
        (["{0}/a.txt", "--game", "1", "--games", "1"], 2, "give either"),
        (["{0}/a.txt", "--depth", "0"], 2, "--depth"),
        (["{0}/a.txt", "--objective", "all"], 2, "most or fewest"),
        (["{0}/a.txt", "--html", "{0}/no/where.html"], 2, "there is no folder"),
        (["{0}/a.txt", "--svg", "{0}"], 2, "Is a directory"),
    ],
)
def test_what_cannot_be_done_is_refused(
    arguments: list[str], code: int, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("f5\n", encoding="utf-8")
    (tmp_path / "noise").write_bytes(b"\x01\x02 nothing of that kind\n")
    assert run(["analyse", *(argument.format(tmp_path) for argument in arguments)]) == code
    assert message in " ".join(capfd.readouterr().err.split())


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_a_page_that_cannot_be_written_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", "f5d6", *QUICK, "--html", "/dev/full"]) == 1
    assert capfd.readouterr().err == "fanqi analyse: error: /dev/full cannot be written: No space left on device\n"


def test_page_and_graphs_are_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "games.jsonl"
    games = [format_json(parse_transcript("f5d6c3")), format_json(first_game(TCGA))]
    source.write_text("\n".join(games) + "\n", encoding="utf-8")
    page, graph = tmp_path / "page.html", tmp_path / "graph.svg"
    command = ["analyse", str(source), *QUICK, "--html", str(page), "--svg", str(graph)]
    assert run(command) == 0
    ElementTree.parse(page)
    assert not graph.exists()
    for number in (1, 2):
        ElementTree.parse(tmp_path / f"graph-{number}.svg")
    assert run([*command, "--game", "1"]) == 0
    ElementTree.parse(graph)
    assert f"{page} written" in capfd.readouterr().err


def test_threads_that_banqi_cannot_use_are_spoken_of(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", "banqi", *QUICK, "--threads", "4"]) == 0
    assert "banqi is searched with one thread" in capfd.readouterr().err


def test_plain_output_has_no_colours_and_no_bar(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", "f5d6c3", *QUICK]) == 0
    said = capfd.readouterr()
    assert "\x1b" not in said.out + said.err
    assert said.err == ""


def test_nothing_is_said_to_a_reader_who_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.BytesIO):
        def write(self, data: Any) -> int:
            raise BrokenPipeError

    with standing_in(b"f5d6\n"):
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(Gone()))
        assert run(["analyse", "-", *QUICK, "--json"]) == 1
        assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of that kind")
def test_an_interrupt_gives_what_is_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.wtb"
    shutil.copy(WTHOR, source)
    search, count, told = Searcher.search, iter(range(1 << 30)), threading.Event()

    def interrupted(self: Searcher, *arguments: Any, **more: Any) -> Any:
        if next(count) == 130:  # in the second game
            os.kill(os.getpid(), signal.SIGINT)
            told.wait()
        return search(self, *arguments, **more)

    stop = Searcher.stop

    def stopped(self: Searcher) -> None:
        stop(self)
        told.set()

    monkeypatch.setattr(Searcher, "search", interrupted)
    monkeypatch.setattr(Searcher, "stop", stopped)
    page = tmp_path / "page.html"
    assert run(["analyse", str(source), *QUICK, "--html", str(page)]) == 130
    said = capfd.readouterr()
    assert "Game 1: Othello" in said.out
    assert "Game 2: Othello" in said.out
    assert "Game 3: Othello" not in said.out
    assert "of 63 moves" in said.out
    assert "fanqi analyse: interrupted" in said.err
    ElementTree.parse(page)


SAMPLES = [
    b"(;GM[Othello]PC[x]PB[a]PW[b]TY[8a]KM[1]RE[+2]"
    b"BO[8 ---------------------------O*------*O--------------------------- *]B[f5/1.0/2]W[d6]B[pa];)\n",
    b"f5d6c3d3c4f4\n",
    b"(;FF[4]GM[2]PB[a]PW[b]B[f5];W[d6];B[c3])",
    b'[Event "x"]\n\n1. f5 d6 2. c3 d3 1-0\n',
    b'{"game":"othello","moves":["f5","d6"],"evals":[1,null]}\n{"game":"banqi","moves":["b3=r"]}\n',
    (DATA / "banqi" / "game01.record.txt").read_bytes()[:700],
    WTHOR.read_bytes()[: 16 + 2 * 68],
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file of games with some of its bytes changed, lost or doubled."""
    data = bytearray(draw(st.sampled_from(SAMPLES)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.integers(0, 2)):
            case 0 if data:
                data[at] = draw(st.integers(0, 255))
            case 1:
                del data[at : at + draw(st.integers(1, 20))]
            case _:
                data[at:at] = data[at : at + draw(st.integers(1, 20))]
    return bytes(data)


@settings(max_examples=60)
@given(data=damaged() | st.binary(max_size=200))
@example(data=b"")
@example(data=b"\n\n")
@example(data=b"{}")
@example(data=b'{"game":"banqi","start":"x"}')
@example(data=b'{"game":"othello","moves":["f5"],"tags":[["TY","8a"],["KM","1e999"]],"ratings":[1e999,null]}')
def test_no_input_is_answered_by_anything_but_lines_and_a_code(data: bytes) -> None:
    code, out = analysed(data, "--json")
    assert code in (0, 1)
    assert all(line["type"] in ("game", "move", "summary", "error") for line in lines_of(out))
