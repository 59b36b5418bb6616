"""What can keep a session busy, and what can wait for it to be free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from fanqi.uci.commands import Go
from fanqi.uci.parse import format_command

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterable

    from fanqi.game import Position
    from fanqi.search import Control, Limits, SearchResult
    from fanqi.uci.commands import Command
    from fanqi.uci.executor import Ticket

__all__ = ["Loading", "Search", "Task", "Waiting", "Work"]


@dataclass(eq=False, slots=True)
class Waiting:
    """A command that waits, or is about to be carried out.

    Attributes:
        command: what was said.
        received: when, by the session's clock.
        size: bytes of its line.
        stopped: a ``stop`` came after it.
        hit: when a ``ponderhit`` came after it.
    """

    command: Command
    received: float
    size: int = 0
    stopped: bool = False
    hit: float | None = None

    @property
    def word(self) -> str:
        """The word its line began with."""
        return format_command(self.command).split()[0]


@dataclass(eq=False, slots=True)
class Loading:
    """A game is being loaded; everything else waits."""

    game: str


@dataclass(eq=False, slots=True)
class Work:
    """Something short runs on a search slot: an evaluation, a perft, the emptying of a table.

    Attributes:
        word: the command it came from.
        job: does it, and returns the lines to print.
        blocks_ready: whether ``isready`` waits for it.
        stopped: a ``stop`` has come.
    """

    word: str
    job: Callable[[Work], Iterable[str]]
    blocks_ready: bool = False
    stopped: bool = False


@dataclass(eq=False, slots=True)
class Search:
    """One accepted ``go``, from its acceptance to its best move.

    Attributes:
        origin: the command it came from.
        position: where it searches.
        limits: what bounds it; the wait is not yet taken off.
        ticket: its place in the queue; None when there is nothing to search.
        control: the handle to it, once it has its turn.
        result: what it found; held back while `held`.
        reported: whether an ``info`` line was printed.
    """

    origin: Waiting
    position: Position
    limits: Limits
    ticket: Ticket | None = None
    control: Control | None = None
    result: SearchResult | None = None
    reported: bool = False

    @property
    def held(self) -> bool:
        """Whether its best move must not be told yet."""
        return not self.origin.stopped and (self.limits.infinite or self.pondering)

    @property
    def pondering(self) -> bool:
        """Whether it still runs on the opponent's time."""
        return self.limits.ponder and self.origin.hit is None

    def stop(self) -> bool:
        """End it as soon as possible; False when it has not even begun and never will."""
        self.origin.stopped = True
        if self.control is not None:
            self.control.stop()
        elif self.ticket is not None and self.result is None:
            return not self.ticket.cancel()
        return True

    def ponderhit(self, now: float) -> None:
        """The expected reply was played: its other limits count from now on."""
        if self.pondering:
            self.origin.hit = now
            if self.control is not None:
                self.control.ponderhit()

    def waited_ms(self, now: float) -> float:
        """How long it has waited for its turn, as far as that counts: pondering, from the ``ponderhit`` on."""
        if not self.limits.ponder:
            return (now - self.origin.received) * 1000
        return 0.0 if self.origin.hit is None else (now - self.origin.hit) * 1000


Task: TypeAlias = Loading | Work | Search


def stop_waiting(waiting: deque[Waiting]) -> None:
    """A ``stop`` also belongs to every ``go`` that was sent before it."""
    for entry in waiting:
        entry.stopped = True


def hit_waiting(waiting: deque[Waiting], now: float) -> bool:
    """A ``ponderhit`` belongs to the last ``go`` sent; False when none waits."""
    for entry in reversed(waiting):
        if isinstance(entry.command, Go):
            if entry.command.ponder and entry.hit is None:
                entry.hit = now
            return True
    return False
