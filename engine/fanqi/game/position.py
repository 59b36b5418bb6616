"""The face of a game: immutable positions that speak the protocol's own notation.

Moves are strings in canonical notation (``f5``, ``pass``; ``b8a8``, ``b8=P``) wherever no search is involved: the
session, the referee and the records all want text, and a search converts once at its root.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.kernels import CompileStep
    from fanqi.search import Engine

__all__ = ["Game", "Outcome", "Player", "Position"]


class Player(IntEnum):
    """The two seats. P1 is Black in Othello; in banqi the first mover of ``startpos`` or the mover of a ``fen``."""

    P1 = 1
    P2 = 2

    @property
    def other(self) -> Player:
        return Player(3 - self)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    Attributes:
        winner: None for a draw.
        reason: one word, snake_case: ``discs``; ``extinct``, ``no_moves``, ``all_banned``, ``no_progress``,
            ``repetition``.
        margin: the result in the game's own measure, from p1's view: discs by the scoring convention asked for, or
            stake points (+-5, 3, 1, 0).
    """

    winner: Player | None
    reason: str
    margin: float


class Position(Protocol):
    """One immutable state of a game."""

    @property
    def turn(self) -> Player:
        """Who is to move (also in a finished game: who would be)."""

    @property
    def ply(self) -> int:
        """Plies played since the position the game was set up from, passes included."""

    def legal_moves(self) -> tuple[str, ...]:
        """All legal moves, sorted; empty if and only if the game is over.

        A forced pass is ``("pass",)``. A banqi flip is the bare square (``b8``), since its outcome is not chosen.
        """

    def play(self, move: str) -> Self:
        """The position after ``move``, which may be in any notation the game reads.

        Raises:
            MoveError: not a move, not legal here, a flip without its outcome, or an outcome not covered any more.
        """

    def canonical(self, move: str) -> str:
        """``move`` in canonical notation, checked for legality (a flip with or without its outcome).

        Raises:
            MoveError: as for `play`, except that a flip without outcome is taken.
        """

    def needs_reveal(self, move: str) -> bool:
        """Whether a canonical move is a flip that still lacks its outcome. Always False in Othello."""

    def outcome(self, scoring: str = "") -> Outcome | None:
        """The result if the game is over by its rules, else None.

        Args:
            scoring: how the margin is counted: one of the game's `Features.scorings`, "" for the first.

        Raises:
            RulesError: no such convention in this game.
        """

    def fen(self) -> str:
        """The position in the notation `Game.parse` reads (banqi's covered pieces sorted)."""

    def picture(self) -> str:
        """The board for people, several lines without a trailing newline."""

    def facts(self, what: str, arguments: tuple[str, ...] = ()) -> str:
        """Answer to a game-specific ``query`` (Othello: ``flips f5``).

        Raises:
            QuestionError: there is no such question.
            GameError: an argument is wrong, too many, or missing; its text is then "".
        """


class Game(Protocol):
    """A game: its name, its notations, its engine. One object a game, from `fanqi.game.load_game`."""

    @property
    def name(self) -> str:
        """``othello`` or ``banqi``."""

    def start(self, rules: str = "") -> Position:
        """The start position under rule parameters such as ``chase=off,noprogress=40``.

        Raises:
            RulesError: unknown parameter or value.
        """

    def parse(self, fen: str, rules: str = "") -> Position:
        """A position from its notation.

        Raises:
            PositionError: it cannot be read, or cannot be.
            RulesError: as for `start`.
        """

    def perft(self, fen: str | None, depth: int, rules: str = "") -> int:
        """Leaf count from a position (None: the start position), as ``fanqi perft`` defines it."""

    def perft_divide(
        self, fen: str | None, depth: int, rules: str = "", stopped: Callable[[], bool] = bool
    ) -> list[tuple[str, int]]:
        """`perft` split by root move, in the order of `Position.legal_moves`.

        Args:
            fen, depth, rules: as for `perft`.
            stopped: asked every now and then, a fraction of a second apart; True ends the count there, and what is not
                counted to the end is not in the list.
        """

    def engine(self) -> Engine:
        """A new engine with its own hash table; its kernels are compiled on first use unless prepared before."""

    def prepare(self, progress: object = None) -> list[CompileStep]:
        """Compile or load all kernels, and load what all engines share, so that making one takes some milliseconds.

        Args:
            progress: as in `fanqi.kernels.compile_kernels`.
        """
