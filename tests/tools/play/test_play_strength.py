"""What a person says about the opponent's strength."""

from __future__ import annotations

import pytest

from fanqi.play import Opponent, StrengthError, with_strength
from fanqi.play.opponent import usual_time, whole_depth
from fanqi.play.strength import strength_words
from fanqi.search import Bound, Info, Settings
from fanqi.strength import load_calibration


@pytest.mark.parametrize("text", ["0", "7", "20", "beginner", "intermediate", "advanced", "elo 600"])
@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_a_strength_is_shown_as_it_was_asked_for(game, text):
    assert strength_words(with_strength(Settings(), text, game)) == text


def test_the_last_word_counts():
    settings = Settings(seed=3)
    for text in ("elo 600", "advanced", "elo 700", "4"):
        settings = with_strength(settings, text, "othello")
    assert settings == Settings(seed=3, skill_level=4, elo=700)


@pytest.mark.parametrize("text", ["", "21", "-1", "expert", "elo", "elo x", "elo 99999", "elo 1 2", "²"])
def test_words_that_name_no_strength_are_refused_with_those_that_do(text):
    low, high = load_calibration("banqi").range
    with pytest.raises(StrengthError, match=f"beginner, intermediate, advanced, or elo {low} to elo {high}"):
        with_strength(Settings(), text, "banqi")


def test_an_advanced_opponent_takes_its_second_and_a_half_where_nothing_else_is_said():
    assert usual_time(Settings(preset="advanced")) == 1500
    assert usual_time(Settings(preset="intermediate")) == usual_time(Settings()) == 1000


def test_a_weak_opponent_gives_hints_at_full_strength():
    from fanqi.othello import GAME

    opponent = Opponent(GAME, Settings(preset="beginner", seed=1), movetime_ms=30)
    position = GAME.start().play("f5")
    assert opponent.choose(position) in position.legal_moves()
    assert len(opponent.hints(position)) == 3
    assert opponent.strength == "beginner"


def test_hints_are_of_one_depth_at_which_every_line_was_finished():
    reports = [
        Info(depth=7, selectivity=73, multipv=1, score_cp=80, pv=("f5",)),
        Info(depth=7, selectivity=73, multipv=2, score_cp=60, pv=("c4",)),
        Info(depth=8, selectivity=73, multipv=1, score_cp=-35, pv=("c4",)),
        Info(depth=8, selectivity=73, multipv=2, score_cp=90, bound=Bound.UPPER, pv=("f5",)),
    ]
    assert whole_depth(reports, 2) == reports[:2]
    assert whole_depth(reports[2:], 2) == []
