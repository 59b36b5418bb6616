"""Fitting the evaluation's weights to games: least squares by Levenberg and Marquardt.

The target of a position is a mixture of how its game ended and what a search thought of it; the model is the static
evaluation turned into a utility. Weights are whole numbers; derivatives are taken by small steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi import context as c
from fanqi.banqi.evaluation import evaluate_many
from fanqi.banqi.memory import Memory
from fanqi.banqi.state import HIDDEN
from fanqi.banqi.utility import SLOPE
from fanqi.banqi.weights import WEIGHT_SIZES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.train.banqi.selfplay import Samples


__all__ = ["BOUNDS", "Fit", "Model", "bounds_of", "fit"]

# what a weight may sensibly be; few positions speak for some of them, and least squares would run away with those
BOUNDS: dict[str, tuple[int, int]] = {
    "base": (50, 2000),
    "decay": (50, 100),
    "equal_decay": (50, 100),
    "king_decay": (50, 100),
    "cannon_decay": (50, 100),
    "no_prey": (0, 100),
    "closeness": (0, 128),
    "pursuit": (0, 128),
    "prey_share": (-4, 8),
    "king_hunter": (-50, 200),
    "mobility": (0, 30),
    "mobility_share": (0, 60),
    "stuck": (0, 200),
    "covered_danger": (-50, 150),
    "covered_prey": (-50, 150),
    "covered_share": (-150, 150),
    "threat_best": (0, 120),
    "threat_rest": (0, 120),
    "attack_best": (0, 120),
    "attack_rest": (0, 120),
    "cannon_only": (0, 100),
    "uncatchable": (0, 100),
    "tempo": (0, 60),
}


def bounds_of(free: list[tuple[int, int]]) -> NDArray[np.int64]:
    """Lowest and highest value of the weights at these places, shape (n, 2)."""
    names = [name for name, size in WEIGHT_SIZES.items() for _ in range(size)]
    return np.array([BOUNDS[names[place]] for _, place in free], np.int64)


class Model:
    """The static evaluation as a function of both weight sets, over a fixed lot of positions.

    Args:
        samples: positions and what is known of them.
        result_share: how much of the target is the end of the game; the rest is the search's score.
    """

    def __init__(self, samples: Samples, result_share: float) -> None:
        covered = np.bitwise_count(samples.states[:, HIDDEN])
        order = np.argsort(covered, kind="stable")
        self._states = np.ascontiguousarray(samples.states[order])
        self._groups = [(int(n), np.flatnonzero(covered[order] == n)) for n in np.unique(covered)]
        scores = np.clip(samples.scores[order] / c.EVALUATION_MOST, -1.0, 1.0)
        self.target = result_share * samples.results[order] + (1.0 - result_share) * scores

    def predict(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Utility / `EVALUATION_MOST` of every position, -1 to 1.

        Args:
            weights: both sets, as from `fanqi.banqi.weights.load_weights`.
        """
        memory = Memory(weights)
        cp = np.zeros(len(self._states), np.int64)
        for covered, rows in self._groups:
            memory.use_weights(covered)
            part = cp[rows[0] : rows[-1] + 1]
            evaluate_many(memory.words, self._states[rows[0] : rows[-1] + 1], part)
        x = cp / SLOPE
        return np.asarray(x / np.sqrt(1.0 + x * x))

    def loss(self, weights: NDArray[np.int64]) -> float:
        """Mean squared error."""
        return float(np.mean((self.predict(weights) - self.target) ** 2))


@dataclass(frozen=True, slots=True)
class Fit:
    """The end of a fit.

    Attributes:
        weights: both sets.
        before, after: mean squared error.
    """

    weights: NDArray[np.int64]
    before: float
    after: float


def fit(
    model: Model,
    weights: NDArray[np.int64],
    free: list[tuple[int, int]],
    *,
    rounds: int = 8,
    report: Callable[[int, float], None] | None = None,
) -> Fit:
    """Lower the model's loss by changing the ``free`` weights, given as (set, place).

    Args:
        model: what to fit.
        weights: where to start.
        free: which to change, each within its `BOUNDS`.
        rounds: at most so many derivatives are taken.
        report: called with (round, loss).
    """
    best = weights.copy()
    before = loss = model.loss(best)
    damping = 1e-3
    limits = bounds_of(free)
    for number in range(rounds):
        base = model.predict(best)
        slopes = np.empty((len(base), len(free)), np.float32)
        for column, (row, place) in enumerate(free):
            step = max(1, abs(int(best[row, place])) // 25)
            moved = best.copy()
            moved[row, place] += step
            slopes[:, column] = (model.predict(moved) - base) / step
        normal = (slopes.T @ slopes).astype(np.float64)
        pull = slopes.T.astype(np.float64) @ (model.target - base)
        improved = False
        for _ in range(8):
            ridge = damping * np.diag(np.diag(normal) + 1e-9 * len(base))
            change = np.linalg.solve(normal + ridge, pull)
            trial = best.copy()
            for (row, place), delta, (low, high) in zip(free, change, limits, strict=True):
                trial[row, place] = min(high, max(low, trial[row, place] + round(float(delta))))
            trial_loss = model.loss(trial)
            if trial_loss < loss:
                best, loss, improved = trial, trial_loss, True
                damping = max(damping / 5, 1e-6)
                break
            damping *= 5
        if report is not None:
            report(number + 1, loss)
        if not improved:
            break
    return Fit(best, before, loss)
