"""Weights survive the way to text and back, a fit lowers the error within bounds, SPSA stays where nothing is won."""

from __future__ import annotations

import numpy as np
import pytest

from fanqi.banqi import GAME
from fanqi.banqi.weights import WEIGHT_WORDS, blend, format_weights, load_weights
from fanqi.train.banqi.regression import Model, bounds_of, fit
from fanqi.train.banqi.selfplay import Samples, play_games
from fanqi.train.banqi.spsa import Schedule, spsa


@pytest.fixture(scope="module")
def samples():
    GAME.prepare()
    return Samples.join(list(play_games(range(4), 100, seed=1)))


def test_weights_survive_the_way_to_text_and_back():
    weights = load_weights()
    assert weights.shape == (2, WEIGHT_WORDS)
    assert (load_weights(format_weights(weights)) == weights).all()


def test_weights_that_lack_one_or_have_the_wrong_shape_are_refused():
    text = format_weights(load_weights())
    with pytest.raises(ValueError, match="tempo"):
        load_weights("\n".join(line for line in text.splitlines() if not line.startswith("tempo")))
    with pytest.raises(ValueError, match="base needs two lists of 7"):
        load_weights(text.replace("base = [[", "base = [[1, "))


def test_blending_ends_at_either_set():
    weights = load_weights()
    assert (blend(weights, 32) == weights[0]).all() and (blend(weights, 0) == weights[1]).all()


def test_a_fit_lowers_the_error_and_keeps_to_the_bounds(samples):
    weights = load_weights()
    weights[:, 0] = 60
    free = [(0, 0), (1, 0)]
    model = Model(samples, 0.5)
    fitted = fit(model, weights, free, rounds=3)
    assert fitted.after < fitted.before
    for place, (low, high) in zip(free, bounds_of(free), strict=True):
        assert low <= fitted.weights[place] <= high
    untouched = np.ones_like(weights, bool)
    untouched[:, 0] = False
    assert (fitted.weights[untouched] == weights[untouched]).all()


def test_spsa_changes_only_the_free_weights_and_repeats_itself():
    weights = load_weights()
    arguments = (weights, [(0, 0), (1, 0)], np.array([100.0, 100.0]), Schedule(iterations=2, rate=0.5, nodes=50), 3)
    first, second = spsa(*arguments), spsa(*arguments)
    assert (first == second).all()
    assert (first[:, 1:] == weights[:, 1:]).all()
