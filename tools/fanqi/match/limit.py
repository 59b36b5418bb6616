"""How much an engine may think: time controls, fixed times, depths and node counts, and their notation."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from fanqi.game import quoted
from fanqi.match.errors import ConfigurationError

__all__ = ["DEFAULT_LIMIT", "DEFAULT_TIMEMARGIN_MS", "Limit", "TimeControl", "parse_time_control"]

DEFAULT_TIMEMARGIN_MS = 500
"""Foreign engines overstep: Fairy-Stockfish built for wasm takes 700 ms for ``movetime 500``."""

SECONDS = r"\d{1,9}(?:\.\d{1,3})?"
TIME_CONTROL = re.compile(rf"(?:(\d{{1,9}})/)?(?:(\d{{1,9}}):)?({SECONDS})(?:\+({SECONDS}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A game clock.

    Attributes:
        base_ms: on the clock before the first move (the first increment comes on top), and added every
            ``moves``.
        increment_ms: added after each move.
        moves: for how many moves the base lasts; None for the whole game.
    """

    base_ms: int
    increment_ms: int = 0
    moves: int | None = None

    def __str__(self) -> str:
        moves = "" if self.moves is None else f"{self.moves}/"
        return f"{moves}{seconds_text(self.base_ms)}+{seconds_text(self.increment_ms)}"


@dataclass(frozen=True, slots=True)
class Limit:
    """What bounds the thinking of one engine. Several limits apply together; at least one is set.

    Attributes:
        tc: a game clock.
        movetime_ms: wall time of each move.
        depth: plies.
        nodes: nodes of each move.
        timemargin_ms: by how much ``tc`` and ``movetime_ms`` may be overstepped without loss.
    """

    tc: TimeControl | None = None
    movetime_ms: int | None = None
    depth: int | None = None
    nodes: int | None = None
    timemargin_ms: int = DEFAULT_TIMEMARGIN_MS

    def __post_init__(self) -> None:
        if self.tc is None and self.movetime_ms is None and self.depth is None and self.nodes is None:
            raise ConfigurationError("an engine needs a limit: tc, movetime, depth or nodes")

    @property
    def without_margin(self) -> Limit:
        """The same with the usual margin."""
        return replace(self, timemargin_ms=DEFAULT_TIMEMARGIN_MS)

    @property
    def timed(self) -> bool:
        """Whether an engine can lose on time under it."""
        return self.tc is not None or self.movetime_ms is not None

    def __str__(self) -> str:
        parts = [
            f"{name}={value}"
            for name, value in (
                ("tc", self.tc),
                ("movetime", self.movetime_ms),
                ("depth", self.depth),
                ("nodes", self.nodes),
            )
            if value is not None
        ]
        return " ".join(parts)


DEFAULT_LIMIT = Limit(TimeControl(10_000, 100))
"""Of engines that are given none: every language that engines speak can be told of it, or does without."""


def parse_time_control(text: str) -> TimeControl:
    """``60+0.6``, ``40/60+0.6``, ``2:30+1``, ``10``: moves/minutes:seconds+increment.

    Raises:
        ConfigurationError: not of this form, or no time at all.
    """
    found = TIME_CONTROL.fullmatch(text)
    if found is None:
        raise ConfigurationError(
            f"time control {quoted(text)}: expected BASE+INC or MOVES/BASE+INC in seconds, such as 60+0.6"
        )
    moves, minutes, base, increment = found.groups()
    control = TimeControl(
        milliseconds(base) + 60_000 * int(minutes or 0),
        milliseconds(increment or "0"),
        int(moves) if moves else None,
    )
    if control.base_ms == 0 and control.increment_ms == 0:
        raise ConfigurationError(f"time control {quoted(text)} leaves no time at all")
    if control.moves == 0:
        raise ConfigurationError(f"time control {quoted(text)} is for no moves")
    return control


def milliseconds(text: str) -> int:
    """Decimal seconds to whole milliseconds, exactly."""
    whole, _, fraction = text.partition(".")
    return int(whole) * 1000 + int(fraction.ljust(3, "0"))


def seconds_text(value_ms: int) -> str:
    """The shortest decimal that `milliseconds` reads back."""
    whole, rest = divmod(value_ms, 1000)
    return f"{whole}.{rest:03d}".rstrip("0") if rest else str(whole)
