"""SGF of game 2, Othello: what Edax writes and GTP's ``loadsgf`` reads.

``(;FF[4]GM[2]PB[a]PW[b]SZ[8]AB[d5][e4]AW[d4][e5]PL[B]RE[B+12];B[f5];W[d6];B[PA])``. Squares are letter and digit, or
two letters as in Go; of variations the first, the main line, is taken. A game of old Reversi has its rule parameters in
``RU``, and begins as those say unless stones are set up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanqi.game import GameError, Player, game_of_rules, quoted
from fanqi.othello import GAME
from fanqi.othello.notation import PASS, format_board
from fanqi.records.charsets import REPLACEMENT, codec_of
from fanqi.records.errors import RecordError
from fanqi.records.game import GameRecord, Result, calendar_day
from fanqi.records.numbers import decimal
from fanqi.records.othello import (
    START,
    Token,
    assemble,
    assemble_reversi,
    error_at,
    read_move,
    require_othello,
    start_position,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.othello import Position

__all__ = ["format_sgf", "parse_sgf"]

BLANKS = re.compile(r"\s*+")
NAME = re.compile(r"[A-Za-z]++")
VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*+)\]", re.DOTALL)
RESULT = re.compile(r"([BW])\+(?:([+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?)|(R|Resign|T|Time|F|Forfeit))?", re.IGNORECASE)
RATING = re.compile(r"\s*+([0-9]{1,9}(?:\.[0-9]{1,9})?)")
REASONS = {"r": "resigned", "t": "time", "f": "forfeit"}

KEPT = ("AP", "EV", "RO", "GC", "TM", "OT", "US", "SO")
"""Properties that stay in `GameRecord.tags` under their SGF names and are written again."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property of the main line: its name, and each value with its place."""

    name: str
    values: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Header:
    """What the properties beside the moves have said so far."""

    black: set[int] = field(default_factory=set)
    white: set[int] = field(default_factory=set)
    turn: Player | None = None
    set_up: bool = False
    rules: tuple[int, str] = (0, "")
    texts: dict[str, str] = field(default_factory=dict)
    tags: list[tuple[str, str]] = field(default_factory=list)


def parse_sgf(text: str) -> GameRecord:
    """Read one game tree.

    Raises:
        RecordError: it is none, not of Othello 8x8, or a move in it is not legal.
    """
    header, tokens = Header(), []
    charset: tuple[int, str] | None = None
    for item in main_line(text):
        at, value = item.values[0]
        match item.name:
            case "B" | "W":
                if len(item.values) > 1:
                    raise error_at(text, item.values[1][0], "a second value of a move", item.values[1][1])
                player = Player.P1 if item.name == "B" else Player.P2
                tokens.append(Token(read_square(text, at, value, allow_pass=True), at, value or "[]", player))
            case "GM" if value.strip() != "2":
                raise error_at(text, at, "a game of something else; expected GM[2], Othello", value)
            case "SZ" if value.strip() not in ("8", "8:8"):
                raise error_at(text, at, "board size: only 8 can be read", value)
            case "AB" | "AW" | "AE":
                if tokens:
                    raise error_at(text, at, "stones are set up after the first move", item.name)
                header.set_up = True
                set_up(text, header, item)
            case "CA":
                charset = at, value
            case "PL":
                header.turn = read_colour(text, at, value)
            case "PB" | "PW" | "BR" | "WR" | "DT" | "PC" | "RE":
                header.texts[item.name] = value.strip()
            case "RU" if game_of_rules(value) == "othello":
                header.rules = at, value.strip()
            case name if name in KEPT:
                header.tags.append((name, value.strip()))
            case _:
                pass  # comments, marks, times left: nothing a record holds
    at, rules = header.rules
    try:
        start = start_of(text, header, tokens)
        moves, counted = assemble_reversi(text, tokens, start, rules) if rules else assemble(text, tokens, start)
    except GameError as error:
        raise error_at(text, at, error.reason, rules) from None
    texts = header.texts
    record = GameRecord(
        "othello",
        moves,
        start,
        (texts.get("PB", ""), texts.get("PW", "")),
        (number(texts.get("BR", "")), number(texts.get("WR", ""))),
        texts.get("DT", ""),
        texts.get("PC", ""),
        read_result(texts.get("RE", "")) or counted,
        rules=rules,
        tags=tuple(header.tags),
    )
    if charset is not None:
        check_charset(text, *charset, record)
    return record


def check_charset(text: str, at: int, name: str, record: GameRecord) -> None:
    """Say so where names cannot be right.

    Raises:
        RecordError: the character set is not known, or not all bytes were of it.
    """
    if codec_of(name) is None:
        raise error_at(text, at, "a character set that is not known; names may be wrong", name, record)
    if (lost := text.find(REPLACEMENT)) >= 0:
        raise error_at(text, lost, f"bytes that are not {quoted(name)}; names may be wrong", REPLACEMENT, record)


def main_line(text: str) -> Iterator[Property]:
    """The properties of the first variation at every branch, in order.

    Raises:
        RecordError: brackets or properties are not as SGF has them.
    """
    at = skip_blanks(text, 0)
    if not text.startswith("(", at):
        raise error_at(text, at, "an SGF game starts with '('", text[at : at + 20])
    depth, over = 0, False
    while (at := skip_blanks(text, at)) < len(text):
        character = text[at]
        if character == "(":
            depth += 1
            at += 1
        elif character == ")":
            depth, over = depth - 1, True  # the first branch to end is the main line
            at += 1
            if depth == 0:
                break
        elif character == ";":
            at += 1
        else:
            at, item = read_property(text, at)
            if not over:
                yield item
    if depth > 0:
        raise error_at(text, len(text), f"{depth} ')' missing at the end", text[-20:])
    if (at := skip_blanks(text, at)) < len(text):
        raise error_at(text, at, "text after the end of the game", text[at : at + 20])


def skip_blanks(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at


def read_property(text: str, at: int) -> tuple[int, Property]:
    """A property at this place, and where it ends; small letters in names do not count, as in old files."""
    named = NAME.match(text, at)
    if named is None:
        raise error_at(text, at, "expected a property, ';', '(' or ')'", text[at : at + 20])
    values: list[tuple[int, str]] = []
    end = named.end()
    while value := VALUE.match(text, skip_blanks(text, end)):
        values.append((value.start(1), re.sub(r"\\(.)", r"\1", value[1], flags=re.DOTALL)))
        end = value.end()
    if not values:
        raise error_at(text, at, "a property without '[value]'", named[0])
    return end, Property("".join(letter for letter in named[0] if letter.isupper()), tuple(values))


def read_square(text: str, at: int, value: str, *, allow_pass: bool = False) -> int:
    """``f5``, or ``fe`` as in Go (column, then row); an empty value is a pass, and so is Go's ``tt``."""
    word = value.strip()
    if allow_pass and (not word or word == "tt"):
        return PASS
    if len(word) == 2 and word.isalpha() and word.lower() not in ("pa", "ps"):
        word = word[0] + str("abcdefgh".find(word[1].lower()) + 1)
    square = read_move(text, at, word)
    if square == PASS and not allow_pass:
        raise error_at(text, at, "expected a square", value)
    return square


def set_up(text: str, header: Header, item: Property) -> None:
    """Stones of ``AB`` and ``AW``; ``AE`` takes them away again."""
    squares = {read_square(text, at, value) for at, value in item.values}
    header.black -= squares
    header.white -= squares
    if item.name == "AB":
        header.black |= squares
    elif item.name == "AW":
        header.white |= squares


def start_of(text: str, header: Header, tokens: list[Token]) -> str | None:
    """Where the game starts: as set up, else the usual start; the first move says who begins if nothing else does."""
    turn = header.turn or (tokens[0].player if tokens else None) or Player.P1
    if not header.set_up and (turn is Player.P1 or header.rules[1]):
        return None
    if not header.set_up:
        return START[:-1] + "O"
    black, white = (sum(1 << square for square in stones) for stones in (header.black, header.white))
    fen = format_board(black, white, turn)
    if header.rules[1]:
        return GAME.parse(fen, header.rules[1]).fen()
    return None if fen == START else fen


def read_colour(text: str, at: int, value: str) -> Player:
    match value.strip().lower():
        case "b" | "black" | "1":
            return Player.P1
        case "w" | "white" | "2":
            return Player.P2
        case _:
            raise error_at(text, at, "expected B or W", value)


def read_result(value: str) -> Result | None:
    """``B+12``, ``W+R``, ``0`` or ``Draw``; None for ``Void``, ``?`` and nothing."""
    word = value.strip()
    if word.lower() in ("0", "draw"):
        return Result(None, 0.0)
    found = RESULT.fullmatch(word)
    if found is None:
        return None
    winner = Player.P1 if found[1].upper() == "B" else Player.P2
    if found[2] is None:
        return Result(winner, None, REASONS[found[3][0].lower()] if found[3] else "")
    points = abs(float(found[2]))
    return Result(winner, points if winner is Player.P1 else -points)


def number(value: str) -> float | None:
    """The number at the beginning, as in ``1850.5 ELO``."""
    found = RATING.match(value)
    return decimal(found[1]) if found else None


def format_sgf(record: GameRecord) -> str:
    """One line, without its newline, that `parse_sgf` reads back; evaluations and times have no place in it.

    Raises:
        RecordError: not an Othello game, or one of old Reversi with discs in hand as nobody expects them.
    """
    require_othello(record, "SGF", reversi=True)
    day = calendar_day(record.date)
    date = "{:04}-{:02}-{:02}".format(*day) if day else record.date
    kept = [value for name, value in record.tags if name in KEPT]
    plain = "".join((*record.players, record.place, date, *kept)).isascii()
    out = ["(;FF[4]GM[2]" if plain else "(;FF[4]GM[2]CA[UTF-8]"]
    out += [prop(name, value) for name, value in record.tags if name in KEPT]
    out += [prop("RU", record.rules)]
    out += [prop("PC", record.place), prop("DT", date)]
    out += [prop("PB", record.players[0]), prop("PW", record.players[1])]
    out += [
        prop(name, f"{rating:.1f}")
        for name, rating in zip(("BR", "WR"), record.ratings, strict=True)
        if rating is not None
    ]
    position = start_position(record)
    if record.start is not None or not record.rules:
        out += stones_of(position, record.rules)
    out.append(f"SZ[8]PL[{colour(position.turn)}]RE[{format_result(record.result)}]")
    player = position.turn
    for move in record.moves:
        out.append(f";{colour(player)}[{'PA' if move.move == 'pass' else move.move}]")
        player = player.other
    out.append(")")
    return "".join(out)


def stones_of(position: Position, rules: str) -> Iterator[str]:
    """The properties that set a position up.

    Raises:
        RecordError: the discs in hand are others than a reader will expect.
    """
    if GAME.parse(format_board(position.black, position.white, position.turn), rules).fen() != position.fen():
        raise RecordError("SGF has no place for the discs in hand at the start; JSON lines have", position.fen())
    for name, stones in (("AB", position.black), ("AW", position.white)):
        squares = [f"[{'abcdefgh'[square % 8]}{square // 8 + 1}]" for square in range(64) if stones >> square & 1]
        if squares:
            yield name + "".join(squares)
    if not position.black | position.white:
        yield "AE[a1]"  # a board set up with nothing on it


def colour(player: Player) -> str:
    return "B" if player is Player.P1 else "W"


def format_result(result: Result | None) -> str:
    """``B+12``, ``W+R`` for a game that did not end on the board, ``0``, or ``Void``."""
    if result is None:
        return "Void"
    if result.winner is None:
        return "0"
    letter = {"resigned": "R", "time": "T", "forfeit": "F"}.get(result.reason)
    if letter is None:
        letter = "" if result.margin is None else f"{abs(result.margin):g}"
    return f"{colour(result.winner)}+{letter}"


def prop(name: str, value: str) -> str:
    """A property, or nothing without a value."""
    if not value:
        return ""
    escaped = value.replace("\\", "\\\\").replace("]", "\\]")
    return f"{name}[{escaped}]"
