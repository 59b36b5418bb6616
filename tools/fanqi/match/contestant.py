"""Who plays: something that gets ready for a game, answers turns, and can be got rid of."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Protocol

from fanqi.match.channel import Channel
from fanqi.match.dialects import dialect_class
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.lines import MAX_LINE
from fanqi.match.process import ProcessLink
from fanqi.match.tcp import TcpLink, connect

if TYPE_CHECKING:
    from pathlib import Path

    from fanqi.match.channel import Wire
    from fanqi.match.dialects import Dialect, Timeouts
    from fanqi.match.process import Launcher
    from fanqi.match.specification import EngineSpec
    from fanqi.match.turn import Reply, Setup, Turn

__all__ = ["Contestant", "ExternalContestant"]

IDLE_SHARE = 0.08
"""Of a processor; an honest engine takes next to nothing, and a dishonest one shares the machine with others."""
MIN_IDLE_S = 0.05
"""Shorter waits are not measured: the system counts processor time in hundredths of a second."""


class Contestant(Protocol):
    """One player at one board. The referee calls one method at a time."""

    @property
    def label(self) -> str:
        """What it calls itself, empty if unknown."""

    async def prepare(self, setup: Setup) -> None:
        """Get ready for a new game, starting over if it has to.

        Raises:
            EngineError: it cannot.
            ConfigurationError: it has not got an option or a limit that was asked for; names the engine.
        """

    async def choose(self, turn: Turn) -> Reply:
        """Answer a turn.

        Raises:
            EngineError: no answer, or none that could be a move.
        """

    async def answer_draw(self) -> bool:
        """Whether it takes the draw just offered."""

    def remarks(self) -> list[str]:
        """What was odd about it since the last call, for the record."""

    async def recover(self) -> None:
        """The game ended by its fault: if it still thinks bring it to rest, or drop it so that it starts anew."""

    async def close(self) -> None:
        """End it for good."""


class IdleWatch:
    """How much processor time an engine takes while it is its opponent's turn, where the system tells."""

    def __init__(self) -> None:
        self._since: tuple[float, float] | None = None
        self._wall_s = 0.0
        self._cpu_s = 0.0

    def begins(self, link: ProcessLink | TcpLink | None) -> None:
        """The engine has answered."""
        used = link.cpu_seconds() if isinstance(link, ProcessLink) else None
        self._since = None if used is None else (time.monotonic(), used)

    def ends(self, link: ProcessLink | TcpLink | None) -> None:
        """The engine is asked again."""
        since, self._since = self._since, None
        if since is None or time.monotonic() - since[0] < MIN_IDLE_S or not isinstance(link, ProcessLink):
            return
        used = link.cpu_seconds()
        if used is not None:
            self._wall_s += time.monotonic() - since[0]
            self._cpu_s += used - since[1]

    def remark(self) -> str | None:
        """What there is to say since the last time."""
        wall_s, cpu_s = self._wall_s, self._cpu_s
        self._wall_s = self._cpu_s = 0.0
        if wall_s < 10 * MIN_IDLE_S or cpu_s < IDLE_SHARE * wall_s:
            return None
        return f"took {100 * cpu_s / wall_s:.0f} % of a processor while it was not its turn"


class ExternalContestant:
    """An engine in a process or behind a connection, started when it is needed and again after it failed.

    Args:
        spec: which engine.
        game: ``othello`` or ``banqi``.
        launcher: starts processes.
        timeouts: for everything but moves.
        stderr: file for its standard error.
        wire: sees every line, if given.
        cpus: processors its process may use.

    Attributes:
        starts: how often it was started.
    """

    def __init__(
        self,
        spec: EngineSpec,
        game: str,
        launcher: Launcher,
        timeouts: Timeouts,
        *,
        stderr: Path | None = None,
        wire: Wire | None = None,
        cpus: frozenset[int] | None = None,
    ) -> None:
        self.spec = spec
        self.starts = 0
        self._game = game
        self._launcher = launcher
        self._timeouts = timeouts
        self._stderr = stderr
        self._wire = wire
        self._cpus = cpus
        self._link: ProcessLink | TcpLink | None = None
        self._dialect: Dialect | None = None
        self._label = ""
        self._thinking = False
        self._idle = IdleWatch()
        self._strays = self._overlong = 0

    @property
    def label(self) -> str:
        if self._dialect is not None:
            self._label = self._dialect.identity.name  # some tell it late
        return self._label

    @property
    def _runs(self) -> bool:
        """Whether it was started, and is there still as far as is known."""
        return self._dialect is not None and self._dialect.channel.fault is None

    async def start(self) -> None:
        """Start it unless it runs.

        Raises:
            EngineError: it cannot be started.
            ConfigurationError: it has not got an option that was asked for.
        """
        if self._runs:
            return
        await self._drop()
        channel = Channel(self._wire)
        self._strays = self._overlong = 0
        self.starts += 1
        address = self.spec.address
        if address is not None:
            self._link = await connect(*address, channel, self._timeouts.start)
        else:
            self._link = await self._launcher.start(
                self.spec.arguments,
                channel,
                stderr=self._stderr,
                directory=self.spec.directory or None,
                cpus=self._cpus,
            )
        dialect = dialect_class(self.spec.dialect)(channel, self._game, self.spec.options, self._timeouts)
        try:
            await dialect.start()
        except EngineError as fault:
            await self._drop()
            raise EngineError(Fault.START, fault.detail) from None
        except BaseException:
            await self._drop()
            raise
        self._dialect = dialect

    async def prepare(self, setup: Setup) -> None:
        try:
            await self._prepare(setup)
        except ConfigurationError as error:
            raise ConfigurationError(f"engine {self.spec.name}: {error}") from None

    async def _prepare(self, setup: Setup) -> None:
        fresh = not self._runs
        await self.start()
        assert self._dialect is not None
        try:
            await self._dialect.new_game(setup)
        except EngineError as fault:
            await self._drop()
            if fresh or fault.fault is not Fault.CRASH:
                raise
            # It ended between two games, unnoticed until spoken to. That is no offence in this game.
            await self.start()
            await self._dialect.new_game(setup)

    async def choose(self, turn: Turn) -> Reply:
        assert self._dialect is not None
        self._idle.ends(self._link)
        self._thinking = True
        try:
            reply = await self._dialect.choose(turn)
        except EngineError as error:
            self._thinking = error.fault in (Fault.TIME, Fault.STALL)
            raise
        self._thinking = False
        self._idle.begins(self._link)
        return reply

    def remarks(self) -> list[str]:
        found = []
        if (idle := self._idle.remark()) is not None:
            found.append(f"{self.spec.name} {idle}")
        channel = None if self._dialect is None else self._dialect.channel
        if channel is None:
            return found
        strays, overlong = channel.strays - self._strays, channel.overlong - self._overlong
        self._strays, self._overlong = channel.strays, channel.overlong
        if strays:
            found.append(f"{self.spec.name} said {strays} lines that nobody waited for")
        if overlong:
            found.append(f"{self.spec.name} wrote {overlong} lines longer than {MAX_LINE} bytes, which were dropped")
        return found

    async def answer_draw(self) -> bool:
        assert self._dialect is not None
        return await self._dialect.answer_draw()

    async def recover(self) -> None:
        if self._dialect is None or not self._thinking:
            return
        self._thinking = False
        try:
            await self._dialect.stop()
        except EngineError:
            await self._drop()

    async def close(self) -> None:
        dialect, link = self._dialect, self._link
        self._dialect = self._link = None
        if link is not None:
            await self._see_off(dialect, link)
        if self._wire is not None:
            self._wire.close()

    async def _see_off(self, dialect: Dialect | None, link: ProcessLink | TcpLink) -> None:
        """Tell it to end, and see to it that it does."""
        if dialect is not None:
            with contextlib.suppress(EngineError):  # gone already
                dialect.quit()
            await link.close(self._timeouts.quit)
        else:
            link.kill()
            await link.close(0.0)

    async def _drop(self) -> None:
        """End it without ceremony."""
        link, self._link, self._dialect = self._link, None, None
        if link is not None:
            link.kill()
            await link.close(0.0)
