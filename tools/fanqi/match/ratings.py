"""Ratings of many engines from who beat whom: maximum likelihood, with errors, and whether they can be compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.match.statistics import Estimate, Z

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["Ratings", "best_first", "difference_error", "rate"]

SCALE = math.log(10.0) / 400.0
PRIOR_DRAWS = 1.0
"""Drawn games that each pairing is given on top, shared out as half a win each, so that a clean sweep has a rating."""
TOLERANCE = 1e-9
MAX_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Ratings:
    """A rating table.

    Attributes:
        ratings: of each engine in Elo, the mean of a group (or its anchor) is 0; None for one that has not played.
        groups: engines that can be compared with each other. More than one means: the results do not connect them.
    """

    ratings: dict[str, Estimate | None]
    groups: list[list[str]]

    @property
    def connected(self) -> bool:
        return len(self.groups) <= 1


def rate(
    names: Sequence[str], results: Mapping[tuple[str, str], tuple[float, int]], anchor: str | None = None
) -> Ratings:
    """Fit logistic ratings by maximum likelihood (Newton's method on a concave function).

    Args:
        names: of all engines.
        results: by pair of names the points of the first one and the number of games. Draws are half points.
        anchor: an engine whose rating is 0 by definition, in its group; errors are those of the differences to it.
    """
    ratings: dict[str, Estimate | None] = dict.fromkeys(names)
    played = {pair: (points, games) for pair, (points, games) in results.items() if games > 0}
    groups = components(names, played)
    for group in groups:
        inside = {pair: result for pair, result in played.items() if pair[0] in group}
        ratings.update(zip(group, rate_group(group, inside, anchor if anchor in group else None), strict=True))
    return Ratings(ratings, groups)


def difference_error(
    found: Ratings, results: Mapping[tuple[str, str], tuple[float, int]], first: str, second: str
) -> float:
    """Half the 95 % interval of the difference between two engines of one group, rated from ``results``."""
    (group,) = (group for group in found.groups if first in group and second in group)
    played = {pair: result for pair, result in results.items() if pair[0] in group and result[1] > 0}
    values = np.array([estimate.value for name in group if (estimate := found.ratings[name]) is not None])
    _, information = derivatives(values, played, {name: index for index, name in enumerate(group)})
    difference = np.array([float(name == first) - float(name == second) for name in group])
    return Z * math.sqrt(difference @ inverse_centred(information) @ difference)


def best_first(found: Ratings) -> list[str]:
    """The names by rating, those without one last."""
    rated = {name: estimate.value for name, estimate in found.ratings.items() if estimate is not None}
    return sorted(found.ratings, key=lambda name: -rated.get(name, float("-inf")))


def components(names: Sequence[str], played: Mapping[tuple[str, str], object]) -> list[list[str]]:
    """Groups of engines linked by games, each in the order of ``names``; engines without games are in none."""
    group_of = {name: {name} for pair in played for name in pair}
    for first, second in played:
        if group_of[first] is not group_of[second]:
            merged = group_of[first] | group_of[second]
            group_of.update(dict.fromkeys(merged, merged))
    seen: list[set[str]] = []
    for name in names:
        if name in group_of and group_of[name] not in seen:
            seen.append(group_of[name])
    return [[name for name in names if name in group] for group in seen]


def rate_group(
    names: Sequence[str], played: Mapping[tuple[str, str], tuple[float, int]], anchor: str | None = None
) -> list[Estimate]:
    """Ratings within one connected group, from its mean or its anchor."""
    place = {name: index for index, name in enumerate(names)}
    size = len(names)
    values = np.zeros(size)
    for _ in range(MAX_ROUNDS):
        gradient, information = derivatives(values, played, place)
        step = inverse_centred(information) @ gradient
        longest = float(np.abs(step).max())
        values += min(1.0, 400.0 / longest) * step if longest else 0.0
        if longest < TOLERANCE:
            break
    _, information = derivatives(values, played, place)
    reference = np.array([1.0 / size if anchor is None else float(name == anchor) for name in names])
    differences = np.eye(size) - reference
    variances = ((differences @ inverse_centred(information)) * differences).sum(axis=1)
    errors = Z * np.sqrt(np.maximum(variances, 0.0))
    return [
        Estimate(value, error) for value, error in zip((differences @ values).tolist(), errors.tolist(), strict=True)
    ]


def derivatives(
    values: NDArray[np.float64], played: Mapping[tuple[str, str], tuple[float, int]], place: Mapping[str, int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First derivatives of the log-likelihood, and the negative of the second ones."""
    i, j = np.array([(place[first], place[second]) for first, second in played]).T
    points, games = np.array(list(played.values()), np.float64).T
    count = games + PRIOR_DRAWS
    expected = 1.0 / (1.0 + np.exp(-SCALE * (values[i] - values[j])))
    slope = SCALE * (points + PRIOR_DRAWS / 2 - count * expected)
    weight = SCALE * SCALE * count * expected * (1.0 - expected)
    gradient, information = np.zeros(len(values)), np.zeros((len(values), len(values)))
    for at, sign in ((i, 1.0), (j, -1.0)):
        np.add.at(gradient, at, sign * slope)
        np.add.at(information, (at, at), weight)
    for at in ((i, j), (j, i)):
        np.subtract.at(information, at, weight)
    return gradient, information


def inverse_centred(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """What gives the solution with sum 0 of a system that only knows differences, for a right side with sum 0."""
    size = len(matrix)
    mean = np.trace(matrix) / size or 1.0
    inverse = np.linalg.inv(matrix + mean)
    centred: NDArray[np.float64] = inverse - inverse.mean(axis=0)
    return centred
