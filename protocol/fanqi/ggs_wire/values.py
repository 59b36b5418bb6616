"""The small values of the wire: durations, clocks, game types, game ids, moves. Each reads what it writes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from fanqi.ggs_wire.errors import WireError

__all__ = [
    "BOARD_WIDTHS",
    "ClockPart",
    "ClockSetting",
    "ClockState",
    "GameId",
    "GameType",
    "Move",
    "format_duration",
    "is_pass",
    "parse_duration",
]

BOARD_WIDTHS = {4: 4, 6: 6, 8: 8, 10: 10, 12: 12, 14: 14, 88: 10}
"""Board names and their widths; 88 is a 10x10 board without its corners."""

BOARD_SQUARES = {name: width * width for name, width in BOARD_WIDTHS.items()} | {88: 88}


def format_duration(seconds: int, width: int = 5) -> str:
    """``MM:SS``, ``HH:MM:SS`` from an hour on, ``D.HH:MM:SS`` from a day on, a minus sign when overdrawn.

    Args:
        width: the shortest text wanted: from 8 on hours are written even when there are none.
    """
    rest, second = divmod(abs(seconds), 60)
    rest, minute = divmod(rest, 60)
    day, hour = divmod(rest, 24)
    text = f"{minute:02d}:{second:02d}"
    if day or hour or width >= 8:
        text = f"{hour:02d}:{text}"
    if day:
        text = f"{day}.{text}"
    return f"{'-' if seconds < 0 else ''}{text}".rjust(width)


def parse_duration(text: str) -> int:
    """Seconds of a printed duration.

    Raises:
        WireError: it is none.
    """
    found = re.fullmatch(r"(-?)(?:(\d{1,5})\.)?(?:(\d{1,3}):)?(\d{1,4}):(\d\d)", text.strip())
    if found is None:
        raise WireError(text, "not a duration such as 04:59")
    sign, day, hour, minute, second = found.groups()
    total = ((int(day or 0) * 24 + int(hour or 0)) * 60 + int(minute)) * 60 + int(second)
    return -total if sign else total


def typed_duration(text: str) -> int:
    """Seconds of a duration as players type it: ``[[HH:]MM:]SS``, but a bare number means minutes."""
    parts = text.split(":")
    if not 1 <= len(parts) <= 3 or not all(re.fullmatch(r"\d{1,6}", part) for part in parts):
        raise WireError(text, "not a time such as 5:00")
    total = 0
    for part in parts:
        total = total * 60 + int(part)
    return total * 60 if len(parts) == 1 else total


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """``ini/inc/ext`` in seconds, each with the number of moves that it is meant for.

    Attributes:
        initial, increment, extension: seconds.
        initial_moves: 0 for the whole game.
        increment_moves: the increment comes after that many moves.
        extension_moves: 0 for the rest of the game.
        initial_loses: running out of the initial time costs the game.
        increment_adds: the increment is added in full; otherwise only what was spent comes back.
        extension_adds: the extension is added to what is left; otherwise the clock is set to it.
    """

    initial: int = 15 * 60
    increment: int = 0
    extension: int = 2 * 60
    initial_moves: int = 0
    increment_moves: int = 1
    extension_moves: int = 0
    initial_loses: bool = True
    increment_adds: bool = True
    extension_adds: bool = True

    @classmethod
    def parse(cls, text: str) -> Self:
        """A clock as players type it and as the service prints it: ``5:00//1:00``, ``00:30/00:01,2/01:00,N5``.

        What is left out keeps the default 15:00//2:00.

        Raises:
            WireError: it is no clock.
        """
        parts = text.strip().split("/")
        if not 1 <= len(parts) <= 3:
            raise WireError(text, "not a clock such as 5:00/0:02/1:00")
        values: dict[str, int | bool] = {}
        names = (("initial", "loses"), ("increment", "adds"), ("extension", "adds"))
        for part, (name, flag) in zip(parts, names, strict=False):
            time, comma, moves = part.partition(",")
            if time:
                values[name] = typed_duration(time) if "." not in time else parse_duration(time)
            if comma:
                if moves[:1] in ("N", "n"):
                    values[f"{name}_{flag}"] = False
                    moves = moves[1:]
                if moves:
                    if not re.fullmatch(r"\d{1,4}", moves) or (name == "increment" and int(moves) < 1):
                        raise WireError(text, f"number of moves {moves!r}")
                    values[f"{name}_moves"] = int(moves)
        return cls(**values)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return "/".join(
            (
                format_duration(self.initial) + moves_suffix(self.initial_moves, 0, self.initial_loses),
                format_duration(self.increment) + moves_suffix(self.increment_moves, 1, self.increment_adds)
                if self.increment
                else "",
                format_duration(self.extension) + moves_suffix(self.extension_moves, 0, self.extension_adds),
            )
        )


def moves_suffix(moves: int, default: int, plain: bool) -> str:
    """``,N5``, ``,2`` or nothing."""
    if moves == default and plain:
        return ""
    return f",{'' if plain else 'N'}{moves if moves != default else ''}"


CLOCK_PART = r"(-?[\d.:]+),(N?)(\d+):(\d+)"
CLOCK_STATE = re.compile(rf"{CLOCK_PART}/(?:{CLOCK_PART})?/{CLOCK_PART}")


@dataclass(frozen=True, slots=True)
class ClockPart:
    """One third of a running clock: ``04:59,N1:0`` is time, flag, moves made, moves meant."""

    seconds: int
    special: bool = False
    made: int = 0
    meant: int = 0

    def __str__(self) -> str:
        return f"{format_duration(self.seconds)},{'N' if self.special else ''}{self.made}:{self.meant}"


@dataclass(frozen=True, slots=True)
class ClockState:
    """A running clock as it is printed: ``04:59,1:0//02:00,1:0``. Seconds are cut off, not rounded."""

    left: ClockPart
    increment: ClockPart | None
    extension: ClockPart

    @classmethod
    def parse(cls, text: str) -> Self:
        """
        Raises:
            WireError: it is no running clock.
        """
        found = CLOCK_STATE.fullmatch(text.strip())
        if found is None:
            raise WireError(text, "not a running clock such as 04:59,1:0//02:00,1:0")
        parts = [
            None
            if found[at] is None
            else ClockPart(parse_duration(found[at]), found[at + 1] == "N", int(found[at + 2]), int(found[at + 3]))
            for at in (1, 5, 9)
        ]
        left, increment, extension = parts
        assert left is not None and extension is not None  # only the middle group is optional
        return cls(left, increment, extension)

    def __str__(self) -> str:
        return f"{self.left}/{self.increment or ''}/{self.extension}"


@dataclass(frozen=True, slots=True)
class GameType:
    """What is played: ``8``, ``8b``, ``8a``, ``8kr16``, ``s8r20``.

    Attributes:
        board: a key of `BOARD_WIDTHS`.
        synchro: two games at once with colours swapped.
        komi: both bid for the side to move.
        random: discs of a random start, or None.
        colour: the asker's, ``b``, ``w`` or empty.
        anti: fewest discs win.
    """

    board: int = 8
    synchro: bool = False
    komi: bool = False
    random: int | None = None
    colour: str = ""
    anti: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Letters after the board come in any order and any case; unknown ones are dropped.

        Raises:
            WireError: no such type; the reason is in the service's own words.
        """
        rest = text.strip().lower()
        synchro = rest.startswith("s")
        digits = re.match(r"\d{1,4}", rest[synchro:])
        if digits is None or (board := int(digits[0])) not in BOARD_WIDTHS:
            raise WireError(text, "illegal board type")
        letters = re.findall(r"r\d{0,6}|[^\d]|\d+", rest[synchro + digits.end() :])
        komi = anti = False
        random: int | None = None
        colour = ""
        for letter in letters:
            if letter in ("k", "b", "w") or letter[0] == "r":
                if letter in ("b", "w") and (komi or random is not None):
                    raise WireError(text, "no preferred color in komi or rand games")
                if colour and letter in ("b", "w"):
                    raise WireError(text, "only one color preference allowed")
                if colour:
                    raise WireError(text, f"no preferred color in {'komi' if letter == 'k' else 'rand'} games")
            if letter == "k":
                komi = True
            elif letter == "a":
                anti = True
            elif letter in ("b", "w"):
                colour = letter
            elif letter[0] == "r":
                random = int(letter[1:] or 0)
                if not 4 <= random <= BOARD_SQUARES[board] - (40 if board == 88 else 16):
                    raise WireError(text, "missing or illegal rand-type")
        if synchro and komi:
            raise WireError(text, "synchro+komi not supported")
        if random is not None and not (komi or synchro):
            raise WireError(text, "random games must be komi or synchro")
        return cls(board, synchro, komi, random, colour, anti)

    def __str__(self) -> str:
        return self.text()

    def text(self, komi: float | None = None) -> str:
        """The canonical order of letters; with a komi as histories show it: ``8k+0.75r16``."""
        bid = "" if komi is None else f"{komi:+z.2f}"
        return (
            f"{'s' if self.synchro else ''}{self.board}{'k' + bid if self.komi else ''}"
            f"{'' if self.random is None else f'r{self.random}'}{self.colour}{'a' if self.anti else ''}"
        )

    @property
    def pool(self) -> str:
        """The name of the rating that such a game counts for."""
        return f"{self.board}{'' if self.random is None else 'r'}{'a' if self.anti else ''}"


@dataclass(frozen=True, slots=True)
class GameId:
    """``.7`` for a match of one game, ``.7.0`` and ``.7.1`` for the two of a synchro match."""

    match: int
    game: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """
        Raises:
            WireError: it is no id.
        """
        found = re.fullmatch(r"\.(\d{1,9})(?:\.(\d))?", text)
        if found is None:
            raise WireError(text, "not an id such as .7 or .7.0")
        return cls(int(found[1]), None if found[2] is None else int(found[2]))

    def __str__(self) -> str:
        return f".{self.match}" if self.game is None else f".{self.match}.{self.game}"


MOVE = re.compile(r"([^/\s]+)(?:/([^/\s]*))?(?:/([^/\s]*))?")


@dataclass(frozen=True, slots=True)
class Move:
    """``f5/0.50/0.10``: a move as it was typed, its mover's evaluation in discs, seconds used.

    Zero stands for what was not stated, since that is how the service writes it.
    """

    square: str
    evaluation: float = 0.0
    seconds: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """
        Raises:
            WireError: it is no move, or one of its numbers is none; the reason is in the service's own words.
        """
        found = MOVE.fullmatch(text.strip())
        if found is None:
            raise WireError(text, "corrupt move")
        evaluation = finite(found[2], text, "move eval expected")
        seconds = finite(found[3], text, "move time >= 0 expected")
        if seconds < 0:
            raise WireError(text, "move time >= 0 expected")
        if abs(evaluation) >= 1000:
            raise WireError(text, "move eval out of range")
        if seconds >= 100_000:
            raise WireError(text, "move time out of range")
        return cls(found[1], evaluation, seconds)

    def __str__(self) -> str:
        evaluation = f"{self.evaluation:.2f}" if abs(self.evaluation) >= 0.005 else ""
        seconds = f"/{self.seconds:.2f}" if self.seconds >= 0.005 else ""
        return f"{self.square}/{evaluation}{seconds}" if evaluation or seconds else self.square


def plain_zero(text: str) -> float:
    """A number whose zero has no sign: ``-0.00`` is what is left of a draw seen from the other side."""
    return float(text) + 0.0


def finite(text: str | None, whole: str, reason: str) -> float:
    """A plain decimal number; 0 for nothing."""
    if not text:
        return 0.0
    if not re.fullmatch(r"[+-]?(\d{1,12}(\.\d*)?|\.\d+)", text):
        raise WireError(whole, reason)
    return plain_zero(text)


def is_pass(square: str) -> bool:
    """Whether a move, in any spelling that the service takes, is a pass."""
    return square.lower() in ("pa", "pass")
