"""What an engine can say: a closed union of frozen answers, written by a session, read by whoever drives one.

Reading is strict where a mistake would matter (a move, an option) and tolerant with telemetry: an ``info`` field
that cannot be read is left out, one that is unknown is skipped.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

from fanqi.search import Bound, Info
from fanqi.uci.words import INTEGER, Words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "NO_MOVE",
    "Answer",
    "ArbiterAnswer",
    "BestMove",
    "Conduct",
    "HandshakeDone",
    "Identity",
    "OptionDeclaration",
    "OptionType",
    "ReadyOk",
    "Response",
    "Said",
    "format_answer",
    "format_info",
    "parse_answer",
]

NO_MOVE = "(none)"
EMPTY = "<empty>"

OptionType: TypeAlias = Literal["check", "spin", "combo", "button", "string"]
Conduct: TypeAlias = Literal["draw", "resign"]
OPTION_TYPES: tuple[OptionType, ...] = ("check", "spin", "combo", "button", "string")


@dataclass(frozen=True, slots=True)
class Identity:
    """``id name|author TEXT``."""

    what: Literal["name", "author"]
    text: str


@dataclass(frozen=True, slots=True)
class OptionDeclaration:
    """``option name N type T …``.

    Attributes:
        default: as text; None only for a button. An empty string is written ``<empty>``.
        lowest, highest: of a spin.
        choices: of a combo.
    """

    name: str
    type: OptionType
    default: str | None = None
    lowest: int | None = None
    highest: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HandshakeDone:
    """``uciok`` or ``ugiok``."""

    protocol: Literal["uci", "ugi"] = "uci"


@dataclass(frozen=True, slots=True)
class ReadyOk:
    """``readyok``."""


@dataclass(frozen=True, slots=True)
class Said:
    """``info string TEXT``; errors too come as such a line and begin with ``error:``."""

    text: str

    @property
    def is_error(self) -> bool:
        return self.text.startswith("error:")


@dataclass(frozen=True, slots=True)
class BestMove:
    """``bestmove M [ponder R] [draw|resign]``; ``move`` is None for ``(none)``."""

    move: str | None
    ponder: str | None = None
    conduct: Conduct | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """``response TEXT``, the answer to a ``query`` or a ``draw``."""

    text: str


@dataclass(frozen=True, slots=True)
class ArbiterAnswer:
    """``arbiter …``: the words after it, which `fanqi.arbiter` writes."""

    words: tuple[str, ...]


Answer: TypeAlias = (
    Identity | OptionDeclaration | HandshakeDone | ReadyOk | Said | Info | BestMove | Response | ArbiterAnswer
)


def format_answer(answer: Answer) -> str:
    """The line that `parse_answer` reads as ``answer``."""
    match answer:
        case Identity(what, text):
            return f"id {what} {text}"
        case OptionDeclaration():
            return " ".join(option_words(answer))
        case HandshakeDone(protocol):
            return f"{protocol}ok"
        case ReadyOk():
            return "readyok"
        case Said(text):
            return f"info string {text}"
        case Info():
            return format_info(answer)
        case BestMove(move, ponder, conduct):
            line = f"bestmove {move or NO_MOVE}"
            if ponder is not None:
                line += f" ponder {ponder}"
            return f"{line} {conduct}" if conduct is not None else line
        case Response(text):
            return f"response {text}"
        case ArbiterAnswer(words):
            return " ".join(("arbiter", *words))
        case _:
            assert_never(answer)


def format_info(info: Info) -> str:
    """The ``info`` line of a report; its ``text`` is a line of its own, `Said`."""
    words = ["info depth", str(info.depth), "seldepth", str(info.seldepth)]
    if info.selectivity is not None:
        words += ["selectivity", str(info.selectivity)]
    words += ["multipv", str(info.multipv)]
    if info.score_cp is not None:
        words += ["score cp", str(info.score_cp)]
        if info.bound is not Bound.EXACT:
            words.append(info.bound.value)
    if info.wdl is not None:
        words += ["wdl", *map(str, info.wdl)]
    nodes_per_second = info.nodes * 1000 // max(info.time_ms, 1)
    words += ["nodes", str(info.nodes), "nps", str(nodes_per_second), "hashfull", str(info.hashfull)]
    words += ["time", str(info.time_ms)]
    if info.pv:
        words += ["pv", *info.pv]
    return " ".join(words)


def option_words(option: OptionDeclaration) -> Iterable[str]:
    yield from ("option name", option.name, "type", option.type)
    if option.default is not None:
        yield from ("default", option.default or EMPTY)
    if option.lowest is not None and option.highest is not None:
        yield from ("min", str(option.lowest), "max", str(option.highest))
    for choice in option.choices:
        yield from ("var", choice)


def parse_answer(line: str | bytes) -> Answer | None:
    """The answer in ``line``, or None for a line that is none: a blank one, a picture, an unknown word.

    Raises:
        ProtocolError: a ``bestmove``, ``id``, ``option`` or ``readyok`` line that is not as it should be.
    """
    words = Words(line)
    match words.peek():
        case "info":
            words.take("")
            return Said(words.take_rest()) if words.take_if("string") else parse_info(words)
        case "bestmove":
            words.take("")
            return parse_bestmove(words)
        case "readyok":
            words.take("")
            words.expect_end()
            return ReadyOk()
        case "uciok" | "ugiok":
            return HandshakeDone("uci" if words.take("") == "uciok" else "ugi")
        case "id":
            words.take("")
            what: Literal["name", "author"] = "name" if words.take_one_of("name", "author") == "name" else "author"
            return Identity(what, words.take_rest())
        case "option":
            words.take("")
            return parse_option(words)
        case "response":
            words.take("")
            return Response(words.take_rest())
        case "arbiter":
            words.take("")
            return ArbiterAnswer(tuple(words.take_until()))
        case _:
            return None


def parse_bestmove(words: Words) -> BestMove:
    move = words.take("a move or (none)")
    ponder = words.take("a move") if words.take_if("ponder") else None
    conduct: Conduct | None = None
    if words.take_if("draw"):
        conduct = "draw"
    elif words.take_if("resign"):
        conduct = "resign"
    words.expect_end()
    return BestMove(None if move.lower() in (NO_MOVE, "none", "0000") else move, ponder, conduct)


def parse_option(words: Words) -> OptionDeclaration:
    words.take_one_of("name")
    name = " ".join(words.take_until("type"))
    if not name:
        raise words.error("expected the name of an option")
    words.take_one_of("type")
    kind = words.peek()
    if kind not in OPTION_TYPES:
        raise words.error(f"expected one of {', '.join(OPTION_TYPES)}")
    words.take("")
    default: str | None = None
    lowest: int | None = None
    highest: int | None = None
    choices: list[str] = []
    while words:
        match words.take_one_of("default", "min", "max", "var"):
            case "default":
                text = " ".join(words.take_until("min", "max", "var"))
                default = "" if text == EMPTY else text
            case "min":
                lowest = words.take_integer()
            case "max":
                highest = words.take_integer()
            case _:
                choices.append(" ".join(words.take_until("default", "min", "max", "var")))
    return OptionDeclaration(name, kind, default, lowest, highest, tuple(choices))


INFO_NUMBERS = {
    "depth": "depth",
    "seldepth": "seldepth",
    "selectivity": "selectivity",
    "multipv": "multipv",
    "nodes": "nodes",
    "hashfull": "hashfull",
    "time": "time_ms",
}
INFO_SKIPPED = ("nps", "currmove", "currmovenumber", "tbhits", "cpuload", "refutation", "currline")
INFO_WORDS = (*INFO_NUMBERS, *INFO_SKIPPED, "score", "wdl", "pv", "string")


def parse_info(words: Words) -> Info:
    """A report, from the words after ``info``. ``nps`` follows from other fields and is left out."""
    fields: dict[str, object] = {}
    while words:
        word = words.take("")
        if word == "pv":
            fields["pv"] = tuple(words.take_until())
            break
        values = words.take_until(*INFO_WORDS)
        if word in INFO_NUMBERS:
            if values and INTEGER.fullmatch(values[0]):
                fields[INFO_NUMBERS[word]] = int(values[0])
        elif word == "score":
            read_score(values, fields)
        elif word == "wdl" and len(values) == 3 and all(INTEGER.fullmatch(value) for value in values):
            fields["wdl"] = tuple(map(int, values))
        elif word == "string":
            fields["text"] = " ".join((*values, words.take_rest())).rstrip()
    return Info(**fields)  # type: ignore[arg-type]


MATE_CP = 32000


def read_score(values: list[str], fields: dict[str, object]) -> None:
    """``cp N`` or ``mate N`` with an optional bound; a mate in N counts as 32000 - |N| cp, with its sign."""
    for kind, number in itertools.pairwise(values):
        if kind in ("cp", "mate") and INTEGER.fullmatch(number):
            value = int(number)
            if kind == "mate":
                value = MATE_CP - value if value > 0 else -MATE_CP - value
            fields["score_cp"] = value
    for bound in (Bound.LOWER, Bound.UPPER):
        if bound.value in values:
            fields["bound"] = bound
