"""``/metrics`` and ``/healthz`` over HTTP: small on purpose, and hard to hurt."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from fanqi.metrics.families import Family, render
from fanqi.peers import naming_host

__all__ = ["Health", "serve_metrics"]

PATIENCE_S = 5.0
LONGEST_REQUEST = 8192
MOST_CONNECTIONS = 32
TEXT = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the process does its work, and one line on why or why not."""

    good: bool
    note: str = "ok"


@asynccontextmanager
async def serve_metrics(
    host: str, port: int, collect: Callable[[], Iterable[Family]], health: Callable[[], Health]
) -> AsyncIterator[int]:
    """Answer until the context is left; gives the port, which the system chooses when ``port`` is 0.

    Raises:
        OSError: the address cannot be had.
    """
    connections = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        if connections >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        connections += 1
        try:
            async with asyncio.timeout(PATIENCE_S):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(respond(request, collect, health))
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.transport.abort()
        finally:
            connections -= 1

    with naming_host(host):
        server = await asyncio.start_server(answer, host, port, limit=LONGEST_REQUEST)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), PATIENCE_S)


def respond(request: bytes, collect: Callable[[], Iterable[Family]], health: Callable[[], Health]) -> bytes:
    """The whole answer to the head of a request."""
    method, _, rest = request.partition(b"\r\n")[0].partition(b" ")
    path = rest.partition(b" ")[0].partition(b"?")[0]
    if method not in (b"GET", b"HEAD"):
        return response("405 Method Not Allowed", "only GET\n")
    whole = method == b"GET"
    match path:
        case b"/metrics":
            return response("200 OK", render(collect()), body=whole)
        case b"/healthz":
            state = health()
            return response("200 OK" if state.good else "503 Service Unavailable", state.note + "\n", body=whole)
        case _:
            return response("404 Not Found", "there are /metrics and /healthz\n", body=whole)


def response(status: str, text: str, *, body: bool = True) -> bytes:
    data = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {TEXT}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    return head.encode() + (data if body else b"")
