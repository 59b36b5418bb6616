"""Every engine started once before a match begins: what cannot play is said then, and not by games that it loses."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fanqi.game import Player
from fanqi.match.builtin import make_builtin
from fanqi.match.clock import GameClock
from fanqi.match.contestant import ExternalContestant
from fanqi.match.dialects.base import readable
from fanqi.match.errors import ConfigurationError, EngineError
from fanqi.match.process import Launcher
from fanqi.match.turn import Setup

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.match.config import MatchConfig
    from fanqi.match.contestant import Contestant
    from fanqi.match.specification import EngineSpec

__all__ = ["QUIET_S", "check_starts", "start_once"]

QUIET_S = 3.0
"""After so long it is said which engines are waited for."""
LAST_BYTES = 4096


async def check_starts(
    config: MatchConfig, on_wait: Callable[[list[str]], None] = lambda names: None, quiet_s: float = QUIET_S
) -> None:
    """Start each engine, set its options, have it get ready for a game, and end it.

    As many are started at once as play at once, and each has as long as before a game: an engine may compile or load
    something large.

    Args:
        config: of the match, checked.
        on_wait: called once, with the names of the engines that are waited for, when this takes longer than
            ``quiet_s``.

    Raises:
        ConfigurationError: engines cannot be started, do not get ready, or have not got an option or a limit that was
            asked for; names each with the reason.
    """
    launcher = Launcher()
    room = asyncio.Semaphore(max(2, config.concurrency))
    waiting = [engine.name for engine in config.engines]

    async def check(spec: EngineSpec, stderr: Path) -> str | None:
        async with room:
            try:
                await start_once(spec, config, launcher, stderr)
            except EngineError as fault:
                return f"engine {spec.name}: {fault.detail}{last_words(stderr)}"
            except ConfigurationError as error:
                return str(error)
            finally:
                waiting.remove(spec.name)
        return None

    timer = asyncio.get_running_loop().call_later(quiet_s, on_wait, waiting)
    try:
        with tempfile.TemporaryDirectory() as folder:
            checks = (check(spec, Path(folder) / str(place)) for place, spec in enumerate(config.engines))
            problems = [problem for problem in await asyncio.gather(*checks) if problem is not None]
    finally:
        timer.cancel()
        launcher.close()
    if problems:
        raise ConfigurationError("; ".join(problems))


async def start_once(spec: EngineSpec, config: MatchConfig, launcher: Launcher, stderr: Path | None = None) -> None:
    """Have one engine get ready for a game, and end it.

    Args:
        stderr: file for its standard error.

    Raises:
        EngineError: it cannot be started, or does not get ready.
        ConfigurationError: it has not got an option or a limit that was asked for.
    """
    contestant: Contestant
    if spec.builtin is not None:
        contestant = make_builtin(spec, config.game)
    else:
        contestant = ExternalContestant(spec, config.game, launcher, config.timeouts, stderr=stderr)
    clock = GameClock(spec.limit, round(config.stall_s * 1000))
    try:
        await contestant.prepare(Setup(config.game, config.rules, "startpos", Player.P1, clock))
    finally:
        await contestant.close()


def last_words(stderr: Path) -> str:
    """The last line of a file of standard error, as the end of a sentence; empty without one."""
    try:
        with stderr.open("rb") as file:
            file.seek(max(0, stderr.stat().st_size - LAST_BYTES))
            lines = file.read().split(b"\n")
    except OSError:
        return ""
    said = [line for line in lines if line.strip()]
    return f"; it wrote: {readable(said[-1].strip())}" if said else ""
