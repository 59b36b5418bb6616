"""What a server allows."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["ServerConfig"]


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """See docs/protocol.md, "Over TCP".

    Attributes:
        host: the address to listen on; a name is resolved, "" is every interface.
        port: 0 lets the system choose one.
        max_sessions: connections at a time; one more is turned away with the reason.
        max_searches: searches at a time; others wait in order.
        idle_timeout_s: how long a connection may be silent while nothing runs for it; 0 for ever.
        max_hash_mib: the largest table of one session.
        total_hash_mib: of all tables together.
        max_perft_depth: of ``go perft``.
        max_unread_bytes: answers kept for a client that does not read; above it no more of its input is read.
        shutdown_s: how long sessions may take to say their last words.
        preload: games to load before any client asks.
        log_level: events from here on go to stderr.

    Raises:
        ValueError: a limit that makes no sense; the message names it.
    """

    host: str = "127.0.0.1"
    port: int = 7654
    max_sessions: int = 1000
    max_searches: int = os.cpu_count() or 1
    idle_timeout_s: float = 3600.0
    max_hash_mib: int = 256
    total_hash_mib: int = 1024
    max_perft_depth: int = 6
    max_unread_bytes: int = 256 * 1024
    shutdown_s: float = 5.0
    preload: tuple[str, ...] = ("othello", "banqi")
    log_level: str = "info"

    def __post_init__(self) -> None:
        for name in ("max_sessions", "max_searches", "max_hash_mib", "total_hash_mib", "max_perft_depth"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, expected at least 1")
        for name in ("idle_timeout_s", "shutdown_s"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}, expected at least 0")
        if not 0 <= self.port <= 65_535:
            raise ValueError(f"port is {self.port}, expected 0 to 65535")
