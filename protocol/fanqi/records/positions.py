"""One reader for every way in which people write a position down: paste what you have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fanqi.game import GameError, Position, load_game
from fanqi.othello import Position as OthelloPosition
from fanqi.records.errors import RecordError
from fanqi.records.fen import parse_fen
from fanqi.records.ggf import START_OF_GAME, parse_ggf
from fanqi.records.obf import BOARD, parse_problem
from fanqi.records.transcript import parse_transcript

if TYPE_CHECKING:
    from fanqi.records.game import GameRecord

__all__ = ["final_position", "parse_position"]

BANQI_BOARD = re.compile(r"\s*(?:[KGMRNCPXkgmrncp.]{4}/){7}[KGMRNCPXkgmrncp.]{4}(?:\s|$)")
CHESS_BOARD = re.compile(r"\s*(?:[Pp1-8]{1,8}/){7}[Pp1-8]{1,8}")
GGF_BOARD = re.compile(r"\s*(?:BO\[)?\s*8\s+([-*O\s]+)\]?\s*")
MOVES_AFTER_BOARD = re.compile(r";\s*[A-Ha-h][1-8](?!\s*:)")
START_WORDS = {"startpos": "othello", "start": "othello", "othello": "othello", "banqi": "banqi"}


def parse_position(text: str, rules: str = "") -> tuple[str, Position]:
    """The game and the position that a text stands for.

    Read are ``startpos``, ``othello`` and ``banqi`` (the start positions), a banqi position, an OBF or FFO line, the
    board of a GGF record or the whole record (its end), a FEN of Edax or of Fairy-Stockfish's ``flipello``, and a
    transcript (its end).

    Args:
        rules: for banqi.

    Raises:
        RecordError: it is none of these, or it cannot be.
    """
    word = text.strip().lower()
    try:
        if game := START_WORDS.get(word):
            return game, load_game(game).start(rules if game == "banqi" else "")
        if BANQI_BOARD.match(text):
            return "banqi", load_game("banqi").parse(text, rules)
        if CHESS_BOARD.match(text):
            return "othello", OthelloPosition.from_fen(parse_fen(text))
        if board := GGF_BOARD.fullmatch(text):
            return "othello", OthelloPosition.from_fen(board[1])
        if START_OF_GAME.match(text):
            return "othello", final_position(parse_ggf(text))
        if BOARD.match(text) and not MOVES_AFTER_BOARD.search(text):
            return "othello", OthelloPosition.from_fen(parse_problem(text).position)
        return "othello", final_position(parse_transcript(text))
    except GameError as error:
        raise RecordError(error.reason, error.text) from None


def final_position(record: GameRecord) -> Position:
    """The position after the last move of a game of either kind."""
    game = load_game(record.game)
    position = game.start(record.rules) if record.start is None else game.parse(record.start, record.rules)
    for move in record.moves:
        position = position.play(move.move)
    return position
