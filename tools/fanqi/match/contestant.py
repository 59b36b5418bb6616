"""Who plays: something that gets ready for a game, answers turns, and can be got rid of."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from fanqi.match.channel import Channel
from fanqi.match.dialects import dialect_class
from fanqi.match.errors import EngineError, Fault
from fanqi.match.tcp import TcpLink, connect

if TYPE_CHECKING:
    from pathlib import Path

    from fanqi.match.channel import Wire
    from fanqi.match.dialects import Dialect, Timeouts
    from fanqi.match.process import Launcher, ProcessLink
    from fanqi.match.specification import EngineSpec
    from fanqi.match.turn import Reply, Setup, Turn

__all__ = ["Contestant", "ExternalContestant"]


class Contestant(Protocol):
    """One player at one board. The referee calls one method at a time."""

    @property
    def label(self) -> str:
        """What it calls itself, empty if unknown."""

    async def prepare(self, setup: Setup) -> None:
        """Get ready for a new game, starting over if it has to.

        Raises:
            EngineError: it cannot.
        """

    async def choose(self, turn: Turn) -> Reply:
        """Answer a turn.

        Raises:
            EngineError: no answer, or none that could be a move.
        """

    async def answer_draw(self) -> bool:
        """Whether it takes the draw just offered."""

    async def recover(self) -> None:
        """The game ended while it may still be thinking: bring it to rest, or drop it so that it starts anew."""

    async def close(self) -> None:
        """End it for good."""


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

    @property
    def label(self) -> str:
        return self._label

    async def start(self) -> None:
        """Start it unless it runs.

        Raises:
            EngineError: it cannot be started.
            ConfigurationError: it has not got an option that was asked for.
        """
        if self._dialect is not None and self._dialect.channel.fault is None:
            return
        await self._drop()
        channel = Channel(self._wire)
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
        self._label = dialect.identity.name

    async def prepare(self, setup: Setup) -> None:
        fresh = self._dialect is None or self._dialect.channel.fault is not None
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
        return await self._dialect.choose(turn)

    async def answer_draw(self) -> bool:
        assert self._dialect is not None
        return await self._dialect.answer_draw()

    async def recover(self) -> None:
        if self._dialect is None:
            return
        try:
            await self._dialect.stop()
        except EngineError:
            await self._drop()

    async def close(self) -> None:
        dialect, link = self._dialect, self._link
        self._dialect = self._link = None
        if link is None:
            return
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
