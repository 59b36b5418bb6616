"""The scale of banqi's scores for people."""

from __future__ import annotations

import pytest

from fanqi.banqi.utility import SLOPE, chances, utility
from fanqi.drawing import expected_score
from fanqi.drawing.scores import PAWNS
from fanqi.play.opponent import score_of
from fanqi.search import Info


def test_the_expected_score_is_that_of_the_engines_own_chances() -> None:
    assert PAWNS == SLOPE / 100
    for cp in (-3000, -900, -150, 0, 40, 900, 2500):
        win, draw, _ = chances(utility(cp), covered=True)
        assert expected_score(cp / 100) == pytest.approx((win + draw / 2) / 10, abs=0.1)


def test_evaluations_beyond_all_measure_stay_on_the_scale() -> None:
    assert [expected_score(value) for value in (float("-inf"), 0.0, float("inf"))] == [0.0, 50.0, 100.0]
    assert 0 <= expected_score(-1e308) <= expected_score(1e308) <= 100


def test_hints_are_on_the_scale_of_the_analysis() -> None:
    assert score_of("banqi", Info(score_cp=900, wdl=(800, 100, 100), pv=("b3",))) == 85.0
    assert score_of("othello", Info(score_cp=150, wdl=(800, 100, 100), pv=("f5",))) == 1.5
