"""UCI lines as engines write them: telemetry is read tolerantly, answers strictly."""

from __future__ import annotations

from dataclasses import dataclass

from fanqi.match.turn import Thought

__all__ = ["BestMove", "is_scored", "parse_best_move", "parse_info", "parse_option_name"]

MATE_CP = 100_000
"""What ``score mate`` counts as in cp, less the number of moves."""


@dataclass(frozen=True, slots=True)
class BestMove:
    """An answer: the move as written, and what came with it."""

    move: str
    resigns: bool = False
    offers_draw: bool = False


def parse_best_move(line: bytes) -> BestMove | None:
    """The answer in a ``bestmove`` line; None if the move is missing."""
    words = line.decode("utf-8", "replace").split()
    if len(words) < 2:
        return None
    rest = words[2:]
    return BestMove(words[1], resigns="resign" in rest[-1:], offers_draw="draw" in rest[-1:])


def is_scored(line: bytes) -> bool:
    """Whether an ``info`` line is worth keeping: it scores the first line of thought, and is no bound."""
    return (
        b" score " in line
        and (b" multipv " not in line or b" multipv 1 " in line)
        and b"bound" not in line
        and not line.startswith(b"info string")
    )


def parse_info(line: bytes) -> Thought:
    """What an ``info`` line says. Fields that cannot be read are left out."""
    words = line.decode("utf-8", "replace").split()
    numbers: dict[str, int] = {}
    cp: int | None = None
    pv = ""
    place = 1
    while place < len(words):
        word = words[place]
        if word == "pv":
            pv = " ".join(words[place + 1 :])
            break
        if word == "string":
            break
        if word == "score" and place + 2 < len(words):
            value = integer(words[place + 2])
            if value is not None and words[place + 1] == "cp":
                cp = value
            elif value is not None and words[place + 1] == "mate":
                cp = MATE_CP - value if value > 0 else -MATE_CP - value
            place += 3
            continue
        value = integer(words[place + 1]) if place + 1 < len(words) else None
        if value is not None:
            numbers[word] = value
            place += 1
        place += 1
    return Thought(
        cp,
        numbers.get("depth"),
        numbers.get("nodes"),
        numbers.get("time"),
        exact=numbers.get("selectivity") == 100,
        pv=pv,
    )


def parse_option_name(line: bytes) -> tuple[str, str] | None:
    """Name and the rest of an ``option name N type …`` line; None if it is none."""
    text = line.decode("utf-8", "replace")
    if not text.startswith("option name "):
        return None
    name, _, rest = text.removeprefix("option name ").partition(" type ")
    return name.strip(), rest.strip()


def integer(text: str) -> int | None:
    """An integer of a sane length, or None."""
    if len(text) > 20:
        return None
    try:
        return int(text)
    except ValueError:
        return None
