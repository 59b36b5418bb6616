"""Playing below full strength, from beginner to full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

__all__ = ["FULL_STRENGTH", "Handicap", "choose"]

FULL_STRENGTH = 20


@dataclass(frozen=True, slots=True)
class Handicap:
    """What a skill level takes away.

    Attributes:
        depth: plies that are searched at most.
        lines: root moves between which it chooses.
        noise: standard deviation, in utility, of the error in what it thinks a move is worth.
    """

    depth: int
    lines: int
    noise: float

    @classmethod
    def of(cls, level: int) -> Handicap | None:
        """The handicap of a level from 0 to 19; None for full strength."""
        if level >= FULL_STRENGTH:
            return None
        missing = FULL_STRENGTH - max(0, level)
        return cls(depth=1 + level // 2, lines=2 + missing // 2, noise=14.0 * missing * missing)


def choose(scores: list[int], handicap: Handicap, chooser: random.Random) -> int:
    """The index of the line that looks best with the handicap's error; scores are utilities, best first."""
    seen = [score + chooser.gauss(0.0, handicap.noise) for score in scores]
    return seen.index(max(seen))
