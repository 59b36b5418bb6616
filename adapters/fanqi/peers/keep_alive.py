"""Connections that are dead without having been closed."""

from __future__ import annotations

import socket
from contextlib import suppress

__all__ = ["keep_alive"]

OPTIONS = (
    ("TCP_KEEPIDLE", 60),  # seconds of silence before the first probe
    ("TCP_KEEPINTVL", 15),
    ("TCP_KEEPCNT", 4),
    ("TCP_USER_TIMEOUT", 60_000),  # milliseconds that something sent may go unacknowledged
)


def keep_alive(connection: socket.socket | None) -> None:
    """Have the system notice a peer that is gone without a word: nothing else would, while nobody speaks.

    As far as the system can; one that has hung up already is noticed in any case.
    """
    if connection is None:
        return
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in OPTIONS:
        option = getattr(socket, name, None)  # not every system has them all
        if option is not None:
            with suppress(OSError):  # or not for every connection, as macOS where the peer is gone
                connection.setsockopt(socket.IPPROTO_TCP, option, value)
