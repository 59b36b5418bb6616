"""PGN for Othello. This writes what Edax writes, and reads that, PlayOK's exports, and games of chess programs.

Edax: ``[Black "a"] … 1. f5 d6 2. c3 pass … {a wins 40-24} 1-0``, Black first in everything, so that 1-0 is a win of
Black; the start in a ``FEN`` tag of its own kind if it is not the usual one. PlayOK: ``[BlackElo "1500"]``, passes
``--``. Evaluation and time of a move are a comment, ``f5 {+1.00 0.50s}``, which other readers skip. XBoard and hosts of
Fairy-Stockfish: ``[Variant "flipello"]``, moves ``P@f4`` with ranks that count from the bottom (a pass is ``a1a1``,
``Pa1`` or ``@@@@``), and the first mover, our Black, is White. What PGN lets a reader skip (variations, comments,
annotations) is specified in chapter 8 of "Standard: Portable Game Notation", S. J. Edwards, 1994.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from fanqi.game import Player, PositionError
from fanqi.othello.notation import PASS, format_board, parse_board
from fanqi.records.fen import format_edax_fen, parse_fen
from fanqi.records.game import GameRecord, PlayedMove, Result, calendar_day
from fanqi.records.numbers import decimal
from fanqi.records.othello import START, Token, assemble, error_at, read_move, require_othello, start_position

__all__ = ["format_pgn", "parse_pgn"]

TAG = re.compile(r"\s*+\[\s*+(\w++)\s++\"((?:[^\"\\\n]|\\.)*+)\"\s*+\]")
SKIPPED_TEXT = r"\s++|;[^\n]*+|(?<![^\n])%[^\n]*+"
SKIPPED = re.compile(SKIPPED_TEXT + r"|\{[^}]*+\}")
MOVETEXT = re.compile(
    rf"(?P<skipped>{SKIPPED_TEXT}|<[^>]*+>|\$[0-9]++|[!?]++)|\{{(?P<comment>[^}}]*+)\}}|(?P<variation>\()"
    r"|(?P<result>1-0|0-1|1/2-1/2|\*)(?=[\s{(;]|$)"
    r"|(?P<move>(?P<drop>P?@)?(?P<square>[a-h][1-8])|pass|pa|ps|--|@@@@|0000|P?(?P<twice>[a-h][1-8])(?P=twice)|P[a-h][1-8])"
    r"(?=[\s{}();$!?*<]|$)"
    r"|(?P<number>[0-9]{1,4})(?:\s*+\.++|(?=\s))",
    re.IGNORECASE,
)
VARIATION = re.compile(r"\{[^}]*+\}|;[^\n]*+|[()]|[^{};()]++")
COUNT = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")
EVALUATION = re.compile(r"([+-][0-9]{1,9}(?:\.[0-9]{1,9})?)?(/[0-9]\S*+)?")
SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(s?)")

UNKNOWN = ("", "?", "????.??.??")
OWN_TAG = re.compile(r"[A-Z]\w*[a-z]\w*")
WIDTH = 80

VARIANTS = ("", "flipello", "reversi", "othello", "alien")
"""Of XBoard and its kin; empty where the tag is missing."""
FLIPELLO_FIRST = {square ^ 56 for square in (19, 26, 37, 44)}
"""The first moves d3 c4 f5 e6 with ranks that count from the bottom."""
EXCHANGED = str.maketrans("Ppwb", "pPbw")


@dataclass(slots=True)
class Movetext:
    """What stands behind the tags.

    Attributes:
        tokens: the moves.
        drops: whether they are written as drops, ``P@f4``.
        result: the token at the end, or empty.
        remark: the comment after the last move, or empty.
    """

    tokens: list[Token] = field(default_factory=list)
    drops: bool = False
    result: str = ""
    remark: str = ""


def parse_pgn(text: str) -> GameRecord:
    """Read one game: tags, then moves. Variations, comments, annotations and lines that start with ``%`` are skipped.

    Raises:
        RecordError: something is neither tag, move, number, comment nor result, a move is not legal, or moves follow
            the result. With the game but for its result: tag and moves state different ones.
    """
    fields, places, at = read_tags(text)
    said = read_movetext(text, at)
    if not (fields or said.tokens):
        raise error_at(text, 0, "neither a tag nor a move", text[:20])
    variant = fields.pop("Variant", "").strip().lower()
    if variant not in VARIANTS:
        raise error_at(text, places["Variant"], "a game of something else; expected flipello or othello", variant)
    # hosts that write drops are chess programs: their first mover is White
    white_first = said.drops or variant == "flipello"
    mirrored = variant == "flipello" or (
        said.drops and not variant and "FEN" not in fields and said.tokens[0].move in FLIPELLO_FIRST
    )
    if mirrored:
        said.tokens = [replace(token, move=token.move ^ 56 if token.move < PASS else PASS) for token in said.tokens]
    fen = fields.pop("FEN", "")
    start = read_start(text, places.get("FEN", 0), fen, mirrored=mirrored, white_first=white_first)
    moves, counted = assemble(text, said.tokens, start)
    reason = fields.pop("Termination", "")
    tag, ending = read_result(fields.pop("Result", ""), reason), read_result(said.result, reason)
    stated = ending or tag
    contradiction = stated is not None and tag is not None and stated.winner is not tag.winner and counted is None
    if counted is not None:  # what lies on the board wins over another convention of who is 1
        stated = replace(counted, reason=reason)
    elif (margin := read_count(said.remark, stated)) is not None:
        stated = Result.of_margin(margin, reason)
    colours = ("White", "Black") if white_first else ("Black", "White")
    names = [value_of(fields, name) for name in colours]
    ratings = [decimal(value_of(fields, f"{name}Elo")) for name in colours]
    record = GameRecord(
        "othello",
        moves,
        start,
        (names[0], names[1]),
        (ratings[0], ratings[1]),
        value_of(fields, "Date"),
        value_of(fields, "Site"),
        None if contradiction else stated,
        tags=tuple((name, value) for name, value in fields.items() if value not in UNKNOWN),
    )
    if contradiction:
        reason = f"the tag says so, the end of the moves says {said.result}"
        raise error_at(text, places["Result"], reason, text[places["Result"] :].partition('"')[0], record)
    return record


def read_tags(text: str) -> tuple[dict[str, str], dict[str, int], int]:
    """The tags by name, where their values stand, and where the moves begin."""
    at = 0
    fields: dict[str, str] = {}
    places: dict[str, int] = {}
    while found := TAG.match(text, at) or SKIPPED.match(text, at):
        if found.re is TAG:
            fields[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
            places[found[1]] = found.start(2)
        at = found.end()
    return fields, places, at


def read_movetext(text: str, at: int) -> Movetext:
    """The moves, and what is said about the result."""
    said, last = Movetext(), 0
    while at < len(text):
        found = MOVETEXT.match(text, at)
        if found is None:
            raise error_at(text, at, "not a move, number, comment or result", text[at : at + 20].split()[0])
        end = found.end()
        if word := found["move"]:
            if said.result:
                raise error_at(text, at, f"a move after the result {said.result}", word)
            said.drops = said.drops or found["drop"] is not None
            number = read_move(text, at, found["square"]) if found["square"] else PASS
            said.tokens.append(Token(number, at, word))
            said.remark = ""
        elif found["result"]:
            said.result = found["result"]
        elif found["number"]:
            if int(found["number"]) < last:
                raise error_at(text, at, f"move {last} comes before it; is this another game?", found["number"])
            last = int(found["number"])
        elif found["variation"]:
            end = skip_variation(text, at)
        elif comment := found["comment"]:
            read_comment(said, comment)
        at = end
    return said


def skip_variation(text: str, at: int) -> int:
    """Where the variation that begins here ends, with all variations in it.

    Raises:
        RecordError: it does not.
    """
    depth, end = 0, at
    while found := VARIATION.match(text, end):
        end = found.end()
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return end
    raise error_at(text, at, "this variation does not end", "(")


def read_comment(said: Movetext, comment: str) -> None:
    """``+1.00 0.50s``, ``+0.22/8 1.5`` belong to the move before; of other comments the last may state the count."""
    words = comment.split()
    found = EVALUATION.fullmatch(words[0]) if words else None
    rest = words[1:] if found else words
    seconds = SECONDS.fullmatch(rest[0]) if rest else None
    unit = rest[1:] == ["s"]
    if seconds is not None and (seconds[2] or unit or (found and found[2])):
        rest = rest[1 + unit :]
    else:
        seconds = None
    if rest or not words:
        said.remark = comment
    elif said.tokens:
        evaluation = decimal(found[1]) if found else None
        said.tokens[-1] = replace(said.tokens[-1], evaluation=evaluation, seconds=decimal(seconds and seconds[1]))


def read_count(remark: str, stated: Result | None) -> float | None:
    """The margin of ``{a wins 40-24}``, ``{Draw 32-32}`` or ``{40-24}``; None if it says none, or nothing that can be.

    Who won is what the result says; the greater number is his. Without a result the first number is Black's.
    """
    words = remark.split()
    found = COUNT.fullmatch(words[-1]) if words else None
    if found is None or (len(words) > 1 and words[-2].lower() not in ("wins", "won", "draw", "drawn")):
        return None
    first, second = int(found[1]), int(found[2])
    if first + second > 64 or (stated is not None and (first == second) != (stated.winner is None)):
        return None
    if stated is None or stated.winner is None:
        return float(first - second)
    return float(abs(first - second) * (1 if stated.winner is Player.P1 else -1))


def read_start(text: str, at: int, value: str, *, mirrored: bool, white_first: bool) -> str | None:
    """The start position of a ``FEN`` tag: Edax's, a chess program's, or 64 cells."""
    if not value:
        return None
    try:
        if "/" not in value:
            fen = format_board(*parse_board(value))
        elif white_first and not mirrored:  # XBoard's reversi: Edax's squares, colours exchanged
            fen = parse_fen(value.translate(EXCHANGED), mirrored=False)
        else:
            fen = parse_fen(value, mirrored=mirrored or None)
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
