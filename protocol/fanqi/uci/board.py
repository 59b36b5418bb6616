"""What stands on a session's board: a game, its rule parameters, and the position command that led there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.game import MoveError, PositionError
from fanqi.uci.commands import SetPosition
from fanqi.uci.errors import ProtocolError

if TYPE_CHECKING:
    from fanqi.game import Game, Position

__all__ = ["START", "Board"]

START = SetPosition()


@dataclass(frozen=True, slots=True)
class Board:
    """A position and how it came about; immutable, so that a refused command changes nothing.

    Attributes:
        game: whose position it is.
        rules: the rule parameters it is played under.
        setup: the command that set it up.
        position: what that command leads to.
    """

    game: Game
    rules: str
    setup: SetPosition
    position: Position

    @classmethod
    def of(cls, game: Game, rules: str, setup: SetPosition = START) -> Board:
        """Set up a position and play its moves.

        Raises:
            ProtocolError: the position or a move is refused.
            RulesError: the rule parameters are.
        """
        return cls(game, rules, setup, replay(origin(game, rules, setup), setup, 0))

    def follow(self, setup: SetPosition) -> Board:
        """The board after another position command.

        When it only adds moves to the last one, as hosts do move after move, only those are played.

        Raises:
            ProtocolError: the position or a move is refused.
        """
        played = len(self.setup.moves)
        if setup.fen == self.setup.fen and setup.moves[:played] == self.setup.moves:
            position = replay(self.position, setup, played)
        else:
            position = replay(origin(self.game, self.rules, setup), setup, 0)
        return Board(self.game, self.rules, setup, position)


def origin(game: Game, rules: str, setup: SetPosition) -> Position:
    """The position a command starts from."""
    if setup.fen is None:
        return game.start(rules)
    try:
        return game.parse(setup.fen, rules)
    except PositionError as error:
        raise ProtocolError(error.reason, setup.fen_token, error.text) from None


def replay(position: Position, setup: SetPosition, first: int) -> Position:
    """``position`` after the moves of ``setup`` from index ``first`` on."""
    for index in range(first, len(setup.moves)):
        try:
            position = position.play(setup.moves[index])
        except MoveError as error:
            raise ProtocolError(error.reason, setup.move_token(index), setup.moves[index]) from None
    return position
