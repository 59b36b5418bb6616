"""What every dialect can do for the referee."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from fanqi.match.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fanqi.match.channel import Channel
    from fanqi.match.clock import GameClock
    from fanqi.match.turn import Reply, Setup, Turn

__all__ = ["Dialect", "Identity", "Timeouts", "late_fault", "option_key", "readable"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long an engine may take for what is not a move, in seconds.

    Attributes:
        start: to introduce itself.
        ready: to get ready, at the start and before each game. Counted anew from each line it says meanwhile,
            up to ten times as long in all: an engine that compiles or loads something large may say so and be
            waited for.
        stop: to answer after a stop.
        quit: to end.
        every_move: whether an engine is asked if it is ready before each move too, where its language has a word for
            that. It keeps a late answer from being taken for the next one, and costs a round trip.
    """

    start: float = 15.0
    ready: float = 120.0
    stop: float = 5.0
    quit: float = 3.0
    every_move: bool = False


@dataclass(slots=True)
class Identity:
    """What an engine says it is.

    Attributes:
        name: with its version.
        options: names it can be told, by `option_key`.
    """

    name: str = ""
    options: dict[str, str] = field(default_factory=dict)


class Dialect(ABC):
    """One engine's half of a conversation, from the first word to the last.

    Methods are called one at a time, in the order `start`, then for each game `new_game` and `choose` any
    number of times, and after a fault at most `stop`. Every method may raise `EngineError`; after that
    nothing but `stop` or `quit` is called.

    Args:
        channel: to the engine.
        game: ``othello`` or ``banqi``, the same for its whole life.
        options: names and values as the user gave them.
        timeouts: for everything but moves.
    """

    games: ClassVar[frozenset[str]] = frozenset({"othello", "banqi"})
    """Which games can be played in this language."""

    knows_rules: ClassVar[bool] = False
    """Whether it can say which rule parameters a game has."""

    def __init__(self, channel: Channel, game: str, options: Mapping[str, str], timeouts: Timeouts) -> None:
        self.channel = channel
        self.game = game
        self.options = options
        self.timeouts = timeouts
        self.identity = Identity()

    @abstractmethod
    async def start(self) -> None:
        """Introduce ourselves, set options, wait until the engine is ready."""

    @abstractmethod
    async def new_game(self, setup: Setup) -> None:
        """Have everything of the last game forgotten, and wait until the engine is ready."""

    @abstractmethod
    async def choose(self, turn: Turn) -> Reply:
        """Have the engine think and answer; its time is counted from after the question is written.

        Raises:
            EngineError: no answer within the clock's patience, or something that cannot be an answer.
        """

    async def answer_draw(self) -> bool:
        """Whether the engine takes the draw its opponent has just offered. Most languages have no word for it."""
        return False

    @abstractmethod
    async def stop(self) -> None:
        """Bring the engine back to rest after it failed to answer; what it still says is dropped.

        Raises:
            EngineError: it does not come to rest in time.
        """

    @abstractmethod
    def quit(self) -> None:
        """Tell it to end; nothing is waited for."""


def option_key(name: str) -> str:
    """What is left of an option's name when case, blanks and underscores do not matter."""
    return name.replace(" ", "").replace("_", "").lower()


def readable(line: bytes) -> str:
    """A line for a record: short, and without control characters."""
    text = line.decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:200]


def late_fault(clock: GameClock) -> Fault:
    """What it is called when no move comes: a loss on time where there is a time limit."""
    return Fault.STALL if clock.allowed_ms is None else Fault.TIME
