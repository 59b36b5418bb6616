"""PGN for Othello. There is no standard; this reads and writes what Edax writes, and reads what PlayOK exports.

Edax: ``[Black "a"] … 1. f5 d6 2. c3 pass … {a wins 40-24} 1-0``, Black first in everything, so that 1-0 is a win of
Black; the start in a ``FEN`` tag of its own kind if it is not the usual one. PlayOK: ``[BlackElo "1500"]``, passes
``--``. Evaluation and time of a move are a comment, ``f5 {+1.00 0.50s}``, which other readers skip.
"""

from __future__ import annotations

import re
from dataclasses import replace

from fanqi.game import Player, PositionError
from fanqi.othello.notation import format_board, parse_board
from fanqi.records.fen import format_edax_fen, parse_fen
from fanqi.records.game import GameRecord, PlayedMove, Result, calendar_day
from fanqi.records.othello import START, Token, assemble, error_at, read_move, require_othello, start_position

__all__ = ["format_pgn", "parse_pgn"]

TAG = re.compile(r"\s*\[\s*(\w+)\s+\"((?:[^\"\\\n]|\\.)*)\"\s*\]")
MOVETEXT = re.compile(
    r"(?P<blank>\s+)|\{(?P<comment>[^}]*)\}|;(?P<line>[^\n]*)|(?P<nag>\$\d+|[!?]+)"
    r"|(?P<result>1-0|0-1|1/2-1/2|\*)|(?P<number>\d+\s*\.+|\d+(?=\s))"
    r"|(?P<move>[A-Ha-h][1-8]|pass|pa|ps|--|@@@@)(?=[\s{;$!?*]|$)",
    re.IGNORECASE,
)
SCORE = re.compile(r"(?:.*?\s)?(\d{1,2})-(\d{1,2})\s*$", re.DOTALL)
TELEMETRY = re.compile(r"\s*([+-]\d+(?:\.\d+)?)?(?:/\d+\S*)?\s*(?:(\d+(?:\.\d+)?)\s*s)?\s*")

UNKNOWN = ("", "?", "????.??.??")
OWN_TAG = re.compile(r"[A-Z]\w*[a-z]\w*")
WIDTH = 80


def parse_pgn(text: str) -> GameRecord:
    """Read one game: tags, then moves.

    Raises:
        RecordError: something is neither tag, move, number, comment nor result, or a move is not legal.
    """
    at = 0
    fields: dict[str, str] = {}
    places: dict[str, int] = {}
    while tag := TAG.match(text, at):
        fields[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
        places[tag[1]] = tag.start(2)
        at = tag.end()
    tokens, ending, margin = read_movetext(text, at)
    start = read_start(text, places.get("FEN", 0), fields.pop("FEN", ""))
    moves, counted = assemble(text, tokens, start)
    reason = fields.pop("Termination", "")
    stated = read_result(ending or fields.get("Result", ""), reason)
    if margin is not None:
        stated = Result.of_margin(margin, reason)
    elif counted is not None:  # what lies on the board wins over another convention of who is 1
        stated = replace(counted, reason=reason)
    known = [value_of(fields, name) for name in ("Black", "White", "BlackElo", "WhiteElo", "Date", "Site")]
    fields.pop("Result", None)
    return GameRecord(
        "othello",
        moves,
        start,
        (known[0], known[1]),
        (number(known[2]), number(known[3])),
        known[4],
        known[5],
        stated,
        tags=tuple((name, value) for name, value in fields.items() if value not in UNKNOWN),
    )


def read_movetext(text: str, at: int) -> tuple[list[Token], str, float | None]:
    """The moves, the result token, and the margin that a comment such as ``{a wins 40-24}`` gives."""
    tokens: list[Token] = []
    ending, margin = "", None
    while at < len(text):
        found = MOVETEXT.match(text, at)
        if found is None:
            raise error_at(text, at, "not a move, number, comment or result", text[at : at + 20].split()[0])
        if found["move"]:
            tokens.append(Token(read_move(text, at, found["move"]), at, found["move"]))
        elif found["result"]:
            ending = found["result"]
        elif comment := found["comment"]:
            if telemetry := TELEMETRY.fullmatch(comment):
                if tokens:
                    tokens[-1] = replace(tokens[-1], evaluation=number(telemetry[1]), seconds=number(telemetry[2]))
            elif score := SCORE.fullmatch(comment):
                margin = float(int(score[1]) - int(score[2]))
        at = found.end()
    return tokens, ending, margin


def read_start(text: str, at: int, value: str) -> str | None:
    """The start position of a ``FEN`` tag, in Edax's notation or as 64 cells."""
    if not value:
        return None
    try:
        fen = parse_fen(value) if "/" in value else format_board(*parse_board(value))
    except PositionError as error:
        raise error_at(text, at, error.reason, value) from None
    return None if fen == START else fen


def read_result(token: str, reason: str) -> Result | None:
    match token:
        case "1-0":
            return Result(Player.P1, None, reason)
        case "0-1":
            return Result(Player.P2, None, reason)
        case "1/2-1/2":
            return Result(None, 0.0, reason)
        case _:
            return None


def value_of(fields: dict[str, str], name: str) -> str:
    """A field taken out; empty where PGN says ``?`` or ``????.??.??``."""
    value = fields.pop(name, "").strip()
    return "" if value in UNKNOWN else value


def number(value: str | None) -> float | None:
    try:
        return float(value) if value else None
    except ValueError:
        return None


def format_pgn(record: GameRecord) -> str:
    """Tags, moves and a blank line after each, that `parse_pgn` reads back.

    Raises:
        RecordError: not an Othello game.
    """
    require_othello(record, "PGN")
    day = calendar_day(record.date)
    own = {name: value for name, value in record.tags if OWN_TAG.fullmatch(name)}
    tags = {
        "Event": own.pop("Event", "") or "?",
        "Site": record.place or "?",
        "Date": "{:04}.{:02}.{:02}".format(*day) if day else record.date or "????.??.??",
        "Round": own.pop("Round", "") or "?",
        "Black": record.players[0] or "?",
        "White": record.players[1] or "?",
        "Result": result_token(record.result),
    }
    tags |= {
        name: f"{rating:g}"
        for name, rating in zip(("BlackElo", "WhiteElo"), record.ratings, strict=True)
        if rating is not None
    }
    if record.result is not None and record.result.reason:
        tags["Termination"] = record.result.reason
    if record.start is not None:
        tags["FEN"] = format_edax_fen(record.start)
    lines = [f'[{name} "{escape(value)}"]' for name, value in (tags | own).items()]
    return "\n".join((*lines, "", *movetext(record), ""))


def movetext(record: GameRecord) -> list[str]:
    """The moves, wrapped, and the result."""
    player = start_position(record).turn
    words: list[str] = []
    for ply, move in enumerate(record.moves):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        words.append(move.move)
        if comment := telemetry(move):
            words.append(comment)
        player = player.other
    margin = record.result.margin if record.result is not None else None
    if margin is not None and margin % 2 == 0 and -64 <= margin <= 64:
        black, white = 32 + int(margin) // 2, 32 - int(margin) // 2
        names = [name or colour for name, colour in zip(record.players, ("Black", "White"), strict=True)]
        winner = "Draw" if margin == 0 else f"{names[0 if margin > 0 else 1]} wins"
        words.append(f"{{{winner.translate(BRACES)} {black}-{white}}}")
    words.append(result_token(record.result))
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines


BRACES = str.maketrans("{}", "()")


def telemetry(move: PlayedMove) -> str:
    """``{+1.00 0.50s}``, what of it is known."""
    parts = []
    if move.evaluation is not None:
        parts.append(f"{move.evaluation:+z.2f}")
    if move.seconds is not None:
        parts.append(f"{move.seconds:.2f}s")
    return f"{{{' '.join(parts)}}}" if parts else ""


def result_token(result: Result | None) -> str:
    if result is None:
        return "*"
    return "1/2-1/2" if result.winner is None else "1-0" if result.winner is Player.P1 else "0-1"


def escape(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
