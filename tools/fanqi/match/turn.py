"""What a contestant is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.game import Player, Position
    from fanqi.match.clock import GameClock

__all__ = ["Reply", "Setup", "Thought", "Turn"]


@dataclass(frozen=True, slots=True)
class Setup:
    """What a contestant is told before a game.

    Attributes:
        game: ``othello`` or ``banqi``.
        rules: rule parameters, empty for the default.
        start: ``startpos`` or a position.
        seat: which side it plays.
        clock: its own.
        seed: for a contestant that plays dice.
    """

    game: str
    rules: str
    start: str
    seat: Player
    clock: GameClock
    seed: int = 0


@dataclass(slots=True)
class Turn:
    """The state of a game when it is somebody's turn. Positions know nothing of covered pieces but their
    number.

    Attributes:
        setup: as told before the game.
        moves: played since ``setup.start``, canonical and with outcomes. Grows; not to be changed.
        position: after those moves.
        own: the clock of the side to move.
        other: the opponent's.
        moves_text: the moves joined by blanks.
    """

    setup: Setup
    moves: list[str]
    position: Position
    own: GameClock
    other: GameClock
    moves_text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """What an engine said about its move; everything may be missing.

    Attributes:
        cp: score in hundredths of a disc or pawn, its own view.
        depth, nodes, time_ms: as reported.
        exact: whether the score is proven.
        pv: the line it expects.
    """

    cp: int | None = None
    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None
    exact: bool = False
    pv: str = ""


NO_THOUGHT = Thought()


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, as it came.

    Attributes:
        move: the text where a move should be.
        elapsed_ms: whole milliseconds from the question's last byte to the answer's.
        thought: what was said about it.
        resigns: the move may be played all the same.
        offers_draw: with the move.
    """

    move: str
    elapsed_ms: int
    thought: Thought = field(default=NO_THOUGHT)
    resigns: bool = False
    offers_draw: bool = False
