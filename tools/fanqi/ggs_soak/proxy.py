"""A hostile network: a TCP proxy that splits, delays and cuts."""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import dataclass, field
from typing import Self

__all__ = ["ChaosProxy", "Weather"]


@dataclass(frozen=True, slots=True)
class Weather:
    """How bad it is.

    Attributes:
        longest_delay_s: each piece waits up to this.
        longest_piece: bytes forwarded at a time.
        splits: the part of chunks that are cut into such pieces.
    """

    longest_delay_s: float = 0.02
    longest_piece: int = 40
    splits: float = 0.3


@dataclass(eq=False, slots=True)
class Pipe:
    """One connection through the proxy."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    passed: int = 0
    stalled: bool = False
    tasks: list[asyncio.Task[None]] = field(default_factory=list)


class ChaosProxy:
    """Listens on a port of its own and forwards to ``port``: ``async with ChaosProxy(port, weather, seed) as proxy``.

    Attributes:
        cuts: made so far, by kind.
    """

    def __init__(self, port: int, weather: Weather, seed: int = 0) -> None:
        self._target, self._weather = port, weather
        self._dice = random.Random(seed)
        self._pipes: set[Pipe] = set()
        self._listener: asyncio.Server | None = None
        self.cuts: dict[str, int] = {}

    @property
    def port(self) -> int:
        assert self._listener is not None
        return int(self._listener.sockets[0].getsockname()[1])

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._listener is not None
        self._listener.close()
        for pipe in list(self._pipes):
            self._drop(pipe)
        await asyncio.sleep(0)

    def cut(self, least_passed: int = 2000) -> str | None:
        """Cut one of the connections that have been of some use; gives how, or None when there is none.

        ``reset`` ends both sides at once; ``half`` lets the server believe for a while that nothing has happened;
        ``stall`` forwards nothing any more and closes nothing.
        """
        candidates = [pipe for pipe in self._pipes if pipe.passed >= least_passed and not pipe.stalled]
        if not candidates:
            return None
        pipe = self._dice.choice(sorted(candidates, key=lambda each: each.passed))
        kind = self._dice.choice(("reset", "reset", "half", "stall"))
        self.cuts[kind] = self.cuts.get(kind, 0) + 1
        if kind == "stall":
            pipe.stalled = True
        elif kind == "half":
            pipe.stalled = True
            pipe.client.transport.abort()
            asyncio.get_running_loop().call_later(self._dice.uniform(0.0, 2.0), self._drop, pipe)
        else:
            self._drop(pipe)
        return kind

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        pipe = Pipe(writer, server_writer)
        self._pipes.add(pipe)
        pipe.tasks = [
            asyncio.create_task(self._forward(pipe, reader, server_writer)),
            asyncio.create_task(self._forward(pipe, server_reader, writer)),
        ]

    async def _forward(self, pipe: Pipe, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        weather, dice = self._weather, self._dice
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                size = dice.randint(1, weather.longest_piece) if dice.random() < weather.splits else len(data)
                for at in range(0, len(data), size):
                    await asyncio.sleep(dice.uniform(0.0, weather.longest_delay_s) if at % (size * 16) == 0 else 0)
                    if pipe.stalled:
                        continue
                    writer.write(data[at : at + size])
                    await writer.drain()
                    pipe.passed += size
        self._drop(pipe)

    def _drop(self, pipe: Pipe) -> None:
        self._pipes.discard(pipe)
        pipe.client.transport.abort()
        pipe.server.transport.abort()
        for task in pipe.tasks:
            if task is not asyncio.current_task():
                task.cancel()
