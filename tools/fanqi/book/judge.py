"""Who scores the moves of a book: the Othello engine, at a fixed depth, from an empty memory each time.

The same question so gets the same answer on every thread and in every run, which is what lets a build go on where it
was interrupted and come out the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from fanqi.book.errors import BuildError
from fanqi.book.graph import Verdict
from fanqi.othello import Position
from fanqi.othello.engine import OthelloEngine
from fanqi.othello.levels import LEVELS
from fanqi.othello.notation import format_move, parse_move
from fanqi.othello_book import NO_MOVE, NO_SCORE
from fanqi.search import Control, Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Judge", "Question", "SearchSettings"]

HASH_MIB = 4
"""Small searches fill no more, and a larger table takes longer to empty."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a move is scored.

    Attributes:
        depth: plies.
        selectivity: percent of certainty of forward pruning.
        exact: empty squares from which positions are solved instead.
    """

    depth: int = 12
    selectivity: int = 73
    exact: int = 18

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 60:
            raise BuildError(f"depth {self.depth}: expected 1 to 60")
        if self.selectivity not in LEVELS:
            raise BuildError(f"selectivity {self.selectivity}: expected one of {', '.join(map(str, LEVELS))}")
        if not 0 <= self.exact <= 30:
            raise BuildError(f"exact from {self.exact} empty squares: expected 0 to 30")

    def described(self) -> dict[str, int]:
        """The settings by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Question:
    """A canonical position, and the moves to choose from; without moves the result of the game is asked for."""

    own: int
    opponent: int
    moves: tuple[int, ...]


class Judge:
    """One thread's engine."""

    def __init__(self, settings: SearchSettings) -> None:
        self._settings = settings
        self._engine = OthelloEngine()
        self._engine.configure(Settings(hash_mib=HASH_MIB))

    def answer(self, question: Question) -> Verdict:
        """The best of the moves asked for."""
        position = Position(question.own, question.opponent)
        if not question.moves:
            outcome = position.outcome()
            # every move is linked, or the game is over
            return Verdict(NO_MOVE, NO_SCORE if outcome is None else round(100 * outcome.margin), 0, 100)
        return self._search(position, question.moves)

    def score(self, own: int, opponent: int) -> int:
        """The score of a position for its side to move, all moves allowed."""
        position = Position(own, opponent)
        moves = tuple(parse_move(name) for name in position.legal_moves())
        return self.answer(Question(own, opponent, moves)).score

    def _search(self, position: Position, moves: Sequence[int]) -> Verdict:
        settings = self._settings
        solved = position.empties <= settings.exact
        limits = Limits(
            depth=None if solved else settings.depth,
            certainty=None if solved else settings.selectivity,
            moves=tuple(format_move(move) for move in moves),
        )
        self._engine.new_game()
        control = Control()
        try:
            result = self._engine.search(position, limits, control, ignore)
        finally:
            control.close()
        info = result.infos[0]
        assert result.move is not None
        assert info.score_cp is not None
        return Verdict(parse_move(result.move), info.score_cp, info.depth, info.selectivity or 0)


def ignore(_info: object) -> None:
    """Nobody watches these searches."""
