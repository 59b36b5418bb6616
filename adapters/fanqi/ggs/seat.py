"""Our seat at a server: what everybody who plays there works with, and the way to say something to its service."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.ggs.config import Config
    from fanqi.ggs.records import RecordBook
    from fanqi.ggs.status import Status
    from fanqi.ggs.thinking import Thinker
    from fanqi.logs import Logger

__all__ = ["Seat"]

SILENCE_S = 10.0
LONGEST_SILENCE_S = 600.0


@dataclass(slots=True)
class Seat:
    """See the module.

    Attributes:
        config: what to do.
        thinker: thinks.
        book: keeps finished games.
        status: counts.
        logger: for events.
        clock: tells the time, in monotonic seconds.
    """

    config: Config
    thinker: Thinker
    book: RecordBook
    status: Status
    logger: Logger
    clock: Callable[[], float] = time.monotonic
    _send_line: Callable[[str], None] | None = field(default=None, init=False)
    _asked: float | None = field(default=None, init=False)  # when the oldest question was sent that has no answer
    _patience_s: float = field(default=SILENCE_S, init=False)

    @property
    def me(self) -> str:
        """Our name."""
        return self.config.server.name

    @property
    def taken(self) -> bool:
        """Whether we are logged in."""
        return self._send_line is not None

    def take(self, send_line: Callable[[str], None]) -> None:
        """We are logged in; ``send_line`` sends a line to the server."""
        self._send_line = send_line
        self.heard()

    def leave(self) -> None:
        """The connection is lost."""
        self._send_line = None

    def tell(self, command: str) -> None:
        """A command for the service; dropped while we are not logged in."""
        if self._send_line is not None:
            self._send_line(f"tell /os {command}")

    def ask(self, command: str) -> None:
        """A command that the service always answers, if it answers anything."""
        self.tell(command)
        if self._asked is None:
            self._asked = self.clock()

    def heard(self) -> None:
        """The service has said something."""
        self._asked, self._patience_s = None, SILENCE_S

    def must_wait(self, now: float) -> bool:
        """Whether to ask nothing more, since the service has not answered yet.

        What was sent is not lost: a service that stands still will find it all. So nothing is sent twice for
        `SILENCE_S`, then for twice as long each time.
        """
        if self._asked is None:
            return False
        if now - self._asked < self._patience_s:
            return True
        self.logger.warning("the Othello service is silent", seconds=round(self._patience_s))
        self._asked, self._patience_s = now, min(2 * self._patience_s, LONGEST_SILENCE_S)
        return False
