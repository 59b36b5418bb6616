"""Every engine is started once before a match: one that cannot play is named, and no folder is left."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from fanqi.cli.app import run
from fanqi.match.api import check_players
from fanqi.match.config import MatchConfig
from fanqi.match.dialects import Timeouts
from fanqi.match.limit import Limit
from fanqi.match.specification import parse_engine

HERE = Path(__file__).parent
INSTANT = f"{sys.executable} -S {HERE / 'engines' / 'instant.py'}"
GTP = f"gtp:{sys.executable} -S {HERE / 'engines' / 'gtp.py'}"
SILENT = f"{sys.executable} -S {HERE / 'hostile' / 'never_uci.py'}"
SLOW = f"""{sys.executable} -S -c "
import sys, time
for line in sys.stdin:
    if line == 'uci\\n':
        print('uciok', flush=True)
    if line == 'isready\\n':
        for _ in range(8):
            print('info string compiling', flush=True)
            time.sleep(0.1)
        print('readyok', flush=True)
" """
COMPLAINS = f"""{sys.executable} -c "raise SystemExit('no weights file')" """


def match(folder: Path, *engines: str, options: tuple[str, ...] = ()) -> int:
    named = [word for engine in engines for word in ("--engine", engine)]
    return run(["match", "--plain", "--games", "2", "--start-timeout", "1", "--out", str(folder), *options, *named])


@pytest.mark.parametrize(
    ("engine", "options", "reason"),
    [
        ("/no/engine", (), "engine a: cannot run /no/engine: No such file or directory"),
        (COMPLAINS, (), "engine a: exited with code 1; it wrote: no weights file"),
        (SILENT, (), "engine a: no uciok within 1 s"),
        (f"{INSTANT} option.Hsh=1", (), "engine a: there is no option 'Hsh', only Rules, UCI_Variant"),
        ("builtin:greedy option.Hash=1", (), "engine a: builtin:greedy has no options"),
        ("builtin:fanqi option.Skill=1", (), "engine a: builtin:fanqi has no option 'Skill'"),
        (f"{GTP} option.set_level=5", ("--depth", "3"), "engine a: GTP has no word for a limit in depth or nodes"),
        ("tcp://127.0.0.1:1", (), "engine a: cannot connect to 127.0.0.1:1"),
    ],
)
def test_an_engine_that_cannot_play_is_one_line_and_leaves_no_folder(
    engine: str, options: tuple[str, ...], reason: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "match"
    assert match(folder, f"a={engine}", "b=builtin:random", options=options) == 2
    said = capfd.readouterr()
    assert said.err.startswith(f"fanqi match: error: {reason}")
    assert (said.err.count("\n"), said.out) == (1, "")
    assert not folder.exists()


def test_all_engines_that_cannot_play_are_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert match(tmp_path / "match", "a=/no/engine", "b=/nor/this") == 2
    assert "engine a: cannot run /no/engine" in (said := capfd.readouterr().err)
    assert "; engine b: cannot run /nor/this" in said


def test_an_engine_that_takes_long_is_waited_for_and_named() -> None:
    waited: list[list[str]] = []
    limit, timeouts = Limit(nodes=1), Timeouts(start=30.0, ready=0.5, quit=0.1)
    engines = (parse_engine(f"slow={SLOW}", limit), parse_engine("b=builtin:random", limit))
    config = MatchConfig(game="othello", engines=engines, games=2, seed="1", timeouts=timeouts)
    check_players(config, on_wait=lambda names: waited.append(list(names)), quiet_s=0.3)
    assert waited == [["slow"]]


def test_a_match_goes_on_only_with_engines_that_start(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "match"
    assert match(folder, f"a={INSTANT}", "b=builtin:random") == 0
    text = (folder / "match.json").read_text()
    (folder / "match.json").write_text(text.replace(sys.executable, "/no/python"))
    assert run(["match", "--plain", "--resume", str(folder)]) == 0  # nothing is left to play
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    capfd.readouterr()
    assert run(["match", "--plain", "--resume", str(folder)]) == 2
    assert capfd.readouterr().err == (
        "fanqi match: error: engine a: cannot run /no/python: No such file or directory\n"
    )


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (
            ("--game", "otello", "--engine", "a=x", "--tc", "soon"),
            "--game: 'otello' is not a game; did you mean othello",
        ),
        (("--engine", "a=x", "--tc", "soon"), "a match takes two engines or more, not 1"),
        (("--games", "0", "--engine", "a=x", "--engine", "b=builtin:x", "--tc", "soon"), "0 games: expected"),
        (("--engine", "a=x tc=soon", "--engine", "b=builtin:x"), "engine b: there is no builtin:x"),
    ],
)
def test_what_matters_most_is_refused_first(
    arguments: tuple[str, ...], first: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", *arguments]) == 2
    assert capfd.readouterr().err.startswith(f"fanqi match: error: {first}")


def test_a_match_of_our_own_command_needs_neither_a_path_nor_a_limit(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    folder = tmp_path / "match"
    engine = "a=fanqi engine option.SkillLevel=0 option.HASH=1"
    assert (
        run(
            [
                "match",
                "--plain",
                "--games",
                "1",
                "--out",
                str(folder),
                "--engine",
                engine,
                "--engine",
                "b=builtin:random",
            ]
        )
        == 0
    )
    said = capfd.readouterr().err
    assert "no limit for a, so --tc 10+0.1 it is" in said
    assert "--games 1 is odd" in said
    (game,) = (json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines())
    assert game["limits"] == ["tc=10+0.1", "tc=10+0.1"]
    assert game["termination"] == "discs"
