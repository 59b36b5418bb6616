"""What a server allows."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from fanqi.tcp.origins import Origins

__all__ = ["ServerConfig"]

COUNTS = (
    "max_sessions", "max_searches", "max_per_address", "connects_per_minute", "max_hash_mib", "total_hash_mib",
    "max_threads", "max_perft_depth", "max_unread_bytes",
)  # fmt: skip
TIMES = (
    "max_search_s", "greeting_s", "line_timeout_s", "stall_timeout_s", "idle_timeout_s", "ping_s", "drain_s",
    "shutdown_s",
)  # fmt: skip
TOKEN = re.compile(r"[!-~]{8,256}")


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """See docs/protocol.md, "Over TCP" and "Over WebSocket".

    Attributes:
        host: the address to listen on; a name is resolved, "" is every interface.
        port: 0 lets the system choose one.
        ws_port: where to listen for WebSocket connections as well; 0 lets the system choose, None does not listen.
        ws_origins: web pages that may connect beside those of `Origins`' rules.
        max_sessions: connections at a time; one more is turned away with the reason.
        max_searches: searches at a time; others wait in order.
        max_search_s: how long one search may take, pondering and ``infinite`` included; 0 for ever.
        max_per_address: connections at a time from one address; loopback is not limited.
        connects_per_minute: from one address, in the long run and as a burst.
        token: what a client has to say before anything else; None asks nobody.
        certificate, key: files for TLS; None listens in plain.
        greeting_s: how long a client may take for the handshakes of TLS and WebSocket, and again for its token.
        line_timeout_s: how long one line may take to come in.
        stall_timeout_s: how long a client may leave answers unread.
        idle_timeout_s: how long a connection may be silent while nothing runs for it; 0 for ever.
        ping_s: how often a WebSocket client is pinged; one that misses two pings is gone. 0 never pings.
        max_hash_mib: the largest table of one session.
        total_hash_mib: of all tables together.
        max_threads: search threads of one search.
        max_perft_depth: of ``go perft``.
        max_unread_bytes: answers kept for a client that does not read; above it no more of its input is read.
        drain_s: on SIGTERM or SIGINT, how long running searches may go on; a second signal ends them.
        shutdown_s: how long sessions may take to say their last words.
        metrics: host and port for ``/metrics`` and ``/healthz``; None serves none.
        preload: games to load before any client asks.
        log_level: events from here on go to stderr.

    Raises:
        ValueError: a limit that makes no sense; the message names it.
    """

    host: str = "127.0.0.1"
    port: int = 7654
    ws_port: int | None = None
    ws_origins: tuple[str, ...] = ()
    max_sessions: int = 1000
    max_searches: int = os.cpu_count() or 1
    max_search_s: float = 0.0
    max_per_address: int = 64
    connects_per_minute: int = 600
    token: str | None = field(default=None, repr=False)
    certificate: Path | None = None
    key: Path | None = None
    greeting_s: float = 10.0
    line_timeout_s: float = 30.0
    stall_timeout_s: float = 60.0
    idle_timeout_s: float = 3600.0
    ping_s: float = 20.0
    max_hash_mib: int = 256
    total_hash_mib: int = 1024
    max_threads: int = 1
    max_perft_depth: int = 6
    max_unread_bytes: int = 256 * 1024
    drain_s: float = 10.0
    shutdown_s: float = 5.0
    metrics: tuple[str, int] | None = None
    preload: tuple[str, ...] = ("othello", "banqi")
    log_level: str = "info"

    def __post_init__(self) -> None:
        for name in COUNTS:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, expected at least 1")
        for name in TIMES:
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}, expected at least 0")
        for name, port in (("port", self.port), ("ws_port", self.ws_port or 0)):
            if not 0 <= port <= 65_535:
                raise ValueError(f"{name} is {port}, expected 0 to 65535")
        Origins(self.ws_origins)
        if self.token is not None and not TOKEN.fullmatch(self.token):
            raise ValueError("a token is 8 to 256 printable ASCII characters without blanks")
        if (self.certificate is None) != (self.key is None):
            raise ValueError("TLS needs both a certificate and its key")
