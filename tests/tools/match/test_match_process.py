"""Engine processes: the processors they may use, the files we may open, what is left of them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fanqi.match.channel import Channel
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.process import Launcher, exit_text
from fanqi.match.runner import slot_cpus

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and processor masks")

SHOW_MASK = "import os; print('mask', *sorted(os.sched_getaffinity(0)), flush=True)"


def heard_from(program: str, cpus: frozenset[int] | None = None, stderr: Path | None = None) -> str:
    """The first line that a Python program says when it is spoken to."""
    waiting = f"input()\n{program}\ninput()"

    async def main() -> str:
        launcher, channel = Launcher(), Channel()
        link = await launcher.start([sys.executable, "-S", "-c", waiting], channel, cpus=cpus, stderr=stderr)
        channel.send("speak")
        try:
            return (await channel.receive(lambda line: line.decode(), 30, Fault.START, "line")).value
        finally:
            await link.close(5.0)
            launcher.close()

    return asyncio.run(main())


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no processor masks here")
def test_an_engine_gets_its_processors_and_we_keep_ours() -> None:
    before = os.sched_getaffinity(0)
    one = frozenset({max(before)})
    assert heard_from(SHOW_MASK, one) == f"mask {max(before)}"
    assert os.sched_getaffinity(0) == before
    assert heard_from(SHOW_MASK) == f"mask {' '.join(map(str, sorted(before)))}"


def test_slots_share_out_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {2, 3, 5, 7, 11}, raising=False)
    assert [slot_cpus(slot, 2) for slot in range(2)] == [frozenset({2, 3}), frozenset({5, 7})]
    with pytest.raises(ConfigurationError, match="5 processors cannot be shared out to 6 games"):
        slot_cpus(0, 6)


def test_an_engine_is_the_leader_of_its_own_group_and_session() -> None:
    said = heard_from("import os; print(os.getpid(), os.getpgid(0), os.getsid(0), flush=True)")
    assert len(set(said.split())) == 1


def test_standard_error_goes_to_its_file(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "engine.txt"
    heard_from("import sys; print('oops', file=sys.stderr, flush=True); print('x', flush=True)", stderr=log)
    assert log.read_text().startswith("oops\n")


@pytest.mark.parametrize(
    ("code", "text"), [(0, "exited with code 0"), (-9, "killed by SIGKILL"), (-999, "exited with code -999")]
)
def test_ends_are_told_in_words(code: int, text: str) -> None:
    assert exit_text(code) == text


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Runs a coroutine on an event loop of each kind."""
    if request.param == "uvloop":
        run: Callable[..., Any] = pytest.importorskip("uvloop", reason="uvloop is not for this platform").run
        return run
    return asyncio.run


def test_an_engine_inherits_no_descriptor_but_the_standard_three(run: Callable[..., Any]) -> None:
    program = "import os; print(*(n for n in range(3, 1000) if os.path.exists(f'/dev/fd/{n}')), 'seen', flush=True)"

    async def main() -> bytes:
        launcher, channel = Launcher(), Channel()
        link = await launcher.start([sys.executable, "-S", "-c", f"{program}\ninput()"], channel)
        try:
            return (await channel.receive(lambda line: line, 30, Fault.START, "line")).value
        finally:
            await link.close(5.0)
            launcher.close()

    assert run(main()) == b"seen"


def test_an_engine_that_closes_its_output_is_lost_at_once_though_it_lives_on(run: Callable[..., Any]) -> None:
    program = "import os; os.close(1); input()"

    async def main() -> None:
        launcher, channel = Launcher(), Channel()
        link = await launcher.start([sys.executable, "-S", "-c", program], channel)
        try:
            await channel.receive(lambda line: line, 30, Fault.TIME, "line")
        finally:
            await link.close(5.0)
            launcher.close()

    with pytest.raises(EngineError, match="closed its output but runs on") as caught:
        run(main())
    assert caught.value.fault is Fault.CRASH


def test_what_cannot_be_run_says_why() -> None:
    with pytest.raises(EngineError, match="cannot run /no/such: No such file or directory"):
        asyncio.run(start_and_close("/no/such"))


async def start_and_close(program: str) -> None:
    launcher = Launcher()
    try:
        await launcher.start([program], Channel())
    finally:
        launcher.close()


def test_a_match_with_processors_of_its_own_is_played(play_match: Callable[..., Any], instant: str) -> None:
    played = play_match(f"a={instant}", "b=builtin:random", games=1, affinity=True)
    assert played.games[0].termination == "discs"
