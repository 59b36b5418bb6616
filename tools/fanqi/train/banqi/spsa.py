"""Simultaneous perturbation (Spall 1992): all chosen weights are moved at once, at random up or down, two engines with
the opposite moves play each other, and the winner's direction is followed a little.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.train.banqi.duel import engine_with, play_pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Schedule", "spsa"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """How far to go, in Spall's letters.

    Attributes:
        iterations: pairs of games in all.
        step: share of a weight's span by which it is moved in the last iteration's trial.
        rate: share of a weight's span by which it may follow one result in the last iteration.
        nodes: searched for each move.
    """

    iterations: int = 2000
    step: float = 0.08
    rate: float = 0.004
    nodes: int = 3000


def spsa(
    weights: NDArray[np.int64],
    free: list[tuple[int, int]],
    span: NDArray[np.float64],
    schedule: Schedule,
    seed: int,
    report: Callable[[int, NDArray[np.int64]], None] | None = None,
) -> NDArray[np.int64]:
    """Tune the ``free`` weights, given as (set, place), by games.

    Args:
        weights: both sets to start from.
        free: which to tune.
        span: for each of them, how much it may sensibly vary.
        schedule: how long and how hard.
        seed: of perturbations and deals.
        report: called every 50 iterations with (iteration, rounded weights).
    """
    chooser = random.Random(seed)
    theta = np.array([weights[place] for place in free], np.float64)
    patience = schedule.iterations * 0.1

    def rounded(values: NDArray[np.float64]) -> NDArray[np.int64]:
        result = weights.copy()
        for place, value in zip(free, values, strict=True):
            result[place] = round(float(value))
        return result

    for iteration in range(schedule.iterations):
        step = schedule.step * span * (schedule.iterations / (iteration + 1)) ** 0.101
        rate = schedule.rate * span * ((schedule.iterations + patience) / (iteration + 1 + patience)) ** 0.602
        direction = np.array([chooser.choice((-1.0, 1.0)) for _ in free])
        one, two = (engine_with(rounded(theta + sign * step * direction)) for sign in (1.0, -1.0))
        points = play_pair(one, two, schedule.nodes, chooser) - 1.0
        theta += rate * points * direction
        if report is not None and (iteration + 1) % 50 == 0:
            report(iteration + 1, rounded(theta))
    return rounded(theta)
