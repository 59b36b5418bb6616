"""GGF, the generic game format of the Generic Game Server and of NBoard.

``(;GM[Othello]PC[GGS/os]PB[a]PW[b]RE[+2.000]BO[8 -------- … *]B[f5/1.00/0.50]W[d6//0.70];)``: tags in any order, then
moves as ``move/evaluation/seconds``. Values end at the first ``]``, since nobody escapes it. Archives put one record a
line behind the number of its games, as in ``1 (;…;)``; servers break one over several lines that start with ``|``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fanqi.game import Player
from fanqi.records.game import GameRecord, PlayedMove, Result
from fanqi.records.numbers import decimal
from fanqi.records.othello import (
    START,
    Token,
    assemble,
    error_at,
    read_board,
    read_move,
    require_othello,
    start_position,
)

__all__ = ["format_ggf", "parse_ggf"]

TAG = re.compile(r"[\s|]*+([A-Za-z]++)[\s|]*+\[([^\]]*+)\]")
END = re.compile(r"[\s|]*+;?[\s|]*+\)[\s|]*+")
START_OF_GAME = re.compile(r"[\s|]*+\d*+[\s|]*+\([\s|]*+;")

REASONS = {"r": "resigned", "t": "time", "s": "agreed", "l": "left", "a": "aborted"}
LETTERS = {reason: letter for letter, reason in REASONS.items()}

KEPT = ("TI", "TB", "TW", "TY", "KB", "KW", "KM")
"""Tags that stay in `GameRecord.tags` under their GGF names and are written again."""

IGNORED = frozenset(("GM", "US", "CP", "COPYRIGHT", "GN", "C", "BL", "WL", "NB", "NW", "EV", "LT"))


@dataclass(slots=True)
class Fields:
    """What the tags of one game have said so far."""

    start: str | None = None
    black: str = ""
    white: str = ""
    black_rating: float | None = None
    white_rating: float | None = None
    date: str = ""
    place: str = ""
    result: Result | None = None
    game: str | None = None


def parse_ggf(text: str) -> GameRecord:
    """Read one game, from ``(;`` to ``;)``.

    Case of tags and moves does not matter, passes may be missing, evaluations and times may be missing or ``NaN``, and
    tags that are not known are skipped.

    Raises:
        RecordError: it is no GGF game, not 8x8 Othello, or a move in it is not legal.
    """
    opening = START_OF_GAME.match(text)
    if opening is None:
        raise error_at(text, 0, "a GGF game starts with '(;'", text[:20])
    fields, tokens, tags = Fields(), [], []
    at = opening.end()
    while tag := TAG.match(text, at):
        name, value, value_at = tag[1].upper(), tag[2], tag.start(2)
        at = tag.end()
        if name in ("B", "W"):
            tokens.append(read_token(text, value, value_at, Player.P1 if name == "B" else Player.P2))
        elif name in KEPT:
            tags.append((name, clean(value)))
        else:
            if name == "BO" and tokens:
                raise error_at(text, value_at, "a board after the first move", value)
            read_field(fields, text, name, value, value_at)
    if not (ending := END.match(text, at)) or ending.end() != len(text):
        while at < len(text) and text[at] in " \t\r\n|":
            at += 1
        raise error_at(text, at, "expected TAG[value] or ';)'", text[at : at + 20])
    if fields.game is None and not tokens and fields.start is None:
        raise error_at(text, 0, "neither GM[Othello] nor a board nor a move", text[:20])
    moves, counted = assemble(text, tokens, fields.start)
    return GameRecord(
        "othello",
        moves,
        fields.start,
        (fields.black, fields.white),
        (fields.black_rating, fields.white_rating),
        fields.date,
        fields.place,
        fields.result or counted,
        tags=tuple(tags),
    )


def read_field(fields: Fields, text: str, name: str, value: str, at: int) -> None:
    """Take over one tag that is no move."""
    match name:
        case "GM":
            fields.game = value.strip()
            if fields.game.lower() not in ("othello", "reversi"):
                raise error_at(text, at, "a game of something else; expected GM[Othello]", value)
        case "BO":
            size, _, cells = clean(value).partition(" ")
            if size != "8":
                raise error_at(text, at, "board size: only 8 can be read", size)
            fields.start = read_board(text, at, cells)
        case "PB":
            fields.black = clean(value)
        case "PW":
            fields.white = clean(value)
        case "RB":
            fields.black_rating = number(value)
        case "RW":
            fields.white_rating = number(value)
        case "DT":
            fields.date = clean(value)
        case "PC":
            fields.place = clean(value)
        case "RE":
            fields.result = read_result(value)
        case _:
            pass  # ignored by everyone, or somebody's own


def read_token(text: str, value: str, at: int, player: Player) -> Token:
    """``mv/eval/time`` of a move tag; an empty move is a pass, blanks do as separators, as in Edax's ``d6 -1.0 0``."""
    lead = len(value) - len(value.lstrip())
    parts = re.split(r"/|\s+", value.strip())
    move = read_move(text, at + lead, parts[0] or "pa")
    evaluation = number(parts[1]) if len(parts) > 1 else None
    seconds = number(parts[2]) if len(parts) > 2 else None
    return Token(move, at + lead, parts[0], player, evaluation, seconds)


def number(value: str) -> float | None:
    """A number, or None for anything else; an evaluation may be a pair, of which the first counts."""
    return decimal(value.partition(",")[0])


def read_result(value: str) -> Result | None:
    """``+64.000:r``; None for ``?`` and whatever else is no number."""
    margin, _, letter = value.strip().partition(":")
    points = number(margin)
    return None if points is None else Result.of_margin(points, REASONS.get(letter, letter))


def clean(value: str) -> str:
    """A value whose line breaks, and the bars that servers put after them, are blanks."""
    return " ".join(re.sub(r"\n\|?", " ", value).split())


def format_ggf(record: GameRecord) -> str:
    """One line, without its newline, that `parse_ggf` reads back.

    Square brackets and line breaks in names cannot be written: they become round brackets and blanks.

    Raises:
        RecordError: not an Othello game.
    """
    require_othello(record, "GGF")
    black_name, white_name = record.players
    out = ["(;GM[Othello]", tag_text("PC", record.place), tag_text("DT", record.date)]
    out += [f"PB[{safe(black_name)}]PW[{safe(white_name)}]"]
    out += [
        f"{name}[{rating:.1f}]" for name, rating in zip(("RB", "RW"), record.ratings, strict=True) if rating is not None
    ]
    out += [tag_text(name, value) for name, value in record.tags if name in KEPT]
    out.append(f"RE[{format_result(record.result)}]")
    cells = (record.start or START).replace("X", "*").split()
    rows = " ".join(cells[0][row : row + 8] for row in range(0, 64, 8))
    out.append(f"BO[8 {rows} {cells[1]}]")
    player = start_position(record).turn
    for move in record.moves:
        out.append(f"{'B' if player is Player.P1 else 'W'}[{format_ggf_move(move)}]")
        player = player.other
    out.append(";)")
    return "".join(out)


def format_ggf_move(move: PlayedMove) -> str:
    """``f5/1.00/0.50``, ``f5//0.50``, ``f5/1.00`` or ``PA``."""
    name = "PA" if move.move == "pass" else move.move
    evaluation = "" if move.evaluation is None else f"{move.evaluation:.2f}"
    seconds = "" if move.seconds is None else f"{move.seconds:.2f}"
    return f"{name}/{evaluation}/{seconds}".rstrip("/")


def format_result(result: Result | None) -> str:
    """``+2.000``, with a letter for an end that is not on the board; ``?`` while it is open."""
    if result is None:
        return "?"
    if result.margin is not None:
        points = result.margin
    else:  # only the winner is known: GGF has nothing but points
        points = 0.0 if result.winner is None else 64.0 if result.winner is Player.P1 else -64.0
    if not result.reason:
        return f"{points:+.3f}"
    return f"{points:+.3f}:{LETTERS.get(result.reason, result.reason)}"


def tag_text(name: str, value: str) -> str:
    """A tag, or nothing without a value."""
    return f"{name}[{safe(value)}]" if value else ""


def safe(value: str) -> str:
    """A value that the next reader sees the end of."""
    return " ".join(value.translate(str.maketrans("[]", "()")).split())
