"""How players, moves, results and lines are called wherever a review is shown; what a file says may be anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.drawing import ending_words
from fanqi.game import Player
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from fanqi.analysis.review import GameReview, Line
    from fanqi.analysis.terms import Terms
    from fanqi.game import Position
    from fanqi.records import GameRecord

__all__ = ["SEATS", "game_facts", "limits_text", "line_text", "result_text", "seat_name", "side_name", "title_of"]

SEATS = {Player.P1: "p1", Player.P2: "p2"}
COLOURS = {"othello": ("Black", "White"), "banqi": ("first", "second")}
BANQI_COLOURS = ("red", "black")


def seat_name(record: GameRecord, player: Player) -> str:
    """A player's name; without one, the colour or the seat."""
    return shown(record.players[player - 1]) or COLOURS[record.game][player - 1]


def side_name(review: GameReview, player: Player) -> str:
    """What a player plays: ``Black``; ``first, red`` in banqi once that is known."""
    seat = COLOURS[review.record.game][player - 1]
    colour = getattr(review.boards[-1], "colour", lambda player: None)(player)
    return seat if colour is None else f"{seat}, {BANQI_COLOURS[colour]}"


def title_of(record: GameRecord) -> str:
    """Who played whom."""
    if not any(record.players):
        return {"othello": "Othello", "banqi": "Banqi"}[record.game]
    return " – ".join(seat_name(record, player) for player in Player)


def result_text(record: GameRecord) -> str:
    """How the game ended by the record: ``Black wins by 8``, ``White wins (time)``, ``drawn``, ``unfinished``."""
    result = record.result
    if result is None:
        return "unfinished"
    reason = f" ({shown(ending_words(result.reason))})" if result.reason else ""
    if result.winner is None:
        return f"drawn{reason}"
    margin = f" by {abs(result.margin):g}" if result.margin and not (result.reason and record.game == "othello") else ""
    return f"{seat_name(record, result.winner)} wins{margin}{reason}"


def limits_text(terms: Terms, game: str) -> str:
    """Under which limits positions were searched."""
    limits = terms.limits
    parts = [f"depth {limits.depth}"] if limits.depth is not None else []
    parts += [f"{limits.movetime_ms} ms"] if limits.movetime_ms is not None else []
    parts += [f"{limits.nodes:,} nodes"] if limits.nodes is not None else []
    if game == "banqi":
        parts.append("exact from the endgame tables")
    elif terms.exact:
        parts.append(f"exact from {terms.exact} empties")
    return ", ".join(parts)


def game_facts(review: GameReview) -> list[tuple[str, str]]:
    """What there is to know about a game, by name."""
    record, terms = review.record, review.terms
    found = [("result", result_text(record))] if record.moves else []
    if record.date:
        found.append(("date", shown(record.date)))
    if record.place:
        found.append(("place", shown(record.place)))
    if terms.objective == "fewest":
        found.append(("objective", "fewest discs win"))
    if terms.draw_line:
        found.append(("komi", f"{terms.draw_line:+g} for Black to draw"))
    if record.rules:
        found.append(("rules", record.rules))
    found.append(("searched", limits_text(terms, record.game)))
    return found


def line_text(line: Line, board: Position, most: int | None = None) -> str:
    """The moves of a line, as many as are wanted."""
    moves = line.moves[:most]
    return " ".join("flip " + move if board.needs_reveal(move) else move for move in moves)
