"""How a variant writes positions, moves and scores: our own way, or another program's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fanqi.uci.answers import format_info
from fanqi.uci.flipello import FlipelloNotation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fanqi.game import Position
    from fanqi.search import Info
    from fanqi.uci.commands import Query, SetPosition

__all__ = ["VARIANTS", "Notation", "Variant"]


class Notation(Protocol):
    """Between what a host writes and what this program is made of."""

    @property
    def p1_clock(self) -> str | None:
        """The colour of p1's clock, where it is not the game's own."""

    def read_position(self, command: SetPosition) -> SetPosition:
        """The command in our own notation.

        Raises:
            ProtocolError: a position or move that this notation does not know.
        """

    def read_move(self, text: str, token: int) -> str:
        """A move in our own notation; ``token`` is its place in the line.

        Raises:
            ProtocolError: this notation does not know it.
        """

    def read_arguments(self, query: Query) -> tuple[str, ...]:
        """The arguments of a question about the position in our own notation.

        Raises:
            ProtocolError: a move that this notation does not know.
        """

    def write_move(self, position: Position, move: str) -> str:
        """A canonical move that is legal in ``position``."""

    def write_position(self, position: Position) -> str:
        """What ``position fen`` takes."""

    def write_answer(self, query: Query, answer: str) -> str:
        """The game's answer to a question about the position."""

    def reword(self, reason: str) -> str:
        """A reason that the rules gave, with the moves in it."""

    def picture(self, position: Position) -> Iterable[str]:
        """Lines for people."""

    def info_line(self, position: Position, info: Info) -> str:
        """The ``info`` line of a report about ``position``."""

    def final_lines(self, position: Position) -> Iterable[str]:
        """What is said before ``bestmove (none)`` where the game is over."""


class OwnNotation:
    """docs/protocol.md."""

    p1_clock = None

    def read_position(self, command: SetPosition) -> SetPosition:
        return command

    def read_move(self, text: str, token: int) -> str:
        return text

    def read_arguments(self, query: Query) -> tuple[str, ...]:
        return query.arguments

    def write_move(self, position: Position, move: str) -> str:
        return move

    def write_position(self, position: Position) -> str:
        return position.fen()

    def write_answer(self, query: Query, answer: str) -> str:
        return answer

    def reword(self, reason: str) -> str:
        return reason

    def picture(self, position: Position) -> Iterable[str]:
        return position.picture().splitlines()

    def info_line(self, position: Position, info: Info) -> str:
        return format_info(info)

    def final_lines(self, position: Position) -> Iterable[str]:
        outcome = position.outcome()
        reason = "" if outcome is None else f" ({outcome.reason})"
        return (f"info string the game is over{reason}",)


@dataclass(frozen=True, slots=True)
class Variant:
    """A value of ``UCI_Variant``: a game, and how it is written."""

    game: str
    notation: Notation


VARIANTS = {
    "othello": Variant("othello", OwnNotation()),
    "banqi": Variant("banqi", OwnNotation()),
    "flipello": Variant("othello", FlipelloNotation()),
}
