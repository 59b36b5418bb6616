"""What all translators are: a foreign dialect outside, an engine session inside, one thread that does everything.

Lines of the host and answers of the engine come from other threads; both go through one queue, so that a translator is
plain sequential code without a lock. To whoever runs it, a translator looks like a `fanqi.uci.Session`.
"""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, assert_never

from fanqi.dialects.text import clean_line
from fanqi.search import Info
from fanqi.translators.link import EngineLink, SessionEnded
from fanqi.uci import (
    ArbiterAnswer,
    BestMove,
    Go,
    HandshakeDone,
    Identity,
    LongLine,
    OptionDeclaration,
    ReadyOk,
    Response,
    Said,
    SessionConfig,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.records import GameRecord
    from fanqi.uci import Answer, Output, Services

__all__ = ["Surroundings", "Translator"]

ERROR = "error: "
PLACE = " at token "
"""Before the place in a command of the session's, which the host has not given."""


def refuse_file(path: str) -> bytes:
    """The default for `Surroundings.read_file`."""
    raise OSError(f"{path}: files are not read here")


def forget_game(record: GameRecord) -> None:
    """The default for `Surroundings.learn`."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a translator needs of the world, and what its user chose.

    Attributes:
        think: the limits of a search for which the host has set none.
        read_file: the bytes of a file the host names; raises OSError.
        learn: keeps a game the host wants to be learned from.
        log: takes a line for people.
        warn: takes one about something that could not be done, and that the host has not been told of.
    """

    think: Go = field(default_factory=lambda: Go(movetime=1000))
    read_file: Callable[[str], bytes] = refuse_file
    learn: Callable[[GameRecord], None] = forget_game
    log: Callable[[str], None] = lambda text: None
    warn: Callable[[str], None] = lambda text: None


class EndOfInput:
    """The host will say nothing more."""


class Abandoned:
    """Nobody listens any more."""


Event: TypeAlias = "str | LongLine | Answer | SessionEnded | EndOfInput | Abandoned"


class Translator(ABC):
    """A dialect's engine side.

    Args:
        output: where the dialect's lines go.
        services, config: of the engine session behind it.
        surroundings: see there.
    """

    game: ClassVar[str] = "othello"
    """The game this dialect is for."""

    def __init__(
        self,
        output: Output,
        services: Services,
        config: SessionConfig | None = None,
        surroundings: Surroundings | None = None,
    ) -> None:
        self.surroundings = surroundings or Surroundings()
        self._output = output
        self._services = services
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        config = config or SessionConfig()
        self.options = config.options
        self.engine: EngineLink[Any] = EngineLink(services, config, self._events.put)
        self._over = False
        threading.Thread(target=self._live, name="fanqi-translator", daemon=True).start()

    # --- the face of a session; any thread ------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether something is still to be said."""
        return not self._over

    def receive(self, line: str | bytes | LongLine) -> None:
        """One line of the host's, without its line feed."""
        self._events.put(line if isinstance(line, LongLine) else clean_line(line))

    def finish(self) -> None:
        """The host will say nothing more."""
        self._events.put(EndOfInput())

    def abandon(self) -> None:
        """Nobody listens any more."""
        self._events.put(Abandoned())
        self.engine.abandon()

    # --- for dialects; the translator's own thread ----------------------------------------------------------

    def say(self, line: str) -> None:
        """Answer with a line; several lines go as one."""
        self._output.answer(line)

    def think_aloud(self, line: str) -> None:
        """A line that may be left out when the host does not keep up."""
        self._output.thought(line)

    @abstractmethod
    def hear(self, line: str) -> None:
        """A line of the host's, without control characters and blanks around it. Never empty."""

    @abstractmethod
    def refuse_long_line(self) -> None:
        """A line was too long and has been skipped."""

    def thought(self, purpose: Any, info: Info) -> None:  # noqa: B027  most dialects have no word for it
        """A report of a search that counts."""

    @abstractmethod
    def chosen(self, purpose: Any, best: BestMove) -> None:
        """The end of a search that counts; the move is None when the game was over."""

    def search_ended(self) -> None:  # noqa: B027  few dialects wait for it
        """A search has ended, whether it counts or not."""

    def rested(self) -> None:  # noqa: B027  few dialects wait for it
        """The engine has come to rest: nothing runs, whether it counts or not."""

    def ready(self) -> None:  # noqa: B027  few dialects wait for it
        """The game is loaded, as asked for by `EngineLink.ready`."""

    def told(self, text: str) -> None:
        """A line of the engine's for people, such as the progress of compiling."""
        self.surroundings.log(text)

    def failed(self, text: str) -> None:
        """What the engine could not do; most dialects have no word for it, and it goes where people look."""
        self.surroundings.warn(text)

    def end_of_input(self) -> None:
        """The host will say nothing more; by default a running search is stopped."""
        self.engine.finish()

    def end(self) -> None:
        """Stop and leave, as the host asked."""
        self.engine.finish()

    # --- the thread -----------------------------------------------------------------------------------------

    def _live(self) -> None:
        while not self._over:
            event = self._events.get()
            try:
                self._handle(event)
            except Exception as error:  # a bug must not leave the host without an end
                self._services.fault(error)

    def _handle(self, event: Event) -> None:
        match event:
            case str(line):
                if line:
                    self.hear(line)
            case LongLine():
                self.refuse_long_line()
            case EndOfInput():
                self.end_of_input()
            case Info() | BestMove():
                self._attribute(event)
            case ReadyOk():
                self.ready()
            case Said(text) if text.startswith(ERROR):
                what = text.removeprefix(ERROR)
                self.failed(what.rpartition(PLACE)[0] or what)
            case Said(text):
                self.told(text)
            case SessionEnded():
                self._over = True
                self._output.ended()
            case Abandoned():
                self._over = True
            case Identity() | OptionDeclaration() | HandshakeDone() | Response() | ArbiterAnswer():
                pass  # nothing that was asked for
            case _:
                assert_never(event)

    def _attribute(self, answer: Info | BestMove) -> None:
        thought = self.engine.attribute(answer)
        if thought is not None:
            match thought.answer:
                case BestMove() as best:
                    self.chosen(thought.purpose, best)
                case Info() as info:
                    self.thought(thought.purpose, info)
                case _:
                    assert_never(thought.answer)
        if isinstance(answer, BestMove):
            self.search_ended()
            if self.engine.at_rest:
                self.rested()
