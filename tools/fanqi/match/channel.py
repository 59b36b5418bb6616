"""The conversation with one engine: lines out, the one line waited for in, whatever else it says in between."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from fanqi.match.errors import EngineError, Fault
from fanqi.match.lines import LineBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Channel", "Link", "Listener", "Received", "Wire"]

T = TypeVar("T")

MAX_RENEWALS = 10


class Link(Protocol):
    """What carries the bytes: a process or a connection."""

    def write(self, data: bytes) -> None:
        """Send at once, without waiting. Does nothing when the other side is gone."""


class Listener(Protocol):
    """Who hears what a link carries."""

    def attach(self, link: Link) -> None:
        """The link is there."""

    def feed(self, data: bytes) -> None:
        """Bytes came."""

    def lose(self, error: EngineError) -> None:
        """No more will come."""


class Wire(Protocol):
    """Somebody who wants to see every line (an I/O log)."""

    def sent(self, text: str) -> None: ...

    def heard(self, line: bytes) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Received(Generic[T]):
    """What was made of a line, and when it came, in `time.monotonic_ns`."""

    value: T
    at_ns: int


@dataclass(slots=True)
class Wait:
    """Somebody who waits for a line; see `Channel.receive`."""

    accept: Callable[[bytes], Any]
    future: asyncio.Future[Received[Any]]
    busy: bytes | None
    timeout_s: float
    end: float
    late: Fault
    what: str
    busy_at: float = 0.0
    timer: asyncio.TimerHandle = field(init=False)


class Channel:
    """Both directions of one engine.

    At most one coroutine waits at a time. A line is given to it the moment it comes, so its time is exact;
    lines that nobody waits for are counted and dropped, so an engine that talks between its moves cannot
    disturb anything.

    Attributes:
        fault: why no more lines will come, or None while the engine is there.
        strays: lines that came while nobody waited.
    """

    def __init__(self, wire: Wire | None = None) -> None:
        self.fault: EngineError | None = None
        self.strays = 0
        self._buffer = LineBuffer()
        self._link: Link | None = None
        self._wire = wire
        self._wait: Wait | None = None

    @property
    def overlong(self) -> int:
        """Lines that were dropped because they were too long."""
        return self._buffer.overlong

    def attach(self, link: Link) -> None:
        """Use ``link`` for what is sent from now on."""
        self._link = link

    def send(self, text: str) -> int:
        """Send one or more lines (the last line feed is added).

        Returns:
            `time.monotonic_ns` right after they were written.

        Raises:
            EngineError: the engine is gone.
        """
        if self.fault is not None:
            raise self.fault
        if self._link is None:
            raise RuntimeError("the channel has no link yet")
        if self._wire is not None:
            self._wire.sent(text)
        self._link.write(text.encode() + b"\n")
        return time.monotonic_ns()

    async def receive(
        self,
        accept: Callable[[bytes], T | None],
        timeout_s: float,
        late: Fault,
        what: str,
        busy: bytes | None = None,
    ) -> Received[T]:
        """Wait for a line that ``accept`` makes something of.

        Args:
            accept: called with each line as it comes; None means: not this one.
            timeout_s: how long to wait.
            late: the fault when it takes longer.
            what: what is waited for, for the fault's detail.
            busy: a line that begins so shows that the engine is at work: the time counts anew from there, though not
                beyond ten times ``timeout_s`` in all.

        Raises:
            EngineError: the time is up, or the engine is gone, or ``accept`` raised one.
        """
        if self.fault is not None:
            raise self.fault
        loop = asyncio.get_running_loop()
        wait = Wait(accept, loop.create_future(), busy, timeout_s, loop.time() + MAX_RENEWALS * timeout_s, late, what)
        self._wait = wait
        wait.timer = loop.call_later(timeout_s, self._expire, wait)
        try:
            return await wait.future
        finally:
            wait.timer.cancel()
            self._wait = None

    def feed(self, data: bytes) -> None:
        """Bytes came from the engine."""
        at_ns = time.monotonic_ns()
        wire = self._wire
        for line in self._buffer.feed(data):
            if wire is not None:
                wire.heard(line)
            wait = self._wait
            if wait is None or wait.future.done():
                self.strays += bool(line)
                continue
            try:
                value = wait.accept(line)
            except Exception as error:  # by a fault of the engine or of ours; whoever waits has to hear of it
                wait.future.set_exception(error)
                continue
            if value is not None:
                wait.future.set_result(Received(value, at_ns))
            elif wait.busy is not None and line.startswith(wait.busy):
                wait.busy_at = asyncio.get_running_loop().time()

    def lose(self, error: EngineError) -> None:
        """No more lines will come. The first reason given stays."""
        if self.fault is None:
            self.fault = error
            if self._wait is not None and not self._wait.future.done():
                self._wait.future.set_exception(error)

    def _expire(self, wait: Wait) -> None:
        """The time is up, unless the engine has shown meanwhile that it is at work."""
        if wait.future.done():
            return
        loop = asyncio.get_running_loop()
        renewed = min(wait.busy_at + wait.timeout_s, wait.end)
        if renewed > loop.time():
            wait.timer = loop.call_at(renewed, self._expire, wait)
        else:
            wait.future.set_exception(EngineError(wait.late, f"no {wait.what} within {wait.timeout_s:g} s"))
