"""Which connections are logged one by one: in a flood of them the log would cost more than the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.logs import Logger

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Journal"]

BURST = 200
PER_SECOND = 20.0
SUMMARY_SECONDS = 1.0


class Journal:
    """Gives each connection its logger: a silent one when too many come. How many those are is logged every second.

    Args:
        logger: of the server. If it logs debug events, every connection is logged.
        clock: monotonic seconds.
        later: calls a function after so many seconds.
    """

    def __init__(
        self, logger: Logger, clock: Callable[[], float], later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        self._logger = logger
        self._silent = Logger("error")
        self._clock = clock
        self._later = later
        self._allowance = float(BURST)
        self._seen = clock()
        self._left_out = 0

    def logger_for(self, peer: str) -> Logger:
        """What a connection from ``peer`` logs to, from its first event to its last."""
        now = self._clock()
        self._allowance = min(float(BURST), self._allowance + (now - self._seen) * PER_SECOND)
        self._seen = now
        if self._allowance >= 1.0 or self._logger.logs("debug"):
            self._allowance -= 1.0
            return self._logger.bind(peer=peer)
        if self._left_out == 0:
            self._later(SUMMARY_SECONDS, self._tell)
        self._left_out += 1
        return self._silent

    def _tell(self) -> None:
        self._logger.warning("too many connections to log each", left_out=self._left_out)
        self._left_out = 0
