"""A connection: lines out, blocks in, and the certainty that the other side is still there.

Every command is answered at least by READY. So a command without any answer for a while means a connection that is
dead without having been closed; in longer silence an empty line is sent to find out.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import ssl
from typing import TYPE_CHECKING

from fanqi.files import reason_of
from fanqi.ggs.errors import ConnectionLostError
from fanqi.ggs_wire import Block, BlockReader, CentralError, CentralText, LineReader, recognise
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fanqi.ggs.config import ServerConfig

__all__ = ["Backoff", "Link", "connect"]

CHUNK = 64 * 1024
MOST_UNSENT = 256 * 1024
LONGEST_LINE = 1000
LONGEST_REASON = 200


class Link:
    """See the module."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, keep_alive_s: float, patience_s: float
    ) -> None:
        self._reader, self._writer = reader, writer
        self._keep_alive_s, self._patience_s = keep_alive_s, patience_s
        self._lines, self._blocks = LineReader(), BlockReader()
        self._loop = asyncio.get_running_loop()
        self._alarm: asyncio.Timeout | None = None  # of the wait for the server's next word
        # since when the server owes a word: from the start, for it speaks first; then for the oldest line unanswered
        self._owed_since: float | None = self._loop.time()

    def send(self, line: str) -> None:
        """Send a line, in one write."""
        if len(line) > LONGEST_LINE or "\n" in line or "\r" in line:
            raise ValueError(f"not one line: {line[:60]!r}")
        if self._writer.is_closing():
            return
        if self._writer.transport.get_write_buffer_size() > MOST_UNSENT:
            self._writer.transport.abort()
            return
        self._writer.write(line.encode("latin-1", "replace") + b"\n")
        if self._owed_since is None:
            self._owed_since = self._loop.time()
            if self._alarm is not None and not self._alarm.expired():
                self._alarm.reschedule(self._alarm_at())

    async def blocks(self) -> AsyncIterator[Block]:
        """What the server says.

        Raises:
            ConnectionLostError: the connection is closed, or silent for too long; with what the server said last, if
                it was about that.
        """
        while True:
            data = await self._read()
            if data is None:
                if self._owed_since is None:
                    self.send("")
                elif self._loop.time() >= self._alarm_at():
                    raise ConnectionLostError(f"no answer for {self._patience_s:g} s")
                continue
            if not data:
                raise self._lost("closed by the server")
            self._owed_since = None
            for block in self._blocks.feed(self._lines.feed(data)):
                yield block

    async def _read(self) -> bytes | None:
        """What has come; empty at the end, None when nothing has come in time. `send` may shorten that time.

        Raises:
            ConnectionLostError: the connection is broken.
        """
        alarm = self._alarm = asyncio.timeout_at(self._alarm_at())
        try:
            async with alarm:
                return await self._reader.read(CHUNK)
        except OSError as error:  # TimeoutError is one, and the system raises it too
            if alarm.expired():
                return None
            raise self._lost(reason_of(error)) from error
        finally:
            self._alarm = None

    def _lost(self, how: str) -> ConnectionLostError:
        """The connection is over; who turns us away says so in a block that does not end."""
        said = last_words(self._blocks.end())
        return ConnectionLostError(f"{how}: {said}" if said else how)

    def _alarm_at(self) -> float:
        """When the silence has lasted too long, on the clock of the loop."""
        if self._owed_since is None:
            return self._loop.time() + self._keep_alive_s
        return self._owed_since + self._patience_s

    async def close(self) -> None:
        """Let the connection go."""
        self._writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._writer.wait_closed()


def last_words(block: Block) -> str:
    """What the central server says in an unfinished block, for people; empty where a service was cut short in it."""
    words: list[str] = []
    for message in recognise(block):
        match message:
            case CentralError():
                words.append(message.text)
            case CentralText():
                words.extend(message.text)
    return shown(" ".join(words), LONGEST_REASON)


async def connect(server: ServerConfig) -> Link:
    """Connect, with TLS if that is wanted.

    Raises:
        ConnectionLostError: nobody is there.
    """
    context: ssl.SSLContext | None = None
    if server.tls:
        context = ssl.create_default_context()
        if not server.tls_verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        async with asyncio.timeout(max(server.patience_s, 1.0)):
            reader, writer = await asyncio.open_connection(server.host, server.port, ssl=context, limit=CHUNK)
    except TimeoutError:
        raise ConnectionLostError(f"no connection in {server.patience_s:g} s") from None
    except OSError as error:
        raise ConnectionLostError(reason_of(error)) from error
    return Link(reader, writer, server.keep_alive_s, server.patience_s)


class Backoff:
    """How long to wait before the next attempt: doubled each time, drawn at random so that clients do not return in
    step, short again after a connection that held.

    Args:
        first_s: bound of the first wait.
        longest_s: no wait is longer.
        source: of the random numbers.
    """

    def __init__(self, first_s: float, longest_s: float, source: random.Random | None = None) -> None:
        self._first_s, self._longest_s = first_s, longest_s
        self._source = source or random.Random()
        self._failures = 0

    def next_s(self) -> float:
        """The next wait: between a half and the whole of its bound."""
        bound = min(self._first_s * 2.0 ** min(self._failures, 30), self._longest_s)
        self._failures += 1
        return bound * self._source.uniform(0.5, 1.0)

    def succeeded(self) -> None:
        """A connection has held."""
        self._failures = 0
