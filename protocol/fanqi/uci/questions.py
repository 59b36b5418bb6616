"""Answers to ``query``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import GameError, Player, QuestionError
from fanqi.uci.errors import END_OF_LINE, ProtocolError

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
        return ask_game(query, position, notation)
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


def ask_game(query: Query, position: Position, notation: Notation) -> str:
    """A question that only the game itself understands."""
    own = notation.read_arguments(query)
    try:
        return notation.write_answer(query, position.facts(query.what, own))
    except QuestionError as error:
        known = (*COMMON, *error.known)
        what = f"no such question here; expected {', '.join(known[:-1])} or {known[-1]}"
        raise ProtocolError(what, 2, query.what) from None
    except GameError as error:
        reason = notation.reword(error.reason)
        if error.text in own:
            index = own.index(error.text)
            raise ProtocolError(reason, 3 + index, query.arguments[index]) from None
        if error.text:
            raise ProtocolError(reason, 2, query.what) from None
        raise ProtocolError(reason, 3 + len(own), END_OF_LINE) from None
