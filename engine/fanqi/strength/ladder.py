"""The levels of a game, from 0 to just below full strength, and every place between two of them."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.strength.handicap import Handicap

if TYPE_CHECKING:
    import random

__all__ = ["FULL_STRENGTH", "Ladder", "Rung"]

FULL_STRENGTH = 20


@dataclass(frozen=True, slots=True)
class Rung:
    """One level.

    Attributes:
        depth: mean number of plies searched; ``2.3`` is three plies in three of ten moves, else two.
        noise: as in `Handicap`.
        lines: as in `Handicap`.
        exact_from: as in `Handicap`, with fractions as in ``depth``; None in a game not searched to its end.
        nodes: as in `Handicap`.
    """

    depth: float
    noise: float
    lines: int
    exact_from: float | None = None
    nodes: float | None = None

    def handicap(self, dice: random.Random) -> Handicap:
        """What it means for one move: fractions are decided by the dice."""
        luck = dice.random()
        exact_from = None if self.exact_from is None else whole(self.exact_from, luck)
        nodes = None if self.nodes is None else round(self.nodes)
        return Handicap(whole(self.depth, luck), exact_from, nodes, lines=self.lines, noise=self.noise)


@dataclass(frozen=True, slots=True)
class Ladder:
    """The levels of a game below full strength, weakest first."""

    rungs: tuple[Rung, ...]

    def rung(self, level: float) -> Rung | None:
        """What a level means; levels between two rungs lie between them in every respect.

        None for full strength. Below it the last rung is the strongest.
        """
        if level >= FULL_STRENGTH:
            return None
        place = min(max(level, 0.0), len(self.rungs) - 1.0)
        below, above = self.rungs[math.floor(place)], self.rungs[math.ceil(place)]
        share = place - math.floor(place)
        return Rung(
            depth=mixed(below.depth, above.depth, share),
            noise=mixed(below.noise, above.noise, share),
            lines=max(below.lines, above.lines),
            exact_from=mixed_bound(below.exact_from, above.exact_from, share),
            nodes=mixed_bound(below.nodes, above.nodes, share),
        )

    def handicap(self, level: float, dice: random.Random) -> Handicap | None:
        """What a level means for one move; None for full strength."""
        rung = self.rung(level)
        return None if rung is None else rung.handicap(dice)

    @property
    def fingerprint(self) -> str:
        """Changes with any rung, so that a calibration can tell for which ladder it was made."""
        return hashlib.sha256(repr(self.rungs).encode()).hexdigest()[:12]


def mixed(first: float, second: float, share: float) -> float:
    return first + (second - first) * share


def mixed_bound(first: float | None, second: float | None, share: float) -> float | None:
    """`mixed`, and the only bound there is where one of the rungs has none."""
    if first is None or second is None:
        return first if second is None else second
    return mixed(first, second, share)


def whole(value: float, luck: float) -> int:
    """``value`` rounded up or down so that its mean stays, by a number from 0 to 1."""
    return math.floor(value) + (luck < value % 1.0)
