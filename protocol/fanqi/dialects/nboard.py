"""The NBoard protocol, version 2: what a GUI says to an Othello engine, and what the engine says back.

Both sides are closed unions of frozen messages. A pass is ``PA``. Reading is tolerant of what engines in the wild
write: blanks for slashes, ``NaN``, evaluation pairs, either case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import clean_line, integer, number
from fanqi.game import MoveError
from fanqi.othello.notation import format_move, parse_move
from fanqi.records import GameRecord, RecordError, format_ggf, parse_ggf

__all__ = [
    "Analysis",
    "Analyze",
    "BookLine",
    "Choice",
    "EngineLine",
    "Go",
    "GuiLine",
    "Hello",
    "Hint",
    "Learn",
    "Learned",
    "Move",
    "MyName",
    "NodeStats",
    "Ping",
    "Pong",
    "Quit",
    "SearchLine",
    "SetContempt",
    "SetDepth",
    "SetGame",
    "Status",
    "format_engine_line",
    "format_gui_line",
    "format_nboard_move",
    "parse_engine_line",
    "parse_gui_line",
]


@dataclass(frozen=True, slots=True)
class Hello:
    """``nboard 2``."""

    version: int = 2


@dataclass(frozen=True, slots=True)
class SetDepth:
    """``set depth N``."""

    depth: int


@dataclass(frozen=True, slots=True)
class SetGame:
    """``set game <GGF>``: the position after that game is the current one."""

    record: GameRecord


@dataclass(frozen=True, slots=True)
class SetContempt:
    """``set contempt N``: from Black's view, 100 makes draws Black's."""

    contempt: int


@dataclass(frozen=True, slots=True)
class Move:
    """``move M[/eval[/time]]``: canonical move."""

    move: str
    evaluation: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """``hint N``: analyse, telling of about N moves."""

    moves: int = 1


@dataclass(frozen=True, slots=True)
class Go:
    """``go``: choose a move."""


@dataclass(frozen=True, slots=True)
class Ping:
    """``ping N``."""

    number: int


@dataclass(frozen=True, slots=True)
class Learn:
    """``learn``: put the game into the book."""


@dataclass(frozen=True, slots=True)
class Analyze:
    """``analyze``: evaluate every position of the game."""


@dataclass(frozen=True, slots=True)
class Quit:
    """``quit``."""


GuiLine: TypeAlias = Hello | SetDepth | SetGame | SetContempt | Move | Hint | Go | Ping | Learn | Analyze | Quit


@dataclass(frozen=True, slots=True)
class MyName:
    """``set myname TEXT``."""

    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """``status TEXT``; empty clears."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class NodeStats:
    """``nodestats NODES SECONDS``."""

    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SearchLine:
    """``search PV EVAL 0 DEPTH [TEXT]``.

    Attributes:
        pv: canonical moves.
        evaluation: discs, the mover's view.
        depth: such as ``12``, ``14@73%``, ``100%`` (exact), ``100%W`` (win, loss or draw exact).
    """

    pv: tuple[str, ...]
    evaluation: float | None
    depth: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class BookLine:
    """``book PV EVAL GAMES DEPTH [TEXT]``."""

    pv: tuple[str, ...]
    evaluation: float | None
    games: int
    depth: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """``=== M[/eval[/time]]``: the move is text where it is read, so that a host can say what was wrong with it."""

    move: str
    evaluation: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """``analysis N EVAL``: the position after N moves, passes counted."""

    moves: int
    evaluation: float | None


@dataclass(frozen=True, slots=True)
class Pong:
    """``pong N``."""

    number: int


@dataclass(frozen=True, slots=True)
class Learned:
    """``learned``, or NTest's ``learn``."""


EngineLine: TypeAlias = MyName | Status | NodeStats | SearchLine | BookLine | Choice | Analysis | Pong | Learned


def parse_gui_line(line: str | bytes) -> GuiLine | None:
    """What a GUI says; None for an empty or unknown line, which an engine ignores. ``set`` may be left out.

    Raises:
        DialectError: a known command whose argument is missing or cannot be read.
    """
    text = clean_line(line)
    word, rest = split_word(text)
    if word == "set":
        word, rest = split_word(rest)
    match word:
        case "nboard":
            return Hello(needed_integer(word, rest))
        case "depth":
            return SetDepth(needed_integer(word, rest))
        case "contempt":
            return SetContempt(needed_integer(word, rest))
        case "game":
            try:
                return SetGame(parse_ggf(rest))
            except RecordError as error:
                raise DialectError(f"set game: {error}") from None
        case "move":
            move, evaluation, seconds = split_move(rest)
            try:
                name = format_move(parse_move(move))
            except MoveError as error:
                raise DialectError(f"move: {error.reason}", move) from None
            return Move(name, evaluation, seconds)
        case "hint":
            return Hint(needed_integer(word, rest) if rest else 1)
        case "go":
            return Go()
        case "ping":
            return Ping(needed_integer(word, rest))
        case "learn":
            return Learn()
        case "analyze" | "analyse":
            return Analyze()
        case "quit":
            return Quit()
        case _:
            return None


def format_gui_line(message: GuiLine) -> str:
    """The line, without its newline, that `parse_gui_line` reads back."""
    match message:
        case Hello(version):
            return f"nboard {version}"
        case SetDepth(depth):
            return f"set depth {depth}"
        case SetContempt(contempt):
            return f"set contempt {contempt}"
        case SetGame(record):
            return f"set game {format_ggf(record)}"
        case Move(move, evaluation, seconds):
            return f"move {with_figures(format_nboard_move(move), evaluation, seconds)}"
        case Hint(moves):
            return f"hint {moves}"
        case Go():
            return "go"
        case Ping(count):
            return f"ping {count}"
        case Learn():
            return "learn"
        case Analyze():
            return "analyze"
        case Quit():
            return "quit"
        case _:
            assert_never(message)


def parse_engine_line(line: str | bytes) -> EngineLine | None:
    """What an engine says; None for anything else. Numbers that cannot be read are None or 0, never an error."""
    text = clean_line(line)
    word, rest = split_word(text)
    match word:
        case "===":
            move, evaluation, seconds = split_move(rest)
            return Choice(move, evaluation, seconds)
        case "pong":
            count = integer(rest)
            return None if count is None else Pong(count)
        case "set":
            what, name = split_word(rest)
            return MyName(name) if what == "myname" else None
        case "status":
            return Status(rest)
        case "nodestats":
            words = [*rest.split(), "", ""]
            return NodeStats(int(number(words[0]) or 0), number(words[1]) or 0.0)
        case "search" | "book":
            return parse_thought(word, rest.split())
        case "analysis":
            words = [*rest.split(), "", ""]
            moves = integer(words[0])
            return None if moves is None else Analysis(moves, first_number(words[1]))
        case "learned" | "learn":
            return Learned()
        case _:
            return None


def parse_thought(word: str, words: list[str]) -> SearchLine | BookLine | None:
    """``PV EVAL GAMES DEPTH [TEXT]``; None if the line of moves cannot be read."""
    if len(words) < 4 or (pv := parse_pv(words[0])) is None:
        return None
    evaluation, text = first_number(words[1]), " ".join(words[4:])
    if word == "search":
        return SearchLine(pv, evaluation, words[3], text)
    return BookLine(pv, evaluation, integer(words[2]) or 0, words[3], text)


def parse_pv(text: str) -> tuple[str, ...] | None:
    """``F5d6C3`` or ``F5-D6-C3``; ends at the first thing that is no move, None if that is the first."""
    moves = []
    for pair in re.findall(r"..", text.replace("-", "")):
        try:
            moves.append(format_move(parse_move(pair)))
        except MoveError:
            break
    return tuple(moves) or None


def format_engine_line(message: EngineLine) -> str:
    """The line, without its newline, that `parse_engine_line` reads back."""
    match message:
        case MyName(text):
            return f"set myname {text}"
        case Status(text):
            return f"status {text}".rstrip()
        case NodeStats(nodes, seconds):
            return f"nodestats {nodes} {seconds:.2f}"
        case SearchLine(pv, evaluation, depth, text):
            return f"search {format_pv(pv)} {figure(evaluation)} 0 {depth} {text}".rstrip()
        case BookLine(pv, evaluation, games, depth, text):
            return f"book {format_pv(pv)} {figure(evaluation)} {games} {depth} {text}".rstrip()
        case Choice(move, evaluation, seconds):
            return f"=== {with_figures(format_nboard_move(move), evaluation, seconds)}"
        case Analysis(moves, evaluation):
            return f"analysis {moves} {figure(evaluation)}"
        case Pong(count):
            return f"pong {count}"
        case Learned():
            return "learned"
        case _:
            assert_never(message)


def format_nboard_move(move: str) -> str:
    """``F5``, or ``PA`` for a pass."""
    return "PA" if move == "pass" else move.upper()


def format_pv(pv: tuple[str, ...]) -> str:
    return "".join(format_nboard_move(move) for move in pv)


def figure(value: float | None) -> str:
    return "NaN" if value is None else f"{value:.2f}"


def with_figures(move: str, evaluation: float | None, seconds: float | None) -> str:
    """``F5/1.00/0.50``, ``F5//0.50``, ``F5``."""
    parts = [move, *("" if value is None else f"{value:.2f}" for value in (evaluation, seconds))]
    return "/".join(parts).rstrip("/")


def split_word(text: str) -> tuple[str, str]:
    """The first word and the rest."""
    word, _, rest = text.partition(" ")
    return word, rest.strip()


def split_move(text: str) -> tuple[str, float | None, float | None]:
    """``F5/1.00/0.50``, with slashes or blanks; the move is what comes first, empty if nothing does."""
    parts = [*re.split(r"/| +", text), "", ""]
    return parts[0], first_number(parts[1]), number(parts[2])


def first_number(text: str) -> float | None:
    """A number, or the first one of a pair ``a,b``."""
    return number(text.partition(",")[0])


def needed_integer(word: str, text: str) -> int:
    value = integer(text)
    if value is None:
        raise DialectError(f"{word}: expected an integer", text)
    return value
