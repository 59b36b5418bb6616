"""Matches that are killed, interrupted and resumed: no game is lost, doubled or changed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fanqi.cli.app import run
from fanqi.match.api import begin_match, resume_match
from fanqi.match.config import MatchConfig
from fanqi.match.errors import StoreError
from fanqi.match.limit import Limit
from fanqi.match.openings import Opening
from fanqi.match.specification import parse_engine
from fanqi.match.store import Store, discard_match, read_config, read_journal, read_public_games

INSTANT = f"{sys.executable} -S {Path(__file__).parent / 'engines' / 'instant.py'}"
HOSTILE = Path(__file__).parent / "hostile"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills by signals")


class Running:
    """``fanqi match`` in a process of its own, its output in a file."""

    def __init__(self, folder: Path, *arguments: str, engines: tuple[str, ...] = ()) -> None:
        named = [word for engine in engines for word in ("--engine", engine)]
        command = [sys.executable, "-m", "fanqi.cli", "match", "--plain", *arguments, *named]
        self._log = folder.with_name(f"{folder.name}-output.txt")
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder.parent)

    def wait(self) -> tuple[int, str]:
        """Exit code and output."""
        code = self.process.wait(timeout=300)
        return code, self._log.read_text(encoding="utf-8")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def fresh(folder: Path, *arguments: str, engines: tuple[str, ...]) -> Running:
    return Running(folder, "--out", str(folder), *arguments, engines=engines)


def wait_for_games(directory: Path, count: int, running: Running) -> None:
    journal = directory / "journal.jsonl"
    while running.process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < count):
        time.sleep(0.01)


def moves_by_number(directory: Path) -> dict[int, list[str]]:
    return {game.number: game.moves for game in read_journal(directory)}


@pytest.mark.slow
@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_a_match_killed_at_random_places_plays_the_same_games_as_one_left_alone(game: str, tmp_path: Path) -> None:
    engines = (f"a={INSTANT} --random 1", f"b={INSTANT} --random 2", "c=builtin:random")
    games = 8 if game == "othello" else 4
    settings = ("--game", game, "--games", str(games), "--nodes", "100", "--seed", "5", "--concurrency", "2")
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    assert fresh(alone, *settings, engines=engines).wait()[0] == 0

    dice = random.Random(3)
    process = fresh(killed, *settings, engines=engines)
    for share in (0.15, 0.4, 0.7):
        wait_for_games(killed, int(share * 3 * games), process)
        time.sleep(dice.random() * 0.1)
        process.kill()
        process = Running(killed, "--resume", str(killed))
    assert process.wait()[0] == 0

    assert moves_by_number(killed) == moves_by_number(alone)
    assert len(list(read_journal(killed))) == 3 * games
    assert sorted(game.number for game in read_public_games(killed)) == list(range(1, 3 * games + 1))
    text = "games.ggf" if game == "othello" else "games.tcga"
    mark = b"(;GM" if game == "othello" else b"INITIAL"
    assert (killed / text).read_bytes().count(mark) == 3 * games
    results = [json.loads((folder / "summary.json").read_bytes())["pairings"] for folder in (alone, killed)]
    assert results[0] == results[1]


def test_an_interrupt_keeps_what_was_played_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    process = fresh(folder, "--games", "1000", "--nodes", "1", engines=(f"a={INSTANT}", "b=builtin:random"))
    wait_for_games(folder, 3, process)
    process.process.send_signal(signal.SIGINT)
    code, output = process.wait()
    assert code == 130
    assert "interrupted" in output
    assert f"fanqi match --resume {folder}" in output
    assert "Ptnml" in output
    played = len(list(read_journal(folder)))
    assert 3 <= played < 1000
    assert json.loads((folder / "summary.json").read_bytes())["games"] == played


def test_an_interrupt_does_not_wait_for_a_long_search(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    engine = f"a={sys.executable} -S {HOSTILE / 'flood.py'}"
    process = fresh(folder, "--games", "2", "--movetime", "600000", engines=(engine, "b=builtin:random"))
    while not folder.exists():
        time.sleep(0.01)
    time.sleep(2.0)
    process.process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.wait()[0] == 130
    assert time.monotonic() - began < 30


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_no_engine_outlives_a_runner_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    monkeypatch.setenv("HOSTILE_PIDS", str(pids))
    engines = tuple(f"{name}={sys.executable} -S {HOSTILE / 'immortal.py'}" for name in "ab")
    process = fresh(tmp_path / "match", "--games", "1000", "--nodes", "1", engines=engines)
    wait_for_games(tmp_path / "match", 1, process)
    process.kill()
    end = time.monotonic() + 20
    while any(Path(f"/proc/{pid.name}").exists() for pid in pids.iterdir()):
        assert time.monotonic() < end, "an engine is left"
        time.sleep(0.02)
    assert len(list(pids.iterdir())) == 4  # each is started once before the match


def test_a_match_is_played_by_one_process_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    process = fresh(folder, "--games", "1000", "--nodes", "1", engines=(f"a={INSTANT}", "b=builtin:random"))
    wait_for_games(folder, 1, process)
    try:
        with pytest.raises(StoreError, match="another process"):
            Store(folder, read_config(folder), fresh=False)
    finally:
        process.kill()


def test_a_folder_without_a_match_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"match\.json"):
        resume_match(tmp_path)


def fanqi_match(*arguments: str) -> int:
    """``fanqi match`` in this process; its exit code."""
    return run(["match", "--plain", *arguments])


TWO_MOVERS = ("--engine", "a=builtin:random", "--engine", "b=builtin:random", "--nodes", "1")


def test_a_finished_match_is_finished_when_resumed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "match"
    assert fanqi_match("--out", str(folder), "--games", "2", *TWO_MOVERS) == 0
    before = (folder / "games.jsonl").read_bytes()
    assert fanqi_match("--resume", str(folder)) == 0
    assert "2 games have been played" in capfd.readouterr().out
    assert (folder / "games.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("form", "old", "new", "reason"),
    [
        ("swiss", '"pair":1,', '"pair":9,', "game 1 of pair 9: this match has none of that number"),
        ("round-robin", '"pair":1,', '"pair":0,', "game 1 of pair 0: this match has none"),
        ("round-robin", '"a"', '"zz"', "no engine of this match is called 'zz'"),
        ("swiss", "\n", "\n{}", "game 1 is there twice"),
    ],
)
def test_games_that_are_none_of_the_match_are_refused_by_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], form: str, old: str, new: str, reason: str
) -> None:
    folder = tmp_path / "match"
    assert fanqi_match("--out", str(folder), "--form", form, *TWO_MOVERS) == 0
    first = (folder / "journal.jsonl").read_text().splitlines(keepends=True)[0]
    (folder / "journal.jsonl").write_text(first.replace(old, new.format(first)))
    assert fanqi_match("--resume", str(folder)) == 1
    assert reason in capfd.readouterr().err
    if "twice" not in reason:
        (folder / "games.jsonl").write_text(first.replace(old, new))
        assert fanqi_match("report", str(folder)) == 1
        assert reason in capfd.readouterr().err


@pytest.mark.parametrize("option", [("--games", "4"), ("--rounds", "5"), ("--log-io",), ("--engine", "x=y")])
def test_options_of_another_match_are_refused_beside_resume(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], option: tuple[str, ...]
) -> None:
    assert fanqi_match("--resume", str(tmp_path), *option) == 2
    assert f"{option[0]}: --resume takes it from the folder" in capfd.readouterr().err


@contextlib.contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A full disk, as far as this process can tell."""
    resource = pytest.importorskip("resource", reason="only POSIX limits the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_ends_a_match_with_a_word_and_it_goes_on_afterwards(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, start = tmp_path / "match", ("--openings", "start")
    assert fanqi_match("--out", str(tmp_path / "warm"), "--games", "1", *start, *TWO_MOVERS) == 0
    with files_of_at_most(16_000):
        assert fanqi_match("--out", str(folder), "--games", "60", *start, *TWO_MOVERS) == 1
    said = capfd.readouterr().err
    assert "journal.jsonl: " in said
    assert f"--resume {folder}" in said
    assert fanqi_match("--resume", str(folder)) == 0
    assert len(list(read_journal(folder))) == 60


@pytest.mark.parametrize("size", [0, 40, 300])
def test_a_disk_that_is_full_at_the_start_leaves_a_folder_in_which_a_match_can_begin(size: int, tmp_path: Path) -> None:
    folder = tmp_path / "match"
    engines = tuple(parse_engine(f"{name}=builtin:random", Limit(nodes=1)) for name in "ab")
    openings = [Opening(moves=("f5", "d6")) for _ in range(20)]
    with files_of_at_most(size), pytest.raises(StoreError, match="File too large"):
        begin_match(MatchConfig(game="othello", engines=engines, games=2, seed="1"), openings, folder)
    assert not folder.exists()
    assert fanqi_match("--out", str(folder), "--games", "2", *TWO_MOVERS) == 0
    assert len(list(read_journal(folder))) == 2


def test_a_folder_that_lost_its_openings_is_told_by_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "match"
    assert fanqi_match("--out", str(folder), "--games", "1", *TWO_MOVERS) == 0
    (folder / "openings.txt").unlink()
    assert fanqi_match("--resume", str(folder)) == 1
    assert "openings.txt" in capfd.readouterr().err


def test_a_match_without_a_single_game_is_a_failure(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    engine = f"a={sys.executable} -S {HOSTILE / 'starts_once.py'} {tmp_path / 'started'}"
    engines = ("--engine", engine, "--engine", "b=builtin:random", "--nodes", "1")
    assert fanqi_match("--out", str(tmp_path / "match"), "--games", "2", *engines) == 1
    assert "no game could be played" in capfd.readouterr().err


def test_a_folder_with_a_match_is_not_overwritten_unless_told(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    for extra, expected in (((), 0), ((), 1), (("--force",), 0)):
        assert fanqi_match("--out", str(folder), "--games", "1", *TWO_MOVERS, *extra) == expected
    assert len(list(read_journal(folder))) == 1


@pytest.mark.parametrize("extra", [(), ("--force",)])
def test_a_file_is_no_folder_for_a_match(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], extra: tuple[str, ...]
) -> None:
    folder = tmp_path / "match"
    folder.touch()
    assert fanqi_match("--out", str(folder), "--games", "1", *TWO_MOVERS, *extra) == 1
    assert capfd.readouterr().err == f"fanqi match: error: {folder}: not a folder\n"


def test_a_match_that_is_being_played_is_not_replaced(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "match"
    engines = tuple(parse_engine(f"{name}=builtin:random", Limit(nodes=1)) for name in "ab")
    _, store = begin_match(MatchConfig(game="othello", engines=engines, games=2, seed="1"), [], folder)
    there = sorted(folder.iterdir())
    assert fanqi_match("--out", str(folder), "--games", "1", *TWO_MOVERS, "--force") == 1
    assert capfd.readouterr().err == f"fanqi match: error: {folder}: another process plays this match\n"
    assert sorted(folder.iterdir()) == there
    store.close()


def test_what_is_not_of_the_match_is_left_when_it_is_discarded(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    assert fanqi_match("--out", str(folder), "--games", "1", "--log-io", *TWO_MOVERS) == 0
    (folder / "notes.txt").write_text("mine")
    discard_match(folder)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["notes.txt"]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--engine", "a=/no/program", "--engine", "b=builtin:random"),
        ("--openings", "/no/file", *TWO_MOVERS),
        ("--game", "otello", *TWO_MOVERS),
    ],
)
def test_a_match_stays_as_it_was_when_the_one_that_is_to_replace_it_is_refused(
    wrong: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "match"
    assert fanqi_match("--out", str(folder), "--games", "2", *TWO_MOVERS) == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    capfd.readouterr()
    assert fanqi_match("--out", str(folder), "--force", *wrong) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_match_stays_as_it_was_when_the_disk_is_full_for_the_one_that_is_to_replace_it(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    assert fanqi_match("--out", str(folder), "--games", "2", *TWO_MOVERS) == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with files_of_at_most(300):
        assert fanqi_match("--out", str(folder), "--force", *TWO_MOVERS) == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_who_is_killed_while_a_match_is_discarded_leaves_no_games_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def unlink(path: Path, **given: bool) -> None:
        if left.pop() == 0:
            raise KilledError
        remove(path, **given)

    remove, folder = Path.unlink, tmp_path / "match"
    for steps in range(20):
        assert fanqi_match("--out", str(folder), "--games", "1", *TWO_MOVERS, "--force") == 0
        left = list(range(-30, steps + 1))  # the next one first
        with monkeypatch.context() as patched, contextlib.suppress(KilledError):
            patched.setattr(Path, "unlink", unlink)
            discard_match(folder)
            break
        if not (folder / "match.json").exists():
            assert fanqi_match("--out", str(folder), "--games", "1", *TWO_MOVERS) == 0
            assert len(list(read_journal(folder))) == 1
    assert steps > 5
    assert not list(folder.glob("*.json*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--games", "2"), "two engines or more"),
        (("--engine", "a=\udcff", "--engine", "b=builtin:random", "--nodes", "1"), ": not Unicode, so match.json"),
        (("--engine", "a=builtin:x", "--engine", "b=y", "--nodes", "1"), "builtin:random"),
        (("--engine", "a=x", "--engine", "b=y", "--tc", "soon"), "time control"),
        (("--engine", "a=x", "--engine", "b=y", "--nodes", "1", "--concurrency", "5000"), "processors"),
        (("--engine", "a=x", "--engine", "b=y", "--nodes", "1", "--sprt", "5"), "--sprt"),
        (("--engine", "a=x", "--engine", "b=y", "--nodes", "1", "--openings", "/no/file"), "/no/file"),
    ],
)
def test_wrong_use_is_told_and_has_its_own_exit_code(
    arguments: tuple[str, ...], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert fanqi_match("--out", str(tmp_path / "match"), *arguments) == 2
    assert message in capfd.readouterr().err
    assert not (tmp_path / "match").exists()


def test_a_folder_without_a_match_is_not_gone_on_with(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert fanqi_match("--resume", str(tmp_path / "nowhere")) != 0
    said = capfd.readouterr().err
    assert "Going on with" not in said
    assert str(tmp_path / "nowhere") in said
