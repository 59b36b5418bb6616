"""One reader for every way in which people write a position down: paste what you have."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.game import GameError, PositionError, game_of_rules, load_game
from fanqi.records.errors import RecordError
from fanqi.records.fen import parse_fen
from fanqi.records.game import GameRecord, PlayedMove
from fanqi.records.ggf import START_OF_GAME, parse_ggf
from fanqi.records.obf import BOARD, parse_obf
from fanqi.records.othello import error_at, read_board
from fanqi.records.transcript import parse_transcript, play_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.game import Position

__all__ = ["final_position", "parse_game_or_position", "parse_position", "positions"]

START_WORD = re.compile(r"\s*+(startpos|start|othello|banqi)\b", re.IGNORECASE)
HAND = re.compile(r"[-XO] ?[XO] \d{1,2}\Z")
"""The end of a position of old Reversi."""
BANQI_BOARD = re.compile(r"\s*+(?:[KGMRNCPXkgmrncp.]{4}/){7}[KGMRNCPXkgmrncp.]{4}(?:\s|$)")
CHESS_BOARD = re.compile(r"\s*+(?:[Pp1-8]{1,8}/){7}[Pp1-8]{1,8}")
FEN = re.compile(
    CHESS_BOARD.pattern + r"/?(?P<pocket>\[\w*+\])?\s++[bw](?:\s++(?:-|[0-9]{1,9}(?!\.)|[KQkq]{1,4})(?=\s|$))*+(?=\s|$)"
)
GGF_BOARD = re.compile(r"\s*+(?:BO\[\s*+)?8\s++((?:[-*O]\s*+)++)\]?")
MOVES = re.compile(r"[\s;,]*+(?:moves\b\s*+)?", re.IGNORECASE)
START_WORDS = {"startpos": "othello", "start": "othello", "othello": "othello", "banqi": "banqi"}


def parse_position(text: str, rules: str = "") -> tuple[str, Position]:
    """The game and the position that a text stands for; of a game, its end. See `parse_game_or_position`.

    Raises:
        RecordError: it is neither, or it cannot be.
    """
    record = parse_game_or_position(text, rules)
    return record.game, final_position(record)


def parse_game_or_position(text: str, rules: str = "") -> GameRecord:
    """What a text stands for: a game, or a position as a game without moves.

    Read are ``startpos``, ``othello`` and ``banqi`` (the start positions), a banqi position, an OBF or FFO line, the
    board of a GGF record or the whole record, a FEN of Edax or of Fairy-Stockfish's ``flipello``, and a transcript.
    Moves behind a position are played, with or without the word ``moves`` between them.

    Args:
        rules: rule parameters of one of the games. Under those of old Reversi a board, as
            `fanqi.othello.Position.from_fen` reads it, and the start position are read.

    Raises:
        RecordError: it is none of these, or it cannot be.
    """
    of_othello = game_of_rules(rules) == "othello"
    try:
        if word := START_WORD.match(text):
            game = START_WORDS[word[1].lower()]
            return played(GameRecord(game, rules=rules if game == "banqi" or of_othello else ""), text, word.end())
        if of_othello or BANQI_BOARD.match(text):
            game = "othello" if of_othello else "banqi"
            end = text.find(" moves ")
            end = len(text) if end < 0 else end
            start = load_game(game).parse(text[:end], rules).fen()
            return played(GameRecord(game, start=start, rules=rules), text, end)
        if HAND.search(text.partition(" moves ")[0].rstrip()):
            raise PositionError(text, "discs in hand are known under rules=1890 only")
        if CHESS_BOARD.match(text):
            return read_fen(text)
        if board := GGF_BOARD.match(text):
            return played(GameRecord("othello", start=read_board(text, board.start(1), board[1])), text, board.end())
        if START_OF_GAME.match(text):
            return parse_ggf(text)
        if BOARD.match(text):
            return parse_obf(text)
        return parse_transcript(text)
    except GameError as error:
        raise RecordError(error.reason, error.text) from None


def read_fen(text: str) -> GameRecord:
    """A FEN, and moves behind it."""
    fen = FEN.match(text)
    record = GameRecord("othello", start=parse_fen(text[: fen.end()] if fen else text))
    if fen and fen["pocket"] and text[fen.end() :].strip():
        raise error_at(text, fen.end(), "moves behind a FEN of flipello, whose squares are not ours", text[fen.end() :])
    return played(record, text, fen.end() if fen else len(text))


def played(record: GameRecord, text: str, at: int) -> GameRecord:
    """A game without moves, with those that stand in the text from this place on.

    Raises:
        RecordError: a word is not a move, or the move is not legal.
    """
    if word := MOVES.match(text, at):
        at = word.end()
    if at == len(text):
        return record
    if record.game == "othello" and not record.rules:
        game = play_transcript(text, at, record.start)
        return replace(record, moves=game.moves, result=game.result)
    position, moves = final_position(record), []
    for move in re.finditer(r"\S++", text[at:]):
        try:
            name = position.canonical(move[0])
            position = position.play(name)
        except GameError as error:
            raise error_at(text, at + move.start(), error.reason, move[0]) from None
        moves.append(PlayedMove(name))
    return replace(record, moves=tuple(moves))


def positions(record: GameRecord, plies: int | None = None) -> Iterator[Position]:
    """Every position of a game of either kind, from its start on.

    Args:
        plies: how many moves to play; all of them if None.

    Raises:
        RecordError: the start cannot be read, or a move is not legal.
    """
    game = load_game(record.game)
    try:
        position = game.start(record.rules) if record.start is None else game.parse(record.start, record.rules)
        yield position
        for move in record.moves[:plies]:
            position = position.play(move.move)
            yield position
    except GameError as error:
        raise RecordError(error.reason, error.text) from None


def final_position(record: GameRecord) -> Position:
    """The position after the last move of a game of either kind.

    Raises:
        RecordError: as for `positions`.
    """
    last, *_ = list(positions(record))[::-1]
    return last
