"""Connections that are dead without having been closed."""

from __future__ import annotations

import socket

__all__ = ["keep_alive"]

OPTIONS = (
    ("TCP_KEEPIDLE", 60),  # seconds of silence before the first probe
    ("TCP_KEEPINTVL", 15),
    ("TCP_KEEPCNT", 4),
    ("TCP_USER_TIMEOUT", 60_000),  # milliseconds that something sent may go unacknowledged
)


def keep_alive(connection: socket.socket | None) -> None:
    """Have the system notice a peer that is gone without a word: nothing else would, while nobody speaks."""
    if connection is None:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in OPTIONS:
        option = getattr(socket, name, None)  # not every system has them all
        if option is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
