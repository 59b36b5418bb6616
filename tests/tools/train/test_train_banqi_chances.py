"""The draw model is found again in results drawn from it, and predictions are set against what came about."""

from __future__ import annotations

import numpy as np
import pytest

from fanqi.banqi.context import EVALUATION_MOST, WIN
from fanqi.banqi.state import HIDDEN, STATE_WORDS
from fanqi.banqi.utility import DRAWS, chances
from fanqi.train.banqi.chances import fit_draws, reliability
from fanqi.train.banqi.selfplay import Samples


def drawn_samples(even, power, covered, count=40_000):
    """Positions with all kinds of scores, and results as likely as the model says."""
    random = np.random.default_rng(5)
    shares = random.uniform(-0.95, 0.95, count)
    draw = np.minimum(even * (1 - shares**2) ** power, 1 - np.abs(shares))
    lot = random.uniform(0, 1, count)
    results = np.where(lot < draw, 0, np.where(lot < draw + (1 - draw + shares) / 2, 1, -1))
    states = np.zeros((count, STATE_WORDS), np.int64)
    states[:, HIDDEN] = int(covered)
    return Samples(states, np.round(shares * EVALUATION_MOST).astype(np.int64), results)


@pytest.mark.parametrize(("even", "power"), [(0.24, 0.5), (0.6, 1.2)])
def test_the_draw_model_is_found_again(even, power):
    fit = fit_draws(drawn_samples(even, power, covered=True))
    assert fit.even == pytest.approx(even, abs=0.03)
    assert fit.power == pytest.approx(power, abs=0.21)


@pytest.mark.parametrize("covered", [True, False])
def test_predictions_agree_with_results_drawn_from_the_shipped_model(covered):
    bins = reliability(drawn_samples(*DRAWS[covered], covered))
    assert len(bins) == 10 and sum(row.count for row in bins) == 40_000
    for row in bins:
        assert row.predicted == pytest.approx(row.real, abs=0.03)


@pytest.mark.parametrize("covered", [True, False])
def test_chances_are_whole_per_mille_and_turn_round_with_the_side(covered):
    for score in range(-WIN, WIN + 1, 500):
        win, draw, loss = chances(score, covered)
        assert win + draw + loss == 1000 and min(win, draw, loss) >= 0
        assert chances(-score, covered) == pytest.approx((loss, draw, win), abs=1)
    assert chances(WIN - 3, covered) == (1000, 0, 0)
