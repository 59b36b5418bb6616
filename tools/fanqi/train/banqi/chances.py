"""Are the win, draw and loss that the engine predicts those that come about? And the constants that make them so.

The utility of a search is meant to be the share of games won less the share lost. `reliability` compares the two, and
all three shares, over positions of self-play; `fit_draws` finds the two numbers of `fanqi.banqi.utility.DRAWS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.context import EVALUATION_MOST
from fanqi.banqi.state import HIDDEN
from fanqi.banqi.utility import chances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.train.banqi.selfplay import Samples

__all__ = ["Bin", "DrawFit", "fit_draws", "reliability"]

LEAST_CHANCE = 1e-3  # what has come about is never taken to have been less likely


@dataclass(frozen=True, slots=True)
class Bin:
    """Positions about which the search thought nearly the same.

    Attributes:
        lowest: utility as a share of `EVALUATION_MOST`, -1 to 1; the bin ends where the next one begins.
        count: positions.
        predicted: mean shares of win, draw and loss by `fanqi.banqi.utility.chances`.
        real: how the games ended.
    """

    lowest: float
    count: int
    predicted: tuple[float, float, float]
    real: tuple[float, float, float]


def reliability(samples: Samples, bins: int = 10) -> list[Bin]:
    """Predicted against real results, in bins of equal width that hold any position."""
    shares = _shares(samples)
    covered = samples.states[:, HIDDEN] != 0
    edges = np.linspace(-1.0, 1.0, bins + 1)[:-1]
    places = np.searchsorted(edges, shares, side="right") - 1
    found = []
    for place, lowest in enumerate(edges.tolist()):
        rows = np.flatnonzero(places == place)
        if len(rows):
            told = [chances(float(samples.scores[row]), bool(covered[row])) for row in rows]
            win, draw, loss = (float(share) / 1000 for share in np.mean(told, axis=0))
            results = samples.results[rows]
            real = tuple(float((results == result).mean()) for result in (1, 0, -1))
            found.append(Bin(lowest, len(rows), (win, draw, loss), (real[0], real[1], real[2])))
    return found


@dataclass(frozen=True, slots=True)
class DrawFit:
    """The numbers of `fanqi.banqi.utility.DRAWS` under which results are most likely.

    Attributes:
        even: share of draws in even positions.
        power: see there.
        loss: mean of -log of the chance given to what came about.
    """

    even: float
    power: float
    loss: float


def fit_draws(samples: Samples) -> DrawFit:
    """Search a grid, in steps of 0.02 for the share and 0.1 for the power.

    Args:
        samples: all with covered men, or all without.
    """
    shares = _shares(samples)
    fits = (
        DrawFit(round(even, 2), round(power, 1), _loss(even, power, shares, samples.results))
        for even in np.arange(0.02, 1.0, 0.02).tolist()
        for power in np.arange(0.1, 2.05, 0.1).tolist()
    )
    return min(fits, key=lambda fit: fit.loss)


def _shares(samples: Samples) -> NDArray[np.float64]:
    return np.asarray(np.clip(samples.scores / EVALUATION_MOST, -1.0, 1.0))


def _loss(even: float, power: float, shares: NDArray[np.float64], results: NDArray[np.int64]) -> float:
    draw = np.minimum(even * (1.0 - shares * shares) ** power, 1.0 - np.abs(shares))
    win = (1.0 - draw + shares) / 2
    told = np.where(results == 1, win, np.where(results == 0, draw, 1.0 - draw - win))
    return float(-np.log(np.maximum(told, LEAST_CHANCE)).mean())
