"""What a server counts, for Prometheus."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from fanqi.metrics import Family, Histogram, counter, gauge

if TYPE_CHECKING:
    from fanqi.uci import Executor, Ticket

__all__ = ["REASONS", "Figures"]

REASONS = (
    "bad_message",  # WebSocket: not UTF-8, too long, or no such frame
    "handshake",  # WebSocket: none came, or no proper one
    "idle",
    "no_pong",  # WebSocket
    "no_token",
    "origin",  # WebSocket: of a page that may not connect
    "slow_line",
    "stalled",
    "wrong_token",
)


class Figures:
    """Counts connections and times searches. Searches are timed on their own threads: each observation is one step."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._connections: Counter[str] = Counter(accepted=0, refused=0)
        self._dropped: Counter[str] = Counter(dict.fromkeys(REASONS, 0))
        self._waited = Histogram()
        self._ran = Histogram()

    def connected(self, accepted: bool) -> None:
        """A client has connected."""
        self._connections["accepted" if accepted else "refused"] += 1

    def dropped(self, reason: str) -> None:
        """A client was sent away, for one of `REASONS`."""
        self._dropped[reason] += 1

    def timed(self, executor: Executor) -> Executor:
        """An executor whose jobs are timed: how long they wait for their turn, and how long they run."""
        return TimedExecutor(executor, self._waited.observe, self._ran.observe, self._clock)

    def families(self, *, sessions: int, running: int, waiting: int, hash_mib: int) -> Iterable[Family]:
        """Everything, as of now."""
        yield gauge("fanqi_server_sessions", "Sessions that are open.", sessions)
        searches = {"running": running, "waiting": waiting}
        yield gauge("fanqi_server_searches", "Searches by state.", searches, "state")
        yield gauge("fanqi_server_hash_mib", "Memory of all tables together.", hash_mib)
        yield counter("fanqi_server_connections_total", "Connections.", self._connections, "outcome")
        yield counter("fanqi_server_dropped_total", "Clients sent away, by reason.", self._dropped, "reason")
        yield self._waited.family("fanqi_server_search_wait_seconds", "How long searches waited for their turn.")
        yield self._ran.family("fanqi_server_search_seconds", "How long searches ran.")


class TimedExecutor:
    """An executor with two stop watches."""

    def __init__(
        self,
        executor: Executor,
        waited: Callable[[float], None],
        ran: Callable[[float], None],
        clock: Callable[[], float],
    ) -> None:
        self._executor = executor
        self._waited = waited
        self._ran = ran
        self._clock = clock

    def submit(self, job: Callable[[], None]) -> Ticket:
        asked = self._clock()

        def timed() -> None:
            begun = self._clock()
            self._waited(begun - asked)
            try:
                job()
            finally:
                self._ran(self._clock() - begun)

        return self._executor.submit(timed)
