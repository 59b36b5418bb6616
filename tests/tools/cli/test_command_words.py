"""What the command line understands, and how it says that it does not: one line, one form, whatever was wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fanqi.cli.app import SUBCOMMANDS, run
from fanqi.cli.main import main

EDGE = "-------------------X-------XX------XO---------------------------"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("matsh", "fanqi: error: there is no command matsh, did you mean match; see fanqi --help"),
        ("nonsense", "fanqi: error: there is no command nonsense; see fanqi --help"),
        ("book shw", "fanqi book: error: there is no command shw, did you mean show; see fanqi book --help"),
        ("train nonsense", "fanqi train: error: there is no command nonsense; see fanqi train --help"),
        ("show --foo", "fanqi show: error: there is no option --foo; see fanqi show --help"),
        ("analyze --foo", "fanqi analyse: error: there is no option --foo; see fanqi analyse --help"),
        ("show --nmbers f5", "did you mean --numbers; see fanqi show --help"),
        ("show", "fanqi show: error: POSITION|FILE is missing; see fanqi show --help"),
        ("compliance", "fanqi compliance: error: command is missing; see fanqi compliance --help"),
        ("serve --port x", "fanqi serve: error: --port: expected a whole number"),
        ("warmup x", "fanqi warmup: error: x: more than is expected; see fanqi warmup --help"),
        ("perft otello 3", "fanqi perft: error: game: 'otello' is not a game; did you mean othello"),
        ("warmup --game chess", "fanqi warmup: error: --game: 'chess' is not a game; there are othello, banqi"),
        ("levels show othelo", "fanqi levels show: error: game: 'othelo' is not a game; did you mean othello"),
        ("match --game otello", "fanqi match: error: --game: 'otello' is not a game; did you mean othello"),
        ("show f5 --svg x.png", "fanqi show: error: --svg: 'x.png': it would hold SVG; give it a name in .svg"),
        ("analyse f5 --svg x.html", "fanqi analyse: error: --svg: 'x.html': it would hold SVG; give it a name in .svg"),
        (
            "analyse f5 --html x.svg",
            "fanqi analyse: error: --html: 'x.svg': it would hold HTML; give it a name in .html",
        ),
        ("engine --foo", "fanqi engine: error: unrecognized arguments: --foo; see fanqi engine --help"),
        ("engine --log-level x", "see fanqi engine --help"),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_would_be_right(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.startswith(f"fanqi{'' if words in ('matsh', 'nonsense') else ' '}")
    assert told.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["none.ggf", "none", "none.xyz", "my none.ggf"])
@pytest.mark.parametrize("command", ["show", "analyse"])
def test_a_missing_file_is_just_that(command, name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run([command, name])
    assert capsys.readouterr().err == f"fanqi {command}: error: {name}: No such file or directory\n"


@pytest.mark.parametrize("command", ["show", "analyse"])
@pytest.mark.parametrize(("game", "column", "move"), [("f5d6z9", 5, "z9"), ("z9f5", 1, "z9f5"), ("f5 d6 x", 7, "x")])
def test_a_wrong_move_is_named_with_its_column(command, game, column, move, capsys):
    assert run([command, game]) == 1
    assert f"line 1, column {column}: '{move}': not a move" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["show", f"{EDGE} O"], ["show", EDGE, "O"], ["show", "--letters", EDGE, "O"]])
def test_a_board_that_begins_with_an_empty_square_is_no_option(words, capsys):
    assert run(words) == 0
    assert "White to move" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["show", "analyse", "convert"])
def test_a_file_name_does_nothing_to_the_terminal(command, capsys, tmp_path):
    odd = tmp_path / "\x1b[31m\x9bred.ggf"
    odd.write_text("x\n")
    assert run([command, str(odd), *([str(tmp_path / "out.sgf")] if command == "convert" else [])]) != 0
    told = capsys.readouterr().err
    assert r"\x1b[31m\x9bred.ggf" in told
    assert "\x1b" not in told
    assert "\x9b" not in told


def test_the_end_of_a_file_that_comes_too_early_is_an_error_and_no_abort(capsys, monkeypatch):
    def end(name):
        raise EOFError("no more")

    monkeypatch.setattr("fanqi.cli.perft.load_game", end)
    assert run(["perft", "othello", "1"]) == 1
    assert capsys.readouterr().err == "fanqi: error: the input, or a file, ended too early: no more\n"


@pytest.mark.parametrize("words", [["perft", "reversi", "2"], ["perft", "Othello", "2"]])
def test_games_have_other_names(words, capsys):
    assert run(words) == 0
    assert capsys.readouterr().out == "nodes 12\n"


@pytest.mark.parametrize(("words", "usage"), [("analyze", "analyse"), ("reversi", "play")])
def test_commands_have_other_names(words, usage, capsys):
    assert run([words, "--help"]) == 0
    assert f"Usage: fanqi {usage} " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", "show", "book show", "engine"])
def test_help_is_a_command_too(name, capsys):
    codes, pages = [], []
    for words in (["help", *name.split()], [*name.split(), "--help"]):
        codes.append(main(words))
        pages.append(capsys.readouterr().out)
    assert codes == [0, 0]
    assert pages[0] == pages[1] != ""


def test_python_m_fanqi_is_the_command_anywhere(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "fanqi", "--help"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0
    assert all(re.search(rf"^  {name} ", done.stdout, re.MULTILINE) for name in SUBCOMMANDS)


def test_no_command_makes_its_own_errors():
    tools = Path(__file__).parents[3] / "tools"
    lone = re.compile(r"""echo\(f?["']fanqi [^"']*error""")
    assert [str(path) for path in tools.rglob("*.py") if lone.search(path.read_text(encoding="utf-8"))] == []
