"""Playing for stake points: what a win is worth, and that it changes what a lost position plays for."""

from __future__ import annotations

import numpy as np
import pytest

from fanqi.banqi import GAME
from fanqi.banqi import context as c
from fanqi.banqi.stakes import stake, stake_prospect
from fanqi.banqi.state import MEN, STATE_WORDS, TURN
from fanqi.search import Control, Limits, Settings

RED, BLACK = 0, 1


def state(red, black, turn=RED):
    """A state of which nothing but the numbers of men and the turn is known."""
    words = np.zeros(STATE_WORDS, np.int64)
    words[MEN + RED], words[MEN + BLACK], words[TURN] = red, black, turn
    return words


def context(stakes):
    words = np.zeros(c.CONTEXT_WORDS, np.int64)
    words[c.STAKES] = int(stakes)
    return words


def value(winner, men, stakes=True):
    words, position = context(stakes), state(men, 0) if winner == RED else state(0, men)
    return stake(words.ctypes.data, position.ctypes.data, winner, 30000)


def prospect(red, black, score, stakes=True, turn=RED):
    words, position = context(stakes), state(red, black, turn)
    return stake_prospect(words.ctypes.data, position.ctypes.data, score)


@pytest.mark.parametrize("winner", [RED, BLACK])
@pytest.mark.parametrize(("captured", "fifths"), [(0, 5), (5, 5), (6, 3), (12, 3), (13, 1), (15, 1)])
def test_a_win_is_worth_its_multiplier_by_what_the_loser_has_captured(winner, captured, fifths):
    assert value(winner, 16 - captured) == 30000 * fifths // 5
    assert value(winner, 16 - captured, stakes=False) == 30000


def test_a_prospect_is_worth_less_the_more_the_loser_has_captured_and_may_still_capture():
    by_captures = [prospect(16 - captured, 6, 10000) for captured in range(16)]
    by_men_left = [prospect(12, men, 10000) for men in range(1, 17)]
    for values in (by_captures, by_men_left):
        assert values == sorted(values, reverse=True)
    assert (by_captures[0], by_captures[15]) == (10000 * 44 // 50, 2000)
    assert prospect(16, 1, 10000) == 10000


def test_a_prospect_is_the_same_for_both_sides_and_colours():
    for red, black in ((16, 16), (9, 4), (4, 9), (3, 1)):
        assert prospect(red, black, 8000) == prospect(black, red, 8000, turn=BLACK)
        assert prospect(red, black, -8000) == -prospect(black, red, 8000)


def test_without_stakes_a_prospect_stays_as_it_is():
    assert prospect(4, 9, 8000, stakes=False) == 8000


# black is lost whatever it does; it has captured twelve men, and the thirteenth costs its opponent two stakes of three
LOST = [
    ("..../C.MP/..m./...M/..../..../..../.... - b 0 -", "c6c7"),
    ("..../c.../GN.P/..../..../K.../..../.... - b 0 -", "a7a3"),
]


@pytest.mark.parametrize(("fen", "capture"), LOST)
def test_a_lost_position_holds_out_for_the_win_and_takes_a_man_for_the_stakes(fen, capture):
    moves, scores = {}, {}
    for stakes in (False, True):
        engine = GAME.engine()
        engine.configure(Settings(hash_mib=2, stakes=stakes))
        result = engine.search(GAME.parse(fen), Limits(depth=7), Control(), lambda info: None)
        moves[stakes], scores[stakes] = result.move, engine.last_utility
    assert moves[False] != capture and moves[True] == capture
    assert scores[False] < 500 - c.TABLE_WIN
    assert -c.WIN / 5 <= scores[True] < (500 - c.TABLE_WIN) / 5
