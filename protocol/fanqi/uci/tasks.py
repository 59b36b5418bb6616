"""What can keep a session busy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fanqi.game import Position
    from fanqi.search import Control, Limits, SearchResult
    from fanqi.uci.backlog import Waiting
    from fanqi.uci.executor import Ticket

__all__ = ["Loading", "Search", "Task", "Work"]


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

    @property
    def allowed(self) -> tuple[str, ...]:
        """The moves that it may answer with; none when the game is over."""
        return self.limits.moves or self.position.legal_moves()

    @property
    def move(self) -> str | None:
        """The move found, or where there is none that is legal, one that is."""
        found, allowed = None if self.result is None else self.result.move, self.allowed
        return found if found in allowed else allowed[0] if allowed else None

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
