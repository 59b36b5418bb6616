"""The game on a translator's board: start, moves, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import MoveError, Player
from fanqi.othello import Position
from fanqi.othello.notation import parse_move

if TYPE_CHECKING:
    from fanqi.records import GameRecord

__all__ = ["OthelloGame"]


class OthelloGame:
    """A position and how it came about.

    Attributes:
        start: where the game began.
        moves: the plies since, canonical, passes included.
    """

    def __init__(self, start: Position | None = None) -> None:
        self.start = start or Position()
        self.moves: list[str] = []
        self._positions = [self.start]
        self._steps: list[int] = []  # plies of each `play`, so that `undo` takes an inserted pass back as well

    @classmethod
    def of_record(cls, record: GameRecord) -> OthelloGame:
        """The game of a record whose moves are legal, as readers make sure, by the usual rules."""
        game = cls(None if record.start is None else Position.from_fen(record.start))
        for move in record.moves:
            game.play(move.move)
        return game

    @property
    def position(self) -> Position:
        """The board now."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position from the start on."""
        return tuple(self._positions)

    @property
    def over(self) -> bool:
        """Whether neither side can move."""
        return not self.position.legal_moves()

    @property
    def start_fen(self) -> str | None:
        """The start as `fanqi.uci.SetPosition` takes it."""
        return None if self.start == Position() else self.start.fen()

    def play(self, move: str) -> None:
        """Play a move of the side to move; a forced pass before it may be left out.

        Raises:
            fanqi.game.MoveError: it is no move, or not legal.
        """
        plies = self.position.expand(move)
        for ply in plies:
            self._positions.append(self.position.play(ply))
            self.moves.append(ply)
        self._steps.append(len(plies))

    def unturned(self) -> Position:
        """The board as a program sees it that turns no discs: each one in the colour in which it was played."""
        black, white = self.start.black, self.start.white
        for position, move in zip(self._positions, self.moves, strict=False):
            if move != "pass":
                bit = 1 << parse_move(move)
                black, white = (black | bit, white) if position.turn is Player.P1 else (black, white | bit)
        return Position(black, white, self.position.turn)

    def can_move(self, player: Player) -> bool:
        """Whether it is that player's turn, if need be by the other one's forced pass."""
        return self.position.turn is player or self.position.legal_moves() == ("pass",)

    def play_as(self, player: Player, move: str) -> None:
        """Play a move of a player who `can_move`; a pass of the other one is put in before it if need be.

        Raises:
            fanqi.game.MoveError: it is no move, or that player cannot play it.
        """
        if self.position.turn is player:
            plies = self.position.expand(move)
            if len(plies) > 1:
                raise MoveError(move, "the other side's; legal: pass")
        elif move == "pass":
            raise MoveError(move, "not legal, since the other side has to pass first")
        self.play(move)

    def undo(self) -> bool:
        """Take the last move back, with a pass that was put in before it; False at the start."""
        if not self._steps:
            return False
        for _ in range(self._steps.pop()):
            self._positions.pop()
            self.moves.pop()
        return True
