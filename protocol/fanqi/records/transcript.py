"""Transcripts: the moves as one string, ``f5d6c3d3c4``, one game a line; openings, book lines and XOT lists too.

Read are pairs of letter and digit in any case, with or without blanks and move numbers, and passes in any spelling;
usually passes are left out. A game that does not begin at the start has its board in front, ``<64 cells><side>;moves``,
as Edax writes it.
"""

from __future__ import annotations

import re

from fanqi.records.errors import RecordError
from fanqi.records.game import GameRecord
from fanqi.records.othello import START, Token, assemble, error_at, read_board, read_move, require_othello

__all__ = ["format_transcript", "parse_transcript"]

WORD = re.compile(
    r"(?P<move>[A-Ha-h][1-8]|pass|pa|ps|--|@@@@)|(?P<number>[0-9]{1,3}\.++|(?<!\w)[0-9]{1,3})|(?P<blank>[\s,]++)",
    re.IGNORECASE,
)


def parse_transcript(text: str) -> GameRecord:
    """Read one line.

    Raises:
        RecordError: something is no move, no number and no blank, or a move is not legal.
    """
    board, semicolon, _ = text.partition(";")
    start, at = (read_board(text, 0, board), len(board) + 1) if semicolon else (None, 0)
    return play_transcript(text, at, start)


def play_transcript(text: str, at: int, start: str | None) -> GameRecord:
    """The game whose moves are the text from this place on.

    Raises:
        RecordError: as for `parse_transcript`.
    """
    tokens: list[Token] = []
    end = len(text.rstrip())
    while at < end:
        found = WORD.match(text, at)
        if found is None:
            raise error_at(text, at, "not a move; expected a square a1 to h8, or a pass", text[at : at + 10].split()[0])
        if word := found["move"]:
            tokens.append(Token(read_move(text, at, word), at, word))
        at = found.end()
    moves, result = assemble(text, tokens, start)
    return GameRecord("othello", moves, start, result=result)


def format_transcript(record: GameRecord) -> str:
    """One line, without its newline, that `parse_transcript` reads back: only the moves survive.

    Passes are left out as everybody does, except at the end, where no move would tell of them. A game without moves is
    written as its board.

    Raises:
        RecordError: not an Othello game.
    """
    require_othello(record, "a transcript")
    names = [move.move for move in record.moves]
    moves = "".join(name for name in names if name != "pass")
    if names and names[-1] == "pass":
        moves += "pass"
    if record.start is None and moves:
        return moves
    return f"{(record.start or START).replace(' ', '')};{moves}"


def is_transcript(text: str) -> bool:
    """Whether a line looks like one: moves and nothing else, legal or not, perhaps after a board and a semicolon."""
    board, semicolon, moves = text.partition(";")
    if semicolon:
        try:
            read_board(text, 0, board)
        except RecordError:
            return False
    else:
        moves = text
    at, some = 0, bool(semicolon)
    while found := WORD.match(moves, at):
        at, some = found.end(), some or found["move"] is not None
    return some and at == len(moves)
