"""Keepers: nothing that an engine started is left, however the engine, the runner or the keeper ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.match.channel import Channel
from fanqi.match.errors import EngineError, Fault
from fanqi.match.process import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no subreapers")

HOSTILE = Path(__file__).parent / "hostile"
DAEMON = f"{sys.executable} -S {HOSTILE / 'daemon.py'}"
RUNNER = """
import asyncio, sys
from fanqi.match.channel import Channel
from fanqi.match.process import Launcher
async def main():
    await Launcher().start(sys.argv[1:], Channel())
    await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which engines and what they start leave their process ids."""
    folder = tmp_path / "pids"
    folder.mkdir()
    monkeypatch.setenv("HOSTILE_PIDS", str(folder))
    return folder


def wait_until(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def noted(pids: Path) -> list[int]:
    return [int(path.name) for path in pids.iterdir()]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])


def assert_gone(pids: Path, count: int) -> None:
    """``count`` processes were noted, and none of them is left."""
    assert len(noted(pids)) == count
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in noted(pids)), "a process is left")


@pytest.mark.parametrize(
    ("engine", "ends", "starts"), [(DAEMON, ["discs", "discs"], 1), (f"{DAEMON} --crash", ["crash", "crash"], 2)]
)
def test_a_daemon_of_an_engine_is_gone_after_its_games(
    engine: str, ends: list[str], starts: int, play_match: Callable[..., Any], pids: Path
) -> None:
    played = play_match(f"bad={engine}", "good=builtin:random")
    assert [game.termination for game in played.games] == ends
    assert_gone(pids, 2 * starts)


def test_an_engine_and_its_daemon_are_gone_when_the_runner_is_killed(pids: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", RUNNER, *DAEMON.split()]) as runner:
        wait_until(lambda: len(noted(pids)) == 2, "the engine does not start")
        runner.kill()
    assert_gone(pids, 2)


def with_engine(number: signal.Signals, victim: Callable[[Path], int], pids: Path) -> EngineError:
    """The error of an engine whose ``victim`` gets a signal."""

    async def main() -> None:
        launcher, channel = Launcher(), Channel()
        link = await launcher.start(DAEMON.split(), channel)
        channel.send("uci")
        await channel.receive(lambda line: line == b"uciok" or None, 30, Fault.START, "uciok")
        os.kill(victim(pids), number)
        try:
            await channel.receive(lambda line: line, 30, Fault.TIME, "line")
        finally:
            await link.close(5.0)
            launcher.close()

    with pytest.raises(EngineError) as caught:
        asyncio.run(main())
    return caught.value


def engine_among(pids: Path) -> int:
    """The daemon's parent is the keeper as well, but the daemon leads no session."""
    return next(pid for pid in noted(pids) if os.getsid(pid) == pid)


def keeper_among(pids: Path) -> int:
    return parent_of(engine_among(pids))


def test_an_engine_that_was_killed_is_said_to_be(pids: Path) -> None:
    error = with_engine(signal.SIGSEGV, engine_among, pids)
    assert (error.fault, error.detail) == (Fault.CRASH, "killed by SIGSEGV")
    assert_gone(pids, 2)


def test_a_keeper_that_is_asked_to_end_ends_all_first(pids: Path) -> None:
    assert with_engine(signal.SIGTERM, keeper_among, pids).fault is Fault.CRASH
    assert_gone(pids, 2)


def test_an_engine_is_gone_when_its_keeper_is_killed(pids: Path) -> None:
    daemons = []

    def keeper(pids: Path) -> int:
        engine = engine_among(pids)
        daemons.extend(pid for pid in noted(pids) if pid != engine)
        (pids / str(daemons[0])).unlink()
        return parent_of(engine)

    try:
        assert with_engine(signal.SIGKILL, keeper, pids).fault is Fault.CRASH
        assert_gone(pids, 1)
    finally:
        for pid in daemons:  # nobody is left who knows of it
            os.kill(pid, signal.SIGKILL)


def test_what_still_runs_is_gone_when_the_launcher_is_closed(pids: Path) -> None:
    async def main() -> None:
        launcher, channel = Launcher(), Channel()
        link = await launcher.start(DAEMON.split(), channel)
        channel.send("uci")
        await channel.receive(lambda line: line == b"uciok" or None, 30, Fault.START, "uciok")
        launcher.close()
        assert_gone(pids, 2)
        await link.close(0.0)

    asyncio.run(main())
