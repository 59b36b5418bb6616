"""Ratings of many engines by maximum likelihood."""

from __future__ import annotations

import math
import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fanqi.match.ratings import PRIOR_DRAWS, SCALE, best_first, difference_error, rate
from fanqi.match.statistics import elo


def value(name: str, found: object) -> float:
    estimate = found.ratings[name]  # type: ignore[attr-defined]
    assert estimate is not None
    return float(estimate.value)


def test_two_engines_are_as_far_apart_as_their_score_says() -> None:
    found = rate(["a", "b"], {("a", "b"): (75.0, 100)})
    expected = elo((75 + PRIOR_DRAWS / 2) / (100 + PRIOR_DRAWS))
    assert expected is not None
    assert math.isclose(value("a", found) - value("b", found), expected, abs_tol=1e-6)
    assert math.isclose(value("a", found), -value("b", found), abs_tol=1e-6)


def test_a_chain_of_results_adds_up() -> None:
    found = rate(["a", "b", "c"], {("a", "b"): (640.0, 1000), ("b", "c"): (640.0, 1000)})
    step = elo((640 + PRIOR_DRAWS / 2) / (1000 + PRIOR_DRAWS))
    assert step is not None
    assert math.isclose(value("a", found) - value("c", found), 2 * step, abs_tol=1e-6)


def test_a_clean_sweep_has_a_rating_and_a_wide_error() -> None:
    found = rate(["a", "b"], {("a", "b"): (10.0, 10)})
    a = found.ratings["a"]
    assert a is not None
    assert a.error is not None
    assert a.value > 200
    assert a.error > 100


def test_more_games_make_the_error_smaller() -> None:
    few, many = (rate(["a", "b"], {("a", "b"): (0.6 * n, n)}).ratings["a"] for n in (100, 10_000))
    assert few is not None
    assert many is not None
    assert few.error is not None
    assert many.error is not None
    assert math.isclose(few.error / many.error, 10, rel_tol=0.05)


def test_with_an_anchor_ratings_and_errors_are_those_of_the_differences_to_it() -> None:
    results = {("a", "b"): (60.0, 100), ("b", "c"): (70.0, 100)}
    free, anchored = (rate(["a", "b", "c"], results, anchor) for anchor in (None, "c"))
    for name in "abc":
        assert math.isclose(value(name, anchored), value(name, free) - value("c", free), abs_tol=1e-6)
        error = anchored.ratings[name]
        assert error is not None
        assert error.error is not None
        assert math.isclose(error.error, difference_error(free, results, name, "c"), rel_tol=1e-6, abs_tol=1e-9)
    alone = rate(["b", "c"], {("b", "c"): (70.0, 100)}, "c").ratings["b"]
    assert alone is not None
    assert alone.error is not None
    assert math.isclose(alone.error, difference_error(free, results, "b", "c"), rel_tol=1e-6)


def test_the_error_is_that_of_the_difference_to_the_mean() -> None:
    # one game a side of an even match has information (ln 10 / 400)^2 / 4, the difference to the mean is half of it
    found = rate(["a", "b"], {("a", "b"): (50_000.0, 100_000)}).ratings["a"]
    assert found is not None
    assert found.error is not None
    information = (math.log(10) / 400) ** 2 * (100_000 + PRIOR_DRAWS) / 4
    assert math.isclose(found.error, 1.959963984540054 / math.sqrt(information) / 2, rel_tol=1e-6)


def test_groups_that_have_not_met_are_told_apart() -> None:
    found = rate(["a", "b", "c", "d", "e"], {("a", "b"): (5.0, 10), ("c", "d"): (7.0, 10), ("a", "c"): (0.0, 0)})
    assert found.groups == [["a", "b"], ["c", "d"]]
    assert not found.connected
    assert found.ratings["e"] is None
    assert best_first(found)[-1] == "e"


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("efgh")), st.tuples(st.integers(0, 50), st.integers(0, 50))
    )
)
def test_no_results_give_nan_and_each_group_has_mean_zero(scores: dict[tuple[str, str], tuple[int, int]]) -> None:
    results = {pair: (float(won), won + lost) for pair, (won, lost) in scores.items()}
    found = rate(list("abcdefgh"), results)
    for group in found.groups:
        values = [value(name, found) for name in group]
        assert all(map(math.isfinite, values))
        assert abs(sum(values)) < 1e-6


def test_hundreds_of_engines_have_ratings_that_expect_their_points_and_the_errors_of_their_information() -> None:
    dice = random.Random(1)
    names = [str(number) for number in range(300)]
    results = {}
    for _ in range(9):
        order = dice.sample(names, 300)
        results |= {
            pair: (dice.choice([0.0, 0.5, 1.0, 1.5, 2.0]), 2) for pair in zip(order[::2], order[1::2], strict=True)
        }
    found = rate(names, results)
    over, information = dict.fromkeys(names, 0.0), np.zeros((300, 300))
    for (first, second), (points, games) in results.items():
        expected = 1 / (1 + math.exp(-SCALE * (value(first, found) - value(second, found))))
        surplus = points + PRIOR_DRAWS / 2 - (games + PRIOR_DRAWS) * expected
        over[first] += surplus
        over[second] -= surplus
        step = np.eye(300)[int(first)] - np.eye(300)[int(second)]
        information += SCALE**2 * (games + PRIOR_DRAWS) * expected * (1 - expected) * np.outer(step, step)
    assert max(map(abs, over.values())) < 1e-6
    variances = np.diag(np.linalg.pinv(information))
    errors = [estimate.error for estimate in found.ratings.values() if estimate is not None]
    assert np.allclose(errors, 1.959963984540054 * np.sqrt(variances))
