"""Our seat at a server: what everybody who plays there works with, and the way to say something to its service."""

from __future__ import annotations

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


@dataclass(slots=True)
class Seat:
    """See the module.

    Attributes:
        config: what to do.
        thinker: thinks.
        book: keeps finished games.
        status: counts.
        logger: for events.
    """

    config: Config
    thinker: Thinker
    book: RecordBook
    status: Status
    logger: Logger
    _send_line: Callable[[str], None] | None = field(default=None, init=False)

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

    def leave(self) -> None:
        """The connection is lost."""
        self._send_line = None

    def tell(self, command: str) -> None:
        """A command for the service; dropped while we are not logged in."""
        if self._send_line is not None:
            self._send_line(f"tell /os {command}")
