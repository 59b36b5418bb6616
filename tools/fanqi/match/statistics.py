"""What a set of results says about a difference in strength, and how sure that is.

Counts are *trinomial* (losses, draws, wins of single games, scored 0, 1/2, 1) or *pentanomial* (the five sums
of a game pair, scored 0, 1/4, 1/2, 3/4, 1), always from the view of the first engine. A function returns None
where the counts do not allow an answer; nothing here ever returns nan or an infinity.

Formulas as in fastchess (`elo_wdl.cpp`, `elo_pentanomial.cpp`) and fishtest (`LLRcalc.py`); Z is the 97.5 %
quantile of the normal distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Estimate",
    "Sample",
    "draw_ratio",
    "elo",
    "elo_estimate",
    "expected_score",
    "likelihood_of_superiority",
    "mean_estimate",
    "normalized_elo",
    "pair_ratio",
]

Z = 1.959963984540054
SWEEP = 5
"""So many results that are all the same come from engines of equal strength once in 32 times; fewer say nothing."""
NELO_SCALE = 800.0 / math.log(10.0)
"""Normalised Elo of a one-game t-value of 1."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and half the width of its 95 % confidence interval, None where there is not enough to go by."""

    value: float
    error: float | None

    def __str__(self) -> str:
        return f"{self.value:+z.1f}" if self.error is None else f"{self.value:+z.1f} ± {self.error:.1f}"


@dataclass(frozen=True, slots=True)
class Sample:
    """Mean, variance and size of a set of results.

    Attributes:
        counts: 3 (trinomial) or 5 (pentanomial), worst result first.
        size: games or pairs.
        mean: score between 0 and 1.
        variance: of one result.
    """

    counts: tuple[float, ...]
    size: float
    mean: float
    variance: float

    @classmethod
    def of(cls, counts: Sequence[float]) -> Sample | None:
        """The sample with these counts; None when there are none.

        Raises:
            ValueError: neither three nor five counts, or a negative one.
        """
        if len(counts) not in (3, 5) or min(counts) < 0:
            raise ValueError(f"three or five counts, none negative, not {list(counts)}")
        size = sum(counts)
        if size == 0:
            return None
        scores = score_values(len(counts))
        mean = sum(n * a for n, a in zip(counts, scores, strict=True)) / size
        variance = sum(n * (a - mean) ** 2 for n, a in zip(counts, scores, strict=True)) / size
        return cls(tuple(counts), size, mean, variance)

    @property
    def paired(self) -> bool:
        """Whether one result is a pair of games."""
        return len(self.counts) == 5

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.variance / self.size)

    @property
    def game_deviation(self) -> float:
        """Standard deviation of a single game's score, as far as pairs tell."""
        return math.sqrt(self.variance * (2.0 if self.paired else 1.0))


def score_values(kinds: int) -> tuple[float, ...]:
    """The scores that ``kinds`` results stand for: evenly spaced from 0 to 1."""
    return tuple(kind / (kinds - 1) for kind in range(kinds))


def elo(score: float) -> float | None:
    """The difference in logistic Elo at which ``score`` is expected; None at 0, 1 and beyond."""
    if not 0.0 < score < 1.0:
        return None
    return 400.0 * math.log10(score / (1.0 - score))


def expected_score(difference: float) -> float:
    """The score expected of a player this many logistic Elo stronger."""
    return 1.0 / (1.0 + math.pow(10.0, -difference / 400.0))


def elo_estimate(counts: Sequence[float]) -> Estimate | None:
    """Logistic Elo with its 95 % error; None when everything was won or lost, or nothing played."""
    sample = Sample.of(counts)
    if sample is None:
        return None
    value = elo(sample.mean)
    if value is None:
        return None
    upper = elo(sample.mean + Z * sample.standard_error)
    lower = elo(sample.mean - Z * sample.standard_error)
    if upper is None or lower is None or sample.variance == 0:
        return Estimate(value, None)
    return Estimate(value, (upper - lower) / 2.0)


def normalized_elo(counts: Sequence[float]) -> Estimate | None:
    """Normalised Elo: the mean's distance from 1/2 in standard deviations of one game, scaled; with its
    error.

    It says how many games are needed to tell the engines apart, whatever the share of draws. None when every
    result was the same.
    """
    sample = Sample.of(counts)
    if sample is None or sample.variance == 0:
        return None
    scale = NELO_SCALE / sample.game_deviation
    return Estimate((sample.mean - 0.5) * scale, Z * sample.standard_error * scale)


def likelihood_of_superiority(counts: Sequence[float]) -> float | None:
    """The probability that the first engine is the stronger one, by the normal approximation.

    None when the results cannot tell: nothing played, or all the same and exactly even, or fewer than `SWEEP`.
    """
    sample = Sample.of(counts)
    if sample is None:
        return None
    if sample.variance == 0:
        return None if sample.mean == 0.5 or sample.size < SWEEP else float(sample.mean > 0.5)
    return 0.5 * math.erfc(-(sample.mean - 0.5) / sample.standard_error / math.sqrt(2.0))


def draw_ratio(counts: Sequence[float]) -> float | None:
    """The share of even results: drawn games, or pairs that ended one all."""
    sample = Sample.of(counts)
    return None if sample is None else counts[len(counts) // 2] / sample.size


def pair_ratio(counts: Sequence[float]) -> float | None:
    """Pairs won over pairs lost; None without a lost one.

    Raises:
        ValueError: not pentanomial.
    """
    if len(counts) != 5:
        raise ValueError(f"five pair counts, not {list(counts)}")
    lost = counts[0] + counts[1]
    return (counts[3] + counts[4]) / lost if lost else None


def mean_estimate(count: int, total: float, total_of_squares: float) -> Estimate | None:
    """Mean of any measure (discs, stake points) with its 95 % error, from running sums.

    Args:
        count: how many values.
        total: their sum.
        total_of_squares: the sum of their squares.
    """
    if count == 0:
        return None
    mean = total / count
    if count == 1:
        return Estimate(mean, None)
    variance = max(0.0, (total_of_squares - count * mean * mean) / (count - 1))
    return Estimate(mean, Z * math.sqrt(variance / count))
