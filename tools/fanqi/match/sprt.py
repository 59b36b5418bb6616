"""Sequential tests: when enough games have been played to decide between two hypotheses about the difference.

`log_likelihood_ratio` is the generalised SPRT of Van den Bergh (the one of fishtest, fastchess and OpenBench)
for logistic and normalised Elo, on games or on pairs; ``bayes`` and ``approximate`` are kept for comparison
with older runners.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from fanqi.match.statistics import NELO_SCALE, Sample, expected_score, score_values

__all__ = ["Decision", "EloModel", "Sprt", "SprtState", "log_likelihood_ratio"]

NO_COUNT = 1e-3
"""Stands for a count of zero, so that a result not seen yet is not taken for impossible."""
MAX_STEPS = 10


class EloModel(Enum):
    """In what unit the two hypotheses are stated, and by what likelihood they are compared."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
    BAYES = "bayes"
    """BayesElo by Wald's test with the sample's draw rate (fishtest before 2020); games only."""
    APPROXIMATE = "approximate"
    """Logistic by the normal approximation (c-chess-cli); games only."""


class Decision(Enum):
    """What a sequential test says so far."""

    CONTINUE = "continue"
    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True, slots=True)
class SprtState:
    """The log-likelihood ratio, its bounds, and the decision."""

    llr: float
    lower: float
    upper: float
    decision: Decision


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test.

    Attributes:
        elo0, elo1: the difference under the two hypotheses, in the model's unit.
        alpha: accepted probability of deciding for H1 although H0 is true.
        beta: accepted probability of deciding for H0 although H1 is true.
        model: the unit.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = EloModel.NORMALIZED

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 {self.elo0} is not below elo1 {self.elo1}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"{name} {value} is not between 0 and 0.5")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1.0 - self.beta) / self.alpha)

    def state(self, counts: Sequence[float]) -> SprtState:
        """Where the test stands after ``counts``, three (games) or five (pairs)."""
        llr = log_likelihood_ratio(counts, self.elo0, self.elo1, self.model)
        if llr >= self.upper:
            decision = Decision.H1
        elif llr <= self.lower:
            decision = Decision.H0
        else:
            decision = Decision.CONTINUE
        return SprtState(llr, self.lower, self.upper, decision)


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float, model: EloModel) -> float:
    """How much better ``elo1`` explains the counts than ``elo0``, as the logarithm of the ratio; 0 without
    games.

    Raises:
        ValueError: pair counts with a model that knows single games only.
    """
    if Sample.of(counts) is None:
        return 0.0
    match model:
        case EloModel.LOGISTIC:
            return generalized_ratio(
                counts,
                lambda p, a: with_mean(p, a, expected_score(elo0)),
                lambda p, a: with_mean(p, a, expected_score(elo1)),
            )
        case EloModel.NORMALIZED:
            scale = math.sqrt(2.0) if len(counts) == 5 else 1.0
            t0, t1 = elo0 / NELO_SCALE * scale, elo1 / NELO_SCALE * scale
            return generalized_ratio(counts, lambda p, a: with_t_value(p, a, t0), lambda p, a: with_t_value(p, a, t1))
        case EloModel.BAYES:
            return bayes_ratio(*games_only(counts, model), elo0, elo1)
        case EloModel.APPROXIMATE:
            return approximate_ratio(games_only(counts, model), expected_score(elo0), expected_score(elo1))


def games_only(counts: Sequence[float], model: EloModel) -> tuple[float, float, float]:
    if len(counts) != 3:
        raise ValueError(f"the {model.value} model takes single games, not pairs")
    return counts[0], counts[1], counts[2]


Fit = Callable[[Sequence[float], Sequence[float]], Sequence[float]]


def generalized_ratio(counts: Sequence[float], fit0: Fit, fit1: Fit) -> float:
    """Log ratio of the likelihoods of the two best distributions, each under its hypothesis."""
    filled = [count or NO_COUNT for count in counts]
    size = sum(filled)
    seen = [count / size for count in filled]
    scores = score_values(len(counts))
    null, alternative = fit0(seen, scores), fit1(seen, scores)
    return size * sum(p * math.log(q1 / q0) for p, q0, q1 in zip(seen, null, alternative, strict=True))


def with_mean(seen: Sequence[float], values: Sequence[float], mean: float) -> list[float]:
    """The maximum likelihood distribution over ``values`` with the given mean, for observed shares ``seen``.

    It is p / (1 + x (a - mean)), with x from the condition on the mean: the root of a falling function
    between its two poles, by Newton's method kept inside a shrinking bracket.
    """
    offsets = [value - mean for value in values]
    low, high = -1.0 / max(offsets), -1.0 / min(offsets)
    x = 0.0
    for _ in range(200):
        terms = [offset / (1.0 + x * offset) for offset in offsets]
        value = sum(p * term for p, term in zip(seen, terms, strict=True))
        if value > 0:
            low = x
        else:
            high = x
        step = value / sum(p * term * term for p, term in zip(seen, terms, strict=True))
        guess = x + step
        if not low < guess < high:
            guess = (low + high) / 2.0
        if abs(guess - x) <= 1e-14 * (1.0 + abs(x)):
            x = guess
            break
        x = guess
    return [p / (1.0 + x * offset) for p, offset in zip(seen, offsets, strict=True)]


def with_t_value(seen: Sequence[float], values: Sequence[float], t: float) -> list[float]:
    """The maximum likelihood distribution with (mean - 1/2) / deviation = t: a fixed point of `with_mean`."""
    current: list[float] = [1.0 / len(values)] * len(values)
    for _ in range(MAX_STEPS):
        mean = sum(p * a for p, a in zip(current, values, strict=True))
        deviation = math.sqrt(sum(p * (a - mean) ** 2 for p, a in zip(current, values, strict=True)))
        tilted = [a - 0.5 - 0.5 * t * deviation * (1.0 + ((a - mean) / deviation) ** 2) for a in values]
        following = with_mean(seen, tilted, 0.0)
        change = max(abs(p - q) for p, q in zip(current, following, strict=True))
        current = following
        if change < 1e-9:
            break
    return current


def bayes_ratio(losses: float, draws: float, wins: float, elo0: float, elo1: float) -> float:
    """Wald's test in BayesElo with the sample's draw Elo; 0 while a result is missing."""
    if min(losses, draws, wins) == 0:
        return 0.0
    size = losses + draws + wins
    win, loss = wins / size, losses / size
    draw_elo = 200.0 * math.log10((1.0 - loss) / loss * (1.0 - win) / win)

    def distribution(difference: float) -> tuple[float, float, float]:
        won = 1.0 / (1.0 + 10.0 ** ((-difference + draw_elo) / 400.0))
        lost = 1.0 / (1.0 + 10.0 ** ((difference + draw_elo) / 400.0))
        return lost, 1.0 - won - lost, won

    pairs = zip((losses, draws, wins), distribution(elo0), distribution(elo1), strict=True)
    return sum(count * math.log(p1 / p0) for count, p0, p1 in pairs)


def approximate_ratio(counts: Sequence[float], score0: float, score1: float) -> float:
    """The generalised ratio as if results were normally distributed; 0 when all results are the same."""
    sample = Sample.of(counts)
    if sample is None or sample.variance == 0:
        return 0.0
    return sample.size * (score1 - score0) * (2.0 * sample.mean - score0 - score1) / (2.0 * sample.variance)
