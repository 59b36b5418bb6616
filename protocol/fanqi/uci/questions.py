"""Answers to ``query``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import GameError, Player
from fanqi.uci.errors import ProtocolError

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.uci.commands import Query
    from fanqi.uci.notation import Notation

__all__ = ["answer_query"]

COMMON = ("gameover", "result", "reason", "p1turn", "legal", "score", "fen")


def answer_query(query: Query, position: Position, scoring: str, notation: Notation) -> str:
    """What stands after ``response``.

    Args:
        scoring: the convention by which ``score`` counts; "" where the game has none.
        notation: how moves and positions are written.

    Raises:
        ProtocolError: an unknown question, or one with wrong arguments.
    """
    if query.what not in COMMON:
        return ask_game(query, position)
    if query.arguments:
        raise ProtocolError("unexpected word", 3, query.arguments[0])
    match query.what:
        case "p1turn":
            return str(position.turn is Player.P1).lower()
        case "legal":
            return " ".join(notation.write_move(position, move) for move in position.legal_moves()) or "(none)"
        case "fen":
            return notation.write_position(position)
        case what:
            return answer_outcome(what, position, scoring)


def answer_outcome(what: str, position: Position, scoring: str) -> str:
    """Whether and how the game has ended."""
    outcome = position.outcome(scoring)
    if what == "gameover":
        return str(outcome is not None).lower()
    if outcome is None:
        return "none"
    if what == "reason":
        return outcome.reason
    if what == "score":
        return f"{outcome.margin:g}"
    return "draw" if outcome.winner is None else f"{outcome.winner.name.lower()}win"


def ask_game(query: Query, position: Position) -> str:
    """A question that only the game itself understands."""
    try:
        return position.facts(query.what, query.arguments)
    except GameError as error:
        texts = (query.what, *query.arguments)
        place = texts.index(error.text) if error.text in texts else 0
        raise ProtocolError(error.reason, 2 + place, texts[place]) from None
