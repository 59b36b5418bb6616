"""Ratings of many engines from who beat whom: maximum likelihood, with errors, and whether they can be compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.match.statistics import Estimate, Z

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    values = [estimate.value for name in group if (estimate := found.ratings[name]) is not None]
    _, information = derivatives(values, played, {name: index for index, name in enumerate(group)})
    difference = [float(name == first) - float(name == second) for name in group]
    return Z * math.sqrt(dot(difference, solve_centred(information, difference)))


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
    values = [0.0] * size
    for _ in range(MAX_ROUNDS):
        gradient, information = derivatives(values, played, place)
        step = solve_centred(information, gradient)
        longest = max(map(abs, step), default=0.0)
        damping = min(1.0, 400.0 / longest) if longest else 1.0
        values = [value + damping * change for value, change in zip(values, step, strict=True)]
        if longest < TOLERANCE:
            break
    _, information = derivatives(values, played, place)
    reference = [1.0 / size if anchor is None else float(name == anchor) for name in names]
    zero = dot(reference, values)
    ratings = []
    for index, value in enumerate(values):
        difference = [float(other == index) - share for other, share in enumerate(reference)]
        variance = dot(difference, solve_centred(information, difference))
        ratings.append(Estimate(value - zero, Z * math.sqrt(max(variance, 0.0))))
    return ratings


def dot(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))


def derivatives(
    values: Sequence[float], played: Mapping[tuple[str, str], tuple[float, int]], place: Mapping[str, int]
) -> tuple[list[float], list[list[float]]]:
    """First derivatives of the log-likelihood, and the negative of the second ones."""
    size = len(values)
    gradient = [0.0] * size
    information = [[0.0] * size for _ in range(size)]
    for (first, second), (points, games) in played.items():
        i, j = place[first], place[second]
        count = games + PRIOR_DRAWS
        won = points + PRIOR_DRAWS / 2
        expected = 1.0 / (1.0 + math.exp(-SCALE * (values[i] - values[j])))
        slope = SCALE * (won - count * expected)
        weight = SCALE * SCALE * count * expected * (1.0 - expected)
        gradient[i] += slope
        gradient[j] -= slope
        information[i][i] += weight
        information[j][j] += weight
        information[i][j] -= weight
        information[j][i] -= weight
    return gradient, information


def solve_centred(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution with sum 0 of a system that only knows differences, by elimination with pivots."""
    size = len(right)
    mean = sum(matrix[i][i] for i in range(size)) / size or 1.0
    rows = [[value + mean for value in row] + [right[i]] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, size):
            factor = rows[row][column] / rows[column][column]
            for index in range(column, size + 1):
                rows[row][index] -= factor * rows[column][index]
    solution = [0.0] * size
    for row in reversed(range(size)):
        rest = sum(rows[row][index] * solution[index] for index in range(row + 1, size))
        solution[row] = (rows[row][size] - rest) / rows[row][row]
    centre = sum(solution) / size
    return [value - centre for value in solution]
