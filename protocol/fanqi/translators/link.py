"""A translator's line to the engine: a session of our own protocol, driven by typed commands.

The session answers on its own threads; what it says is handed on as typed answers by way of ``deliver``, which must
only put them into a queue. Searches are answered in the order in which they were asked for, so the link knows which
search an answer belongs to, also after one has been given up.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from fanqi.uci import (
    BestMove,
    IsReady,
    NewGame,
    PonderHit,
    ProtocolError,
    Session,
    SetOption,
    SetPosition,
    Stop,
    format_command,
    parse_answer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fanqi.search import Info
    from fanqi.uci import Answer, Command, Go, Services, SessionConfig

__all__ = ["EngineLink", "SessionEnded", "Thought"]

Purpose = TypeVar("Purpose")


class SessionEnded:
    """The session has said everything."""


@dataclass(frozen=True, slots=True)
class Thought(Generic[Purpose]):
    """What a search says, with what it was for.

    Attributes:
        purpose: as given to `EngineLink.go`.
        answer: a report, or the best move that ends the search.
    """

    purpose: Purpose
    answer: Info | BestMove


@dataclass(slots=True)
class Asked(Generic[Purpose]):
    """A search that has not been answered yet; what it says does not count once it is given up."""

    purpose: Purpose
    given_up: bool = False


class EngineLink(Generic[Purpose]):
    """One engine session. Used by one thread, apart from ``deliver``, which is called from others.

    Args:
        services, config: of the session.
        deliver: takes every answer of the session, and `SessionEnded`.
    """

    def __init__(
        self, services: Services, config: SessionConfig, deliver: Callable[[Answer | SessionEnded], None]
    ) -> None:
        self._session = Session(Ear(deliver), services, config)
        self._asked: deque[Asked[Purpose]] = deque()
        self.begun = 0  # searches, from the first on
        self.ended = 0  # the same, in the same order

    @property
    def searching(self) -> Purpose | None:
        """What the engine is thinking about, or None: nothing that still counts."""
        current = self._asked[-1] if self._asked else None
        return None if current is None or current.given_up else current.purpose

    @property
    def at_rest(self) -> bool:
        """Whether every search has ended, those given up too."""
        return not self._asked

    def option(self, name: str, value: str | None) -> None:
        """Set an option, which must exist and take that value; None presses a button."""
        self._send(SetOption(name, value))

    def ready(self) -> None:
        """Have the game loaded; a `fanqi.uci.ReadyOk` will be delivered."""
        self._send(IsReady())

    def new_game(self) -> None:
        """Forget what was learned in earlier games."""
        self._send(NewGame())

    def go(self, start: str | None, moves: Sequence[str], go: Go, purpose: Purpose) -> None:
        """Search a position, after whatever still runs has been given up.

        Args:
            start: None for the usual start.
            moves: played since, canonical and legal.
            go: the limits.
            purpose: comes back with every report and with the best move.
        """
        self.give_up()
        self._asked.append(Asked(purpose))
        self.begun += 1
        self._send(SetPosition(start, tuple(moves)))
        self._send(go)

    def stop(self) -> None:
        """Have the running search answer now."""
        self._send(Stop())

    def ponderhit(self, purpose: Purpose) -> None:
        """The move pondered on was played: the running search is now for ``purpose``."""
        self._asked[-1].purpose = purpose
        self._send(PonderHit())

    def give_up(self) -> None:
        """End the running search; nobody wants its answer."""
        if self.searching is not None:
            self._asked[-1].given_up = True
            self._send(Stop())

    def attribute(self, answer: Answer | Info) -> Thought[Purpose] | None:
        """Which search a report or best move belongs to; None if it does not count any more."""
        if not self._asked:
            return None
        asked = self._asked[0]
        if isinstance(answer, BestMove):
            self._asked.popleft()
            self.ended += 1
        return None if asked.given_up else Thought(asked.purpose, answer)  # type: ignore[arg-type]

    def finish(self) -> None:
        """End the session; a running search answers first."""
        self._session.finish()

    def abandon(self) -> None:
        """End the session at once."""
        self._session.abandon()

    def _send(self, command: Command) -> None:
        self._session.receive(format_command(command))


class Ear:
    """Reads the session's lines back into answers; implements `fanqi.uci.Output`."""

    def __init__(self, deliver: Callable[[Answer | SessionEnded], None]) -> None:
        self._deliver = deliver

    def answer(self, line: str) -> None:
        try:
            answer = parse_answer(line)
        except ProtocolError as error:  # cannot be: these are our own lines
            raise AssertionError(line) from error
        if answer is not None:
            self._deliver(answer)

    thought = answer

    def ended(self) -> None:
        self._deliver(SessionEnded())
