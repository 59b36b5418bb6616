"""Records of the Taiwanese banqi client (TCGA tournaments).

::

    INITIAL
    * 3:28pm Jan 13, 2022
    * playerA vs playerB
    * 1 2 2 2 2 2 5 1 2 2 2 2 2 5      covered pieces, K G M R N C P of red, then of black
    * X X X X                          eight rows, row 8 first; X covered, - empty, capitals red
    …
    * first 0                          kept as it is, see below
    * time 900                         seconds a side
    * 1. b8(P) a8(p)                   a flip and what it showed; then the answer
    * 2. b8-a8 c8(p)                   a step or a capture
    * NoMove playerA wins 1,0
    * Comment 0 0

The player named first moves first: that is so in every real record at hand, ``first 0`` or ``first 1``, as the results
show; what the number means is not known. The client plays without the chase ban. What follows the comment, the clock
of every move and the engines' own mutterings, is skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fanqi.banqi import Position, Rules
from fanqi.banqi.board import COVERED, LETTERS, PIECE_ORDER, code_of_letter
from fanqi.banqi.notation import START, parse_move, parse_setup
from fanqi.game import GameError, MoveError, Player
from fanqi.records.errors import RecordError
from fanqi.records.game import GameRecord, PlayedMove, Result
from fanqi.records.numbers import decimal

__all__ = ["RULES", "format_tcga", "parse_tcga"]

RULES = "chase=off,noprogress=999"
"""Rules that refuse nothing the client plays: it ends games by its own count of quiet plies and repetitions."""

COUNTS = re.compile(r"[0-9](?: [0-9]){13}")
ROW = re.compile(r"[KGMRNCPXkgmrncp-](?: [KGMRNCPXkgmrncp-]){3}")
MOVES = re.compile(r"([0-9]{1,9})\.((?: ++\S++){0,2})")
RESULT = re.compile(
    r"(?P<reason>\S+) (?P<who>.*) (?P<what>wins|draw) (?P<first>[0-9.]{1,20}),(?P<second>[0-9.]{1,20})",
    re.IGNORECASE,
)

REASONS = {
    "NoMove": "no_moves",
    "NoEatFlipDraw": "no_progress",
    "PositionRepetitionDraw": "repetition",
    "TimeOut": "time",
    "Resign": "resigned",
}
WORDS = {reason: word for word, reason in REASONS.items()} | {"extinct": "NoMove", "all_banned": "NoMove"}

FIRST_TAG = "first"
RESULT_TAG = "tcga_result"
TIME_TAG = "time"
COMMENT_TAG = "tcga_comment"
MODE_TAG = "tcga_mode"
DEFAULT_MODE = "INITIAL"
UNKNOWN = "?"  # a player without a name


@dataclass(slots=True)
class Lines:
    """What the lines of one record have said so far."""

    mode: str = DEFAULT_MODE
    date: str | None = None
    players: tuple[str, str] | None = None
    counts: list[int] | None = None
    rows: list[str] = field(default_factory=list)
    moves: list[tuple[int, int, str]] = field(default_factory=list)
    result: re.Match[str] | None = None
    tags: dict[str, str] = field(default_factory=dict)
    over: bool = False


def parse_tcga(text: str) -> GameRecord:
    """Read one record.

    Raises:
        RecordError: a line is none of a record's, the board cannot be, or a move is not legal.
    """
    lines = Lines()
    for number, line in enumerate(text.split("\n"), 1):
        if lines.over or not line.strip():
            continue
        if line.startswith("*"):
            read_line(lines, number, line)
        elif number == 1:
            lines.mode = line.strip()
        else:
            raise RecordError("a line of a record starts with '*'", line, line=number, column=1)
    if lines.players is None:
        raise RecordError("no line '* A vs B'", line=1, column=1)
    start, position = read_start(lines)
    moves = play(position, lines.moves)
    tags = dict(lines.tags)
    if lines.mode != DEFAULT_MODE:
        tags[MODE_TAG] = lines.mode
    return GameRecord(
        "banqi",
        moves,
        start,
        lines.players,
        date=lines.date or "",
        result=read_result(lines.result),
        rules=RULES,
        tags=tuple(tags.items()),
    )


def read_line(lines: Lines, number: int, line: str) -> None:
    """Take over one line that starts with an asterisk."""
    body = line[1:].strip()
    column = line.find(body) + 1 if body else 1
    if lines.date is None:
        lines.date = body
    elif lines.players is None:
        first, versus, second = body.partition(" vs ")
        if not versus:
            raise RecordError("expected '* A vs B'", body, line=number, column=column)
        lines.players = (first.strip().strip(UNKNOWN), second.strip().strip(UNKNOWN))
    elif lines.counts is None and COUNTS.fullmatch(body):
        lines.counts = [int(word) for word in body.split()]
    elif ROW.fullmatch(body) and len(lines.rows) < 8:
        lines.rows.append(body.replace(" ", "").replace("-", "."))
    elif found := MOVES.fullmatch(body):
        for move in re.finditer(r"\S+", found[2]):
            lines.moves.append((number, column + found.start(2) + move.start(), move[0]))
    elif found := RESULT.fullmatch(body):
        lines.result = found
        lines.tags[RESULT_TAG] = body
    elif (word := body.partition(" ")) and word[0] in ("first", "time"):
        if word[0] == "first" and word[2] not in ("0", "1"):
            raise RecordError("expected first 0 or first 1", body, line=number, column=column)
        lines.tags[FIRST_TAG if word[0] == "first" else TIME_TAG] = word[2]
    elif word[0] == "Comment":
        lines.tags[COMMENT_TAG] = word[2]
        lines.over = True
    else:
        raise RecordError("not a line of a record", body, line=number, column=column)


def read_start(lines: Lines) -> tuple[str | None, Position]:
    """The start position; the first step tells whose turn it was where pieces lie open already.

    Raises:
        RecordError: board and counts contradict each other.
    """
    rules = Rules.parse(RULES)
    covered_everywhere = all(row == "XXXX" for row in lines.rows)
    if not lines.rows or (covered_everywhere and lines.counts in (None, [1, 2, 2, 2, 2, 2, 5] * 2)):
        return None, Position.parse(START, rules)
    if len(lines.rows) != 8:
        raise RecordError(f"{len(lines.rows)} rows of the board; expected 8", line=1, column=1)
    board = "/".join(lines.rows)
    counts = lines.counts or [0] * 14
    hidden = "".join(piece * count for piece, count in zip(PIECE_ORDER, counts, strict=True)) or "-"
    turns = ("r", "b") if board.strip("X./") else ("?0",)
    try:
        positions = [Position.parse(f"{board} {hidden} {turn} 0 -", rules) for turn in turns]
    except GameError as error:
        raise RecordError(error.reason, f"{board} {hidden}", line=1, column=1) from None
    chosen = next((position for position in positions if playable(position, lines.moves)), positions[0])
    return chosen.fen(), chosen


def playable(position: Position, moves: list[tuple[int, int, str]]) -> bool:
    """Whether all of the moves are legal from here."""
    try:
        play(position, moves)
    except RecordError:
        return False
    return True


def play(position: Position, moves: list[tuple[int, int, str]]) -> tuple[PlayedMove, ...]:
    """The moves in canonical notation, each checked.

    Raises:
        RecordError: a word is not a move, or the move is not legal.
    """
    played = []
    for line, column, text in moves:
        try:
            name = str(parse_move(text))
            position = position.play(name)
        except MoveError as error:
            raise RecordError(error.reason, text, line=line, column=column) from None
        played.append(PlayedMove(name))
    return tuple(played)


def read_result(found: re.Match[str] | None) -> Result | None:
    """The result; the points are in the order of the names."""
    if found is None:
        return None
    reason, scores = found["reason"].partition(",")[0], (decimal(found["first"]), decimal(found["second"]))
    if scores[0] is None or scores[1] is None:
        return None
    winner = None if scores[0] == scores[1] else Player.P1 if scores[0] > scores[1] else Player.P2
    return Result(winner, None, REASONS.get(reason, reason))


def format_tcga(record: GameRecord) -> str:
    """The lines, each with its newline, that `parse_tcga` reads back.

    Raises:
        RecordError: not a banqi game, or its start position cannot be read.
    """
    if record.game != "banqi":
        raise RecordError("a TCGA record holds banqi games only", record.game)
    first, second = (name or UNKNOWN for name in record.players)
    counts, rows = format_start(record)
    lines = [record.date, f"{first} vs {second}", counts, *rows]
    lines += [f"first {record.tag(FIRST_TAG) or '0'}", f"time {record.tag(TIME_TAG) or '900'}"]
    names = [format_move(move.move) for move in record.moves]
    lines += [f"{ply // 2 + 1}. {' '.join(names[ply : ply + 2])}" for ply in range(0, len(names), 2)]
    if record.result is not None:
        lines.append(record.tag(RESULT_TAG) or format_result(record.result, (first, second)))
    lines.append(f"Comment {record.tag(COMMENT_TAG) or '0 0'}")
    mode = record.tag(MODE_TAG) or DEFAULT_MODE
    return "".join(f"{line}\n" for line in (mode, *(f"* {line}".rstrip() for line in lines)))


def format_start(record: GameRecord) -> tuple[str, list[str]]:
    """The line of counts and the eight rows."""
    try:
        setup = parse_setup(record.start or START, Rules.parse(record.rules))
    except GameError as error:
        raise RecordError(error.reason, record.start or record.rules) from None
    counts = " ".join(str(setup.hidden.count(code_of_letter(piece) or 0)) for piece in PIECE_ORDER)
    letters = ["-" if not code else "X" if code == COVERED else LETTERS[code] for code in setup.codes]
    return counts, [" ".join(letters[square : square + 4]) for square in range(28, -1, -4)]


def format_move(move: str) -> str:
    """``b8(P)`` or ``b8-a8``."""
    return f"{move[:2]}({move[3]})" if "=" in move else f"{move[:2]}-{move[2:]}"


def format_result(result: Result, names: tuple[str, str]) -> str:
    """``NoMove playerA Wins 1.000000,0.000000``, the points in the order of the names."""
    reason = WORDS.get(result.reason, result.reason or "NoMove")
    match result.winner:
        case None:
            return f"{reason} {names[0]} Draw 0.500000,0.500000"
        case Player.P1:
            return f"{reason} {names[0]} Wins 1.000000,0.000000"
        case Player.P2:
            return f"{reason} {names[1]} Wins 0.000000,1.000000"
