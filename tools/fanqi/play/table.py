"""The game between two players: positions, moves, and the way back. Knows no screen and no engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.records import GameRecord, PlayedMove, Result

if TYPE_CHECKING:
    from fanqi.game import Game, Outcome, Player, Position
    from fanqi.play.dealer import Dealer

__all__ = ["Table"]


class Table:
    """A game in progress.

    Args:
        game: which.
        start: where it begins.
        rules: rule parameters, as text.
        dealer: for banqi.

    Attributes:
        resigned: who has resigned.
        agreed: whether the players have agreed on a draw.
    """

    def __init__(self, game: Game, start: Position, rules: str = "", dealer: Dealer | None = None) -> None:
        self.game = game
        self.rules = rules
        self.dealer = dealer
        self.resigned: Player | None = None
        self.agreed = False
        self._positions = [start]
        self._moves: list[str] = []

    @property
    def position(self) -> Position:
        """The board now."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[str, ...]:
        """All plies, flips with what they showed."""
        return tuple(self._moves)

    @property
    def last(self) -> str:
        """The move played last; empty at the start."""
        return self._moves[-1] if self._moves else ""

    @property
    def before_last(self) -> Position:
        """The board before the move played last; the start where there is none."""
        return self._positions[-2 if self._moves else -1]

    @property
    def outcome(self) -> Outcome | None:
        """The result by the rules; None while the game goes on."""
        return self.position.outcome()

    @property
    def over(self) -> bool:
        """Whether nothing more is played."""
        return self.resigned is not None or self.agreed or self.outcome is not None

    def play(self, move: str) -> str:
        """Play a move of the side to move; a flip is turned up by the dealer.

        Returns:
            The move, canonical, a flip with what it showed.

        Raises:
            fanqi.game.MoveError: it is no move, not legal, or leaves out a pass.
        """
        name = self.position.canonical(move)
        if self.position.needs_reveal(name) and self.dealer is not None:
            name = f"{name}={self.dealer.flip(name)}"
        after = self.position.play(name)
        self._positions.append(after)
        self._moves.append(name)
        return name

    def undo_to(self, player: Player) -> bool:
        """Take moves back until it is that player's turn again; False if there is nothing to take back."""
        turns = [position.turn for position in self._positions[:-1]]
        if player not in turns:
            return False
        keep = len(turns) - 1 - turns[::-1].index(player)
        del self._positions[keep + 1 :]
        del self._moves[keep:]
        return True

    def record(self, players: tuple[str, str], date: str) -> GameRecord:
        """The game as a record; ``players`` are p1 and p2."""
        outcome, result = self.outcome, None
        if self.resigned is not None:
            result = Result(self.resigned.other, None, "resigned")
        elif self.agreed:
            result = Result(None, 0.0, "agreed")
        elif outcome is not None:
            reason = "" if self.game.name == "othello" else outcome.reason
            result = Result(outcome.winner, outcome.margin, reason)
        start, usual = self._positions[0].fen(), self.game.start(self.rules).fen()
        return GameRecord(
            self.game.name,
            tuple(PlayedMove(move) for move in self._moves),
            None if start == usual else start,
            players,
            date=date,
            result=result,
            rules=self.rules,
        )
