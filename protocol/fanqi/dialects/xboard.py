"""XBoard's protocol (CECP version 2) for Othello: what both sides write beside plain words.

There are two styles, since two families of programs speak it. In ``reversi`` (Edax, WinBoard's Alien Edition) squares
are Othello's; in ``flipello`` (Fairy-Stockfish, XBoard with an engine-defined variant) ranks run the other way. In both
the first mover, Othello's Black, is White; a disc is dropped as ``P@f5`` and a pass is ``@@@@``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from fanqi.dialects.errors import DialectError
from fanqi.dialects.flipello import mirror_square, parse_flipello_move
from fanqi.dialects.text import clean_line, integer, number
from fanqi.game import MoveError, Player, PositionError
from fanqi.othello.notation import format_move, parse_move
from fanqi.records.fen import format_flipello_fen, parse_fen

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "PASS_TEXT",
    "Level",
    "Style",
    "Thinking",
    "format_features",
    "format_level",
    "format_setup",
    "format_thinking",
    "format_xboard_fen",
    "format_xboard_move",
    "format_xboard_result",
    "is_bare_move",
    "parse_amount",
    "parse_features",
    "parse_level",
    "parse_thinking",
    "parse_xboard_fen",
    "parse_xboard_move",
    "parse_xboard_result",
    "style_of_variant",
]

PASS_TEXT = "@@@@"
FLIPPED = str.maketrans("Pp", "pP")


class Style(Enum):
    """How squares are named."""

    REVERSI = "reversi"
    FLIPELLO = "flipello"


VARIANTS = {
    "reversi": Style.REVERSI,
    "alien": Style.REVERSI,
    "othello": Style.REVERSI,
    "flipello": Style.FLIPELLO,
}


def style_of_variant(name: str) -> Style:
    """The style of a ``variant`` command.

    Raises:
        DialectError: it is no Othello.
    """
    style = VARIANTS.get(name.lower())
    if style is None:
        raise DialectError("unsupported variant", name)
    return style


# ------------------------------------------------------------------------------------------- moves and positions


def format_xboard_move(move: str, style: Style) -> str:
    """``P@f5`` (or its mirror image ``P@f4``) for ``f5``, ``@@@@`` for a pass."""
    if move == "pass":
        return PASS_TEXT
    return f"P@{move if style is Style.REVERSI else mirror_square(move)}"


def parse_xboard_move(text: str, style: Style) -> str:
    """The canonical move. A drop may be written with either letter case, or as the bare square.

    Raises:
        DialectError: it is neither a square nor a pass.
    """
    word = text.strip()
    if style is Style.FLIPELLO:
        if re.fullmatch(r"[A-Ha-h][1-8]", word):
            return mirror_square(word.lower())
        return parse_flipello_move(f"P{word[1:].lower()}" if word[:2].upper() == "P@" else word)
    try:
        return format_move(parse_move(word[2:] if word[:2].upper() == "P@" else word))
    except MoveError as error:
        raise DialectError(error.reason, text) from None


def is_bare_move(line: str) -> bool:
    """Whether a line without a command word is meant as a move: hosts that do not know ``usermove``."""
    word = line.upper()
    return (
        word == PASS_TEXT
        or word.startswith("P@")
        or (len(word) in (2, 4) and word[0] in "ABCDEFGH" and word[1].isdigit())
    )


def format_xboard_fen(position: str, style: Style) -> str:
    """A position as XBoard's ``setup`` and ``setboard`` have it."""
    mirrored = format_flipello_fen(position)
    if style is Style.FLIPELLO:
        return mirrored
    board, _, rest = mirrored.partition("[")
    side = rest.partition("] ")[2][0]
    return f"{'/'.join(reversed(board.split('/')))} {side} - - 0 1"


def parse_xboard_fen(text: str, style: Style) -> str:
    """The position in our own notation.

    Raises:
        DialectError: it is none.
    """
    board, _, rest = text.strip().partition(" ")
    board = board.partition("[")[0]
    try:
        if style is Style.FLIPELLO:
            return parse_fen(f"{board}[] {rest}")
        side, _, _ = rest.strip().partition(" ")
        return parse_fen(f"{board.translate(FLIPPED)} {({'w': 'b', 'b': 'w'}).get(side, side)}")
    except PositionError as error:
        raise DialectError(error.reason, text) from None


def format_setup(position: str, style: Style) -> str:
    """The engine's ``setup`` line, by which XBoard learns the pieces, the holdings and the position.

    The ``piece`` line after it, for XBoard 4.9 and later, says that discs are dropped and never move.
    """
    fen = format_xboard_fen(position, style)
    if style is Style.REVERSI:
        return f"setup (P.....p.....) {fen}"
    return f"setup (P.................p.................) 8x8+1_fairy {fen}\npiece P& @8"


# ------------------------------------------------------------------------------------------------------- features

FEATURE = re.compile(r'(?<![\w-])([\w-]++)=(?:"([^"]*)"|(\S+))')


def format_features(features: Iterable[tuple[str, str | int]]) -> str:
    """``feature name="text" name=1 …``; a name may come more than once."""
    words = (f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in features)
    return " ".join(("feature", *words))


def parse_features(line: str | bytes) -> list[tuple[str, str]]:
    """Name and value of every feature of a line, in order; none for another line."""
    text = clean_line(line)
    if not text.startswith("feature "):
        return []
    return [(found[1], found[2] if found[2] is not None else found[3]) for found in FEATURE.finditer(text)]


# ---------------------------------------------------------------------------------------------- time and amounts


@dataclass(frozen=True, slots=True)
class Level:
    """``level MOVES BASE INCREMENT``.

    Attributes:
        moves: for which the base time is given; 0 for the whole game.
        base_seconds, increment_seconds: the clock.
    """

    moves: int
    base_seconds: int
    increment_seconds: float


def parse_level(text: str) -> Level:
    """``40 5 0``, ``0 2:30 12``; the base is minutes, or minutes and seconds.

    Raises:
        DialectError: it is not like that.
    """
    words = text.split()
    minutes, _, seconds = words[1].partition(":") if len(words) == 3 else ("", "", "")
    moves = integer(words[0]) if words else None
    base = integer(minutes)
    rest = integer(seconds) if seconds else 0
    increment = number(words[2]) if len(words) == 3 else None
    if moves is None or base is None or rest is None or increment is None or min(moves, base, rest, increment) < 0:
        raise DialectError("level: expected moves, minutes and increment, as in 40 5 0 or 0 2:30 12", text)
    return Level(moves, 60 * base + rest, increment)


def format_level(level: Level) -> str:
    """What `parse_level` reads back."""
    minutes, seconds = divmod(level.base_seconds, 60)
    base = f"{minutes}:{seconds:02}" if seconds else str(minutes)
    return f"{level.moves} {base} {level.increment_seconds:g}"


def parse_amount(name: str, text: str) -> float:
    """The number behind a command such as ``st`` or ``memory``.

    Raises:
        DialectError: it is none, or a negative one.
    """
    value = number(text)
    if value is None or value < 0:
        raise DialectError(f"{name}: expected a number, 0 or more")
    return value


# ------------------------------------------------------------------------------------------- thinking and results


@dataclass(frozen=True, slots=True)
class Thinking:
    """A line of thinking: depth, score, time, nodes, and the line as text.

    Attributes:
        score_cp: hundredths of a disc, the engine's own view.
        centiseconds: so far.
    """

    depth: int
    score_cp: int
    centiseconds: int
    nodes: int
    pv: str


def format_thinking(thinking: Thinking) -> str:
    """The line, without its newline, that `parse_thinking` reads back."""
    return f"{thinking.depth} {thinking.score_cp} {thinking.centiseconds} {thinking.nodes} {thinking.pv}".rstrip()


def parse_thinking(line: str | bytes) -> Thinking | None:
    """A line of thinking, or None for another line. Extra columns before a tab are skipped."""
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    words = clean_line(text).split(None, 4)
    # the depth may have a sign behind it, as in "12."
    depth_word = re.match(r"[+-]?\d*(?=\D*+$)", words[0]) if words else None
    numbers = [integer(word) for word in ([depth_word[0] if depth_word else "", *words[1:4]] if words else ())]
    if len(numbers) < 4:
        return None
    depth, score, time, nodes = numbers
    if depth is None or score is None or time is None or nodes is None:
        return None
    _, tab, after = text.partition("\t")
    pv = after.strip() if tab else words[4] if len(words) > 4 else ""
    return Thinking(depth, score, time, nodes, clean_line(pv))


def format_xboard_result(black: int, white: int) -> str:
    """How a finished game ended by its discs: ``1-0 {White wins 40-24}``, White being the first mover."""
    if black == white:
        return f"1/2-1/2 {{Draw {black}-{white}}}"
    if black > white:
        return f"1-0 {{White wins {black}-{white}}}"
    return f"0-1 {{Black wins {white}-{black}}}"


RESULTS = {"1-0": Player.P1, "0-1": Player.P2, "1/2-1/2": None}


def parse_xboard_result(line: str | bytes) -> tuple[Player | None, str] | None:
    """Winner (None for a draw) and comment of a result; None for another line."""
    word, _, comment = clean_line(line).removeprefix("result ").partition(" ")
    return (RESULTS[word], comment.strip().strip("{}").strip()) if word in RESULTS else None
