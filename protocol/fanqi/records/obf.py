"""OBF, the one-line position of Othello test sets: 64 cells, the side to move, and scores of moves if known.

``--XXXXX--OOOXX-O-… X; G8:+18; H1:+12;`` as in the FFO endgame test. Also read: a ``%`` before the scores, blanks
anywhere in the board, tabs with other columns behind the board, which are kept as they are, and moves behind the board.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.othello.notation import MOVE_NUMBERS, format_move, parse_move
from fanqi.records.errors import RecordError
from fanqi.records.game import GameRecord
from fanqi.records.numbers import decimal
from fanqi.records.othello import START, error_at, read_board, require_othello, start_position
from fanqi.records.transcript import play_transcript

if TYPE_CHECKING:
    from fanqi.othello import Position

__all__ = ["Problem", "format_obf", "format_problem", "parse_obf", "parse_problem"]

BOARD = re.compile(r"\s*+(?:[-._XxOo*BbWw0]\s*+){64}[XxOo*BbWw0](?=[\s;%]|$)")
SCORE = re.compile(r"([A-Ha-h][1-8]|[Pp][AaSs](?:ss|SS)?)\s*+:\s*+([+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?)")
MOVES = re.compile(
    r"[ ;,\r\n]*+(?:moves[ ]++)?(?:[0-9]{1,3}[ ]*+\.++[ ]*+)?(?=[a-h][1-8](?!\s*+:)|(?:pass|pa|ps)\b|--(?!-))",
    re.IGNORECASE,
)
"""What may stand between a board and moves. A tab may not: other columns are behind it."""

SCORES_TAG = "scores"
COMMENT_TAG = "comment"


@dataclass(frozen=True, slots=True)
class Problem:
    """A position, and what its moves are worth.

    Attributes:
        position: in the notation of `fanqi.game.Game.parse`.
        scores: (move, disc difference for the side to move), best first as they were given.
        comment: what else stood on the line.
    """

    position: str
    scores: tuple[tuple[str, float], ...] = ()
    comment: str = ""


def parse_problem(text: str) -> Problem:
    """Read one line.

    Raises:
        RecordError: it does not begin with 64 cells and a side to move.
    """
    board = BOARD.match(text)
    if board is None:
        cells = text.partition(";")[0].strip()
        raise error_at(text, len(text) - len(text.lstrip()), "expected 64 cells and the side to move", cells)
    position = read_board(text, board.start(), board.group()) or START
    if moves := MOVES.match(text, board.end()):
        raise error_at(text, moves.end(), "a move behind the board; expected scores or a comment", text[moves.end() :])
    rest = text[board.end() :].strip().strip("%;").strip()
    scores: list[tuple[str, float]] = []
    parts = [part.strip() for part in rest.split(";") if part.strip()]
    for part in parts:
        found = SCORE.fullmatch(part)
        if found is None:
            break
        scores.append((format_move(parse_move(found[1])), float(found[2])))
    return Problem(position, tuple(scores), "; ".join(parts[len(scores) :]))


def format_problem(problem: Problem) -> str:
    """One line, without its newline, that `parse_problem` reads back."""
    scores = "".join(f" {move.upper()}:{score:+g};" for move, score in problem.scores)
    # behind a tab are other columns, which are no moves whatever they look like
    blank = "\t" if not scores and MOVES.match(problem.comment) else " "
    comment = f"{blank}{problem.comment}" if problem.comment else ""
    return f"{problem.position};{scores}{comment}"


def parse_obf(text: str) -> GameRecord:
    """Read one line as a game without moves; scores and comment are tags. Moves right behind the board are played.

    Raises:
        RecordError: as for `parse_problem`, or a move cannot be read or is not legal.
    """
    board = BOARD.match(text)
    if board is not None and (moves := MOVES.match(text, board.end())):
        return play_transcript(text, moves.end(), read_board(text, board.start(), board.group()))
    problem = parse_problem(text)
    tags = []
    if problem.scores:
        tags.append((SCORES_TAG, " ".join(f"{move}:{score:+g}" for move, score in problem.scores)))
    if problem.comment:
        tags.append((COMMENT_TAG, problem.comment))
    start = None if problem.position == START else problem.position
    return GameRecord("othello", (), start, tags=tuple(tags))


def format_obf(record: GameRecord) -> str:
    """The position after the last move, as one line; scores and comment only if there were no moves.

    Raises:
        RecordError: not an Othello game, or a move in it is not legal.
    """
    require_othello(record, "OBF")
    if record.moves:
        position: Position = start_position(record)
        for played in record.moves:
            position = position.play(played.move)
        return format_problem(Problem(position.fen()))
    scores = []
    for item in (record.tag(SCORES_TAG) or "").split():
        move, _, score = item.partition(":")
        value = decimal(score)
        if move.lower() not in MOVE_NUMBERS or value is None:
            raise RecordError("not a move and its score", item)
        scores.append((move.lower(), value))
    return format_problem(Problem(record.start or START, tuple(scores), record.tag(COMMENT_TAG) or ""))
