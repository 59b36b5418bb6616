"""Engines behind a TCP connection."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import TYPE_CHECKING, cast

from fanqi.files import reason_of
from fanqi.game import quoted
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.peers import is_host, keep_alive

if TYPE_CHECKING:
    from fanqi.match.channel import Listener

__all__ = ["TcpLink", "connect", "parse_address"]


class TcpLink(asyncio.Protocol):
    """One connection to an engine."""

    def __init__(self, channel: Listener) -> None:
        self._channel = channel
        self._transport: asyncio.Transport | None = None
        self.ended = asyncio.Event()

    def write(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    async def close(self, patience_s: float) -> None:
        """Wait for the engine to hang up after it was told to, then do it."""
        if self._transport is None:
            return
        if self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()
        try:
            await asyncio.wait_for(self.ended.wait(), patience_s)
        except TimeoutError:
            self.kill()

    def kill(self) -> None:
        """Cut the connection now."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass of it
        connection: socket.socket | None = transport.get_extra_info("socket")
        if connection is not None:
            keep_alive(connection)  # noticed even when it is not its turn
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self._channel.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        why = "" if exc is None else f" ({reason_of(exc)})"
        self._channel.lose(EngineError(Fault.CRASH, f"the connection was closed{why}"))
        self.ended.set()


async def connect(host: str, port: int, channel: Listener, timeout_s: float) -> TcpLink:
    """Connect to an engine and attach it to ``channel``.

    Raises:
        EngineError: nobody answers there.
    """
    loop = asyncio.get_running_loop()
    try:
        _, link = await asyncio.wait_for(loop.create_connection(lambda: TcpLink(channel), host, port), timeout_s)
    except TimeoutError:
        raise EngineError(Fault.START, f"no connection to {host}:{port} within {timeout_s:g} s") from None
    except OSError as error:
        raise EngineError(Fault.START, f"cannot connect to {host}:{port}: {reason_of(error)}") from None
    channel.attach(link)
    return link


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of ``tcp://host:port`` (an IPv6 address in brackets).

    Raises:
        ConfigurationError: not of this form.
    """
    address = text.removeprefix("tcp://")
    host, colon, port = address.rpartition(":")
    if not colon or not host or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        raise ConfigurationError(f"address {quoted(text)}: expected tcp://HOST:PORT")
    host = host.removeprefix("[").removesuffix("]")
    if not is_host(host):
        raise ConfigurationError(f"address {quoted(text)}: {quoted(host)} is not the name of a host")
    return host, int(port)
