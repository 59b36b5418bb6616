"""Ratings: Glicko (Glickman 1999) with the margin of victory as a saturating score.

A result of d discs scores 1/2 + K d / (2 (1 + K |d|)) with K = 3/4, so a win by 4 scores 0.875. As such scores keep
away from 0 and 1, the step is twice that of Glicko. Both follow from the rating lines of real sessions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

__all__ = ["Rating", "margin_score", "rate"]

START, WIDEST = 1720.0, 350.0
Q = math.log(10) / 400
YEARS_TO_FORGET = 5.0
"""Without games a deviation of zero grows to the widest in this time."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating in one pool.

    Attributes:
        rating: 1720 to start with.
        deviation: at the time of the last game.
        last: unix seconds of the last game; 0 before the first.
        margin: sum of all results in discs.
        wins, draws, losses: matches.
    """

    rating: float = START
    deviation: float = WIDEST
    last: float = 0.0
    margin: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def deviation_at(self, now: float) -> float:
        """The deviation, grown since the last game."""
        if not self.last:
            return self.deviation
        years = max(now - self.last, 0.0) / (365.25 * 86400)
        return min(math.sqrt(self.deviation**2 + WIDEST**2 * years / YEARS_TO_FORGET), WIDEST)

    def at(self, now: float) -> Self:
        return replace(self, deviation=self.deviation_at(now))

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


def margin_score(result: float) -> float:
    """What a result in discs counts, between 0 and 1."""
    return 0.5 + 0.375 * result / (1 + 0.75 * abs(result))


def damping(deviation: float) -> float:
    """Glicko's g: how much an opponent of uncertain strength tells."""
    return 1 / math.sqrt(1 + 3 * (Q * deviation / math.pi) ** 2)


def rate(score: float, first: Rating, second: Rating) -> tuple[Rating, Rating]:
    """Both ratings after a match in which the first scored ``score``; deviations must be of today."""

    def after(own: Rating, opponent: Rating, scored: float) -> Rating:
        g = damping(opponent.deviation)
        expected = 1 / (1 + 10 ** (-g * (own.rating - opponent.rating) / 400))
        precision = 1 / own.deviation**2 + (Q * g) ** 2 * expected * (1 - expected)
        step = 2 * Q * g / precision * (scored - expected)
        return replace(own, rating=own.rating + step, deviation=1 / math.sqrt(precision))

    return after(first, second, score), after(second, first, 1 - score)
