"""Engines that do everything wrong: what each game is recorded as, and that nobody else suffers."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.match.dialects import Timeouts
from fanqi.match.limit import Limit
from fanqi.match.runner import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOSTILE = Path(__file__).parent / "hostile"
NORMAL = "discs"
PATIENT = Timeouts(start=30.0, ready=30.0, stop=3.0, quit=0.3)
IMPATIENT = Timeouts(start=30.0, ready=30.0, stop=0.2, quit=0.1)
LONG = Limit(movetime_ms=10_000)
SHORT = Limit(movetime_ms=200, timemargin_ms=200)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the scripts use signals and forks")


@dataclass(frozen=True)
class Case:
    """One script, and how its two games end.

    Attributes:
        script: in the folder beside this file, without ``.py``.
        ends: terminations of the first game (it is p1) and of the second.
        detail: part of what is said about the first game.
        starts: how often its process is started.
        timeouts: where patience would make the test long.
        limit: likewise.
    """

    script: str
    ends: tuple[str, str]
    detail: str = ""
    starts: int = 1
    timeouts: Timeouts = PATIENT
    limit: Limit = LONG


CASES = [
    Case("never_uci", ("start_failure",) * 2, "no uciok within", 2, Timeouts(start=1.0, quit=0.3)),
    Case("never_ready", ("start_failure",) * 2, "no readyok within", 2, Timeouts(ready=0.1, quit=0.3)),
    Case("no_newline", ("start_failure",) * 2, "no uciok within", 2, Timeouts(start=1.0, quit=0.3)),
    Case("crlf", (NORMAL, NORMAL)),
    Case("flood", ("time", "time"), "no bestmove within", 2, IMPATIENT, SHORT),
    Case("late", ("time", NORMAL), "ms, 400 were allowed", limit=SHORT),
    Case("very_late", ("time", NORMAL), "no bestmove within 0.5 s", limit=SHORT),
    Case("twice", (NORMAL, NORMAL)),
    Case("illegal", ("illegal_move", NORMAL), "'a1'"),
    Case("wrong_game", ("illegal_move",) * 2, "'b8a8'"),
    Case("wrong_case", (NORMAL, NORMAL)),
    Case("no_argument", ("illegal_move",) * 2, "bestmove without a move"),
    Case("exit_after_move", ("crash", "crash"), "exited with code 0", 2),
    Case("exit_in_search", ("crash", "crash"), "killed by SIGSEGV", 2),
    Case("exit_at_start", ("start_failure",) * 2, "exited with code 3", 2),
    Case("exit_between_games", (NORMAL, NORMAL), starts=2),
    Case("immortal", (NORMAL, NORMAL)),
    Case("stderr_flood", (NORMAL, NORMAL)),
    Case("long_lines", (NORMAL, NORMAL)),
    Case("garbage", (NORMAL, NORMAL)),
    Case("closes_stdout", ("crash", "crash"), "closed its output but runs on", 2),
    Case("forks", ("crash", "crash"), "exited with code 1", 2),
    Case("busy", (NORMAL, NORMAL)),
]


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which hostile engines leave their process ids."""
    folder = tmp_path / "pids"
    folder.mkdir()
    monkeypatch.setenv("HOSTILE_PIDS", str(folder))
    return folder


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state != b"Z"


def all_gone(pids: Path) -> bool:
    """Whether no process of those noted is left; a killed one may take a moment to be gone."""
    end = time.monotonic() + 10
    while any(alive(int(pid.name)) for pid in pids.iterdir()):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def command(script: str) -> str:
    return f"{sys.executable} -S {HOSTILE / script}.py"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.script)
def test_a_hostile_engine_loses_what_it_deserves_and_nobody_else_does(
    case: Case, play_match: Callable[..., Any], pids: Path
) -> None:
    played = play_match(f"bad={command(case.script)}", "good=builtin:random", timeouts=case.timeouts, limit=case.limit)
    assert played.status is Status.FINISHED
    assert tuple(game.termination for game in played.games) == case.ends
    for game in played.games:
        if game.termination != NORMAL:
            assert game.score_of("good") == 1.0
            assert "bad: " in game.detail
    assert case.detail in played.games[0].detail
    assert played.runner.standings.engines["bad"].starts == case.starts
    assert not played.runner.standings.engines["good"].faults
    assert all_gone(pids)


def test_an_unexpected_second_answer_is_noted(play_match: Callable[..., Any]) -> None:
    played = play_match(f"bad={command('twice')}", "good=builtin:random", games=1)
    assert any("lines that nobody waited for" in note for note in played.games[0].notes)


def test_lines_that_are_too_long_are_noted(play_match: Callable[..., Any]) -> None:
    played = play_match(f"bad={command('long_lines')}", "good=builtin:random", games=1)
    assert "bad wrote 3 lines longer than 65536 bytes, which were dropped" in played.games[0].notes


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell processor times")
def test_an_engine_that_burns_processor_time_out_of_turn_is_noted(play_match: Callable[..., Any]) -> None:
    played = play_match(f"bad={command('busy')}", f"good={command('slow_honest')}", games=1)
    assert played.games[0].termination == NORMAL
    assert any("while it was not its turn" in note for note in played.games[0].notes)


def test_standard_error_is_kept_up_to_a_bound(play_match: Callable[..., Any]) -> None:
    played = play_match(f"bad={command('stderr_flood')}", f"good={command('slow_honest')}", games=1)
    log = played.directory / "logs" / "bad-1.stderr.txt"
    assert 10_000 < log.stat().st_size < (16 << 20) + 300_000


@pytest.mark.parametrize(
    ("engine", "detail"),
    [
        ("/no/such/engine", "cannot run /no/such/engine: No such file or directory"),
        (str(HOSTILE), "Permission denied"),
        (str(HOSTILE / "common.py"), "Permission denied"),
    ],
)
def test_a_program_that_cannot_be_run_loses_with_the_reason(
    engine: str, detail: str, play_match: Callable[..., Any]
) -> None:
    played = play_match(f"bad={engine}", "good=builtin:random")
    assert [game.termination for game in played.games] == ["start_failure"] * 2
    assert detail in played.games[0].detail
    assert [game.score_of("good") for game in played.games] == [1.0, 1.0]


def test_a_match_ends_when_an_engine_cannot_be_started_again_and_again(play_match: Callable[..., Any]) -> None:
    played = play_match("bad=/no/such/engine", "good=builtin:random", games=50)
    assert played.status is Status.GIVEN_UP
    assert len(played.games) == 5


def test_a_game_that_neither_engine_can_start_counts_for_nothing(play_match: Callable[..., Any]) -> None:
    played = play_match("a=/no/such/engine", "b=/nor/this", games=2)
    assert [game.result for game in played.games] == [None, None]
    assert played.runner.standings.void == 2
    assert played.runner.standings.points("a") == (0.0, 0)


def test_other_games_go_on_while_an_engine_floods(play_match: Callable[..., Any], instant: str) -> None:
    played = play_match(
        f"bad={command('flood')}",
        f"good={instant}",
        "calm=builtin:random",
        games=2,
        concurrency=2,
        limit=Limit(movetime_ms=1000, timemargin_ms=500),
        timeouts=IMPATIENT,
    )
    for game in played.games:
        expected = "time" if "bad" in game.players else NORMAL
        assert game.termination == expected
    assert not played.runner.standings.engines["good"].faults


class TcpEngine:
    """An engine on a socket that does one thing wrong; one thread a connection."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections = 0
        self.open: list[socket.socket] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.open.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        moves = 0
        for line in connection.makefile("r"):
            if line.startswith("uci\n"):
                connection.sendall(b"id name Remote\nuciok\n")
            elif line.startswith("isready"):
                connection.sendall(b"readyok\n")
            elif line.startswith("go"):
                moves += 1
                if self.fault == "cut":
                    connection.shutdown(socket.SHUT_RDWR)
                    connection.close()
                    return
                if self.fault == "mute":
                    time.sleep(30)

    def close(self) -> None:
        self.listener.close()
        for connection in self.open:
            connection.close()


@pytest.fixture
def tcp_engine() -> Iterator[Callable[[str], TcpEngine]]:
    engines: list[TcpEngine] = []

    def make(fault: str) -> TcpEngine:
        engines.append(TcpEngine(fault))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()


def test_a_connection_cut_in_mid_game_is_a_crash_and_is_made_anew(
    tcp_engine: Callable[[str], TcpEngine], play_match: Callable[..., Any]
) -> None:
    engine = tcp_engine("cut")
    played = play_match(f"bad={engine.address}", "good=builtin:random")
    assert [game.termination for game in played.games] == ["crash", "crash"]
    assert "the connection was closed" in played.games[0].detail
    assert engine.connections == 2


def test_a_connection_that_says_nothing_any_more_loses_on_time(
    tcp_engine: Callable[[str], TcpEngine], play_match: Callable[..., Any]
) -> None:
    engine = tcp_engine("mute")
    played = play_match(
        f"bad={engine.address}", "good=builtin:random", limit=SHORT, timeouts=Timeouts(stop=0.2, quit=0.1)
    )
    assert [game.termination for game in played.games] == ["time", "time"]
    assert engine.connections == 2


def test_a_refused_connection_is_a_failure_to_start(play_match: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
    played = play_match(f"bad={address}", "good=builtin:random")
    assert [game.termination for game in played.games] == ["start_failure"] * 2
    assert "cannot connect" in played.games[0].detail
