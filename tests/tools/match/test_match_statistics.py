"""Statistics and sequential tests against the figures other runners give for the same counts."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.match.sprt import Decision, EloModel, Sprt, log_likelihood_ratio
from fanqi.match.statistics import (
    Estimate,
    Sample,
    draw_ratio,
    elo,
    elo_estimate,
    expected_score,
    likelihood_of_superiority,
    mean_estimate,
    normalized_elo,
    pair_ratio,
)

VECTORS = Path(__file__).parents[2] / "data" / "match_statistics.tsv"
MODELS = {
    "logistic": EloModel.LOGISTIC,
    "normalized": EloModel.NORMALIZED,
    "bayes_wald": EloModel.BAYES,
    "cchess": EloModel.APPROXIMATE,
}


def vectors() -> list[dict[str, str]]:
    with VECTORS.open(newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def counts_of(row: dict[str, str]) -> list[int]:
    if row["kind"] == "penta":
        return [int(count) for count in row["counts"].split(",")]
    named = dict(part.split("=") for part in row["counts"].split(","))
    return [int(named[letter]) for letter in "LDW"]


def same(actual: float | None, expected: str) -> bool:
    wanted = float(expected)
    if not math.isfinite(wanted):
        return actual is None
    return actual is not None and math.isclose(actual, wanted, rel_tol=1e-4, abs_tol=1e-6)


@pytest.mark.parametrize("row", vectors(), ids=lambda row: row["id"])
def test_every_vector_is_met(row: dict[str, str]) -> None:
    counts = counts_of(row)
    strength = elo_estimate(counts)
    assert same(strength.value if strength else None, row["elo"])
    assert same(strength.error if strength else None, row["error95"])
    normal = normalized_elo(counts)
    assert same(normal.value if normal else None, row["nelo"])
    assert same(normal.error if normal else None, row["nelo_err95"])
    assert same(likelihood_of_superiority(counts), row["LOS"])
    test = Sprt(float(row["elo0"]), float(row["elo1"]), float(row["alpha"]), float(row["beta"]), MODELS[row["model"]])
    state = test.state(counts)
    assert abs(state.llr - float(row["LLR"])) <= 5e-4 * (1 + abs(float(row["LLR"])))
    assert state.decision.value == row["decision"]


def test_nothing_played_gives_no_figures() -> None:
    for counts in ([0, 0, 0], [0, 0, 0, 0, 0]):
        assert elo_estimate(counts) is None
        assert normalized_elo(counts) is None
        assert likelihood_of_superiority(counts) is None
        assert draw_ratio(counts) is None
        assert log_likelihood_ratio(counts, 0, 5, EloModel.NORMALIZED) == 0.0


@pytest.mark.parametrize("counts", [[0, 0, 1], [1, 0, 0], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0]])
def test_a_few_results_that_are_all_the_same_say_nothing_about_who_is_stronger(counts: list[int]) -> None:
    for times in range(1, 5):
        assert likelihood_of_superiority([times * count for count in counts]) is None
    assert likelihood_of_superiority([5 * count for count in counts]) in (0.0, 1.0)


def test_counts_that_cannot_be_are_refused() -> None:
    for counts in ([1, 2], [1, 2, 3, 4], [-1, 2, 3]):
        with pytest.raises(ValueError, match="three or five counts"):
            Sample.of(counts)


def test_a_whitewash_has_no_elo_but_a_clear_superiority() -> None:
    assert elo_estimate([0, 0, 7]) is None
    assert normalized_elo([0, 0, 7]) is None
    assert likelihood_of_superiority([0, 0, 7]) == 1.0
    assert likelihood_of_superiority([7, 0, 0]) == 0.0


def test_an_interval_beyond_the_possible_leaves_the_value_without_an_error() -> None:
    estimate = elo_estimate([1, 0, 1])
    assert estimate is not None
    assert estimate.value == 0.0
    assert estimate.error is None
    assert str(estimate) == "+0.0"


def test_estimates_print_with_their_error() -> None:
    assert str(Estimate(12.345, 6.78)) == "+12.3 ± 6.8"


@given(
    st.lists(st.integers(0, 5000), min_size=5, max_size=5),
    st.sampled_from([EloModel.LOGISTIC, EloModel.NORMALIZED]),
)
def test_the_other_engines_view_has_the_opposite_ratio(counts: list[int], model: EloModel) -> None:
    ratio = log_likelihood_ratio(counts, -3, 7, model)
    mirrored = log_likelihood_ratio(counts[::-1], -7, 3, model)
    assert math.isclose(ratio, -mirrored, rel_tol=1e-6, abs_tol=1e-6)


@given(st.lists(st.integers(0, 100000), min_size=3, max_size=3))
def test_no_counts_ever_give_nan_or_infinity(counts: list[int]) -> None:
    for model in EloModel:
        assert math.isfinite(log_likelihood_ratio(counts, 0, 5, model))
    for estimate in (elo_estimate(counts), normalized_elo(counts)):
        assert estimate is None or math.isfinite(estimate.value)
        assert estimate is None or estimate.error is None or math.isfinite(estimate.error)


@given(st.floats(-700, 700))
def test_elo_undoes_expected_score(difference: float) -> None:
    back = elo(expected_score(difference))
    assert back is not None
    assert math.isclose(back, difference, rel_tol=1e-9, abs_tol=1e-6)


def test_pairs_have_their_own_ratios() -> None:
    assert draw_ratio([1, 2, 10, 3, 4]) == 0.5
    assert pair_ratio([1, 2, 10, 3, 4]) == 7 / 3
    assert pair_ratio([0, 0, 1, 1, 1]) is None
    with pytest.raises(ValueError, match="five pair counts"):
        pair_ratio([1, 2, 3])


def test_a_single_game_model_refuses_pairs() -> None:
    with pytest.raises(ValueError, match="single games"):
        log_likelihood_ratio([1, 1, 1, 1, 1], 0, 5, EloModel.BAYES)


@pytest.mark.parametrize("arguments", [(5, 5), (5, 0), (0, 5, 0.0), (0, 5, 0.05, 0.5)])
def test_a_test_between_nothing_is_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="is not"):
        Sprt(*arguments)


def test_the_bounds_are_walds() -> None:
    test = Sprt(0, 5, 0.05, 0.1)
    assert test.lower == math.log(0.1 / 0.95)
    assert test.upper == math.log(0.9 / 0.05)
    assert test.state([0, 0, 0]).decision is Decision.CONTINUE


def test_means_come_with_their_error() -> None:
    values = [4.0, 8.0, -2.0, 6.0]
    estimate = mean_estimate(4, sum(values), sum(value * value for value in values))
    assert estimate is not None
    assert estimate.value == 4.0
    assert estimate.error is not None
    assert math.isclose(estimate.error, 1.959963984540054 * math.sqrt(56 / 3 / 4))
    assert mean_estimate(0, 0, 0) is None
    assert mean_estimate(1, 5, 25) == Estimate(5.0, None)
