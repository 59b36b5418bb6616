"""Clocks: extension, increments, moves meant, soft and hard flags; and what a flag does to a result."""

from __future__ import annotations

import random

import pytest

from fanqi.ggs_server.clock import GRACE, GameClock
from fanqi.ggs_server.game import Game
from fanqi.ggs_server.rules import BLACK, Board, standard_start
from fanqi.ggs_wire import ClockSetting, GameType, Move


def clock(setting: str, *moves: float) -> GameClock:
    made = GameClock(ClockSetting.parse(setting))
    for seconds in moves:
        made.start(0.0)
        made.stop(seconds)
    return made


@pytest.mark.parametrize(
    ("setting", "moves", "left", "soft", "hard"),
    [
        ("1:00//0:30", [10, 20], 30, False, False),
        ("1:00//0:30", [59, 2], 29, True, False),
        ("1:00//0:30", [61, 30], -1, True, True),
        ("1:00//0", [61], -1, True, True),
        ("1:00/0:05/0:30", [10, 20], 40, False, False),
        ("1:00/0:05,2/0:30", [10], 50, False, False),
        ("1:00/0:05,2/0:30", [10, 10], 45, False, False),
        ("1:00/0:05,N1/0:30", [2], 60, False, False),
        ("1:00/0:05,N1/0:30", [20], 45, False, False),
        ("1:00,2//0:30", [10, 10], 70, False, False),
        ("1:00,2//0:30", [61], -1, True, True),
        ("1:00//0:30,N0", [61], 30, True, False),
        ("1:00,N//0:30", [61], 29, False, False),
        ("0:10//0:30,2", [11, 5, 5], 49, True, False),
    ],
)
def test_clocks_run_by_the_rules(setting: str, moves: list[float], left: float, soft: bool, hard: bool) -> None:
    made = clock(setting, *moves)
    assert (made.left, made.soft, made.hard) == (left, soft, hard)


def test_the_flag_is_looked_at_when_even_a_late_move_cannot_save_it() -> None:
    made = clock("0:10//0:30")
    made.start(100.0)
    assert made.due() == 100 + 10 + GRACE + 1
    made.event(115.0)
    assert (made.soft, made.hard, made.left) == (True, False, 25.0)
    assert made.due() == 115 + 25 + GRACE + 1
    made.event(145.0)
    assert made.hard


def test_time_that_an_event_has_charged_is_not_charged_again() -> None:
    made = clock("0:10//0:30")
    made.start(100.0)
    made.event(115.0)
    made.stop(17.0)
    assert made.left == 23.0


def test_a_running_clock_shows_what_is_left_now() -> None:
    made = clock("5:00//1:00")
    made.start(100.0)
    assert str(made.state(100.001)) == "04:59,0:0//01:00,0:0"
    assert str(made.state(107.5)) == "04:52,0:0//01:00,0:0"


def ended(kind: str, black: int, white: int, flagged: int | None = None, komi: float | None = None) -> Game:
    """A finished game in which Black has so many discs and White the rest of those given."""
    setting = ClockSetting.parse("1:00")
    game = Game.new(GameType.parse(kind), standard_start(8), (setting, setting), BLACK, random.Random(0))
    game.boards.append(Board(8, "*" * black + "O" * white + "-" * (64 - black - white), BLACK))
    game.komi = komi
    if flagged is not None:
        game.seats[flagged].flagged = 1
    return game


@pytest.mark.parametrize(
    ("game", "result"),
    [
        (ended("8", 40, 24), 16.0),
        (ended("8", 20, 0), 64.0),
        (ended("8", 32, 32), 0.0),
        (ended("8a", 40, 24), -16.0),
        (ended("8k", 40, 24, komi=0.75), 15.25),
        (ended("8", 40, 24, flagged=0), -2.0),
        (ended("8", 24, 40, flagged=0), -16.0),
        (ended("8", 24, 40, flagged=1), 2.0),
        (ended("8", 40, 24, flagged=1), 16.0),
        (ended("8k", 40, 24, flagged=0, komi=0.75), -0.75),
        (ended("8k", 24, 40, flagged=1, komi=0.75), 1.25),
    ],
)
def test_results_count_empties_komi_anti_and_flags(game: Game, result: float) -> None:
    assert game.black_result() == result


def bids(first: float, second: float, white_to_move: bool = False) -> Game:
    setting = ClockSetting.parse("1:00")
    start = standard_start(8)
    if white_to_move:
        start = start.play("f5")
    game = Game.new(GameType.parse("8k"), start, (setting, setting), "", random.Random(0))
    move = "f4" if white_to_move else "f5"
    assert not game.play(0, Move(move, first, 1.0))
    assert game.play(1, Move(move, second, 1.0))
    return game


@pytest.mark.parametrize(
    ("game", "komi", "colour"),
    [
        (bids(2.5, -1.0), 0.75, "*"),
        (bids(-1.0, 2.5), 0.75, "O"),
        (bids(3.0, 1.0, white_to_move=True), -2.0, "O"),
        (bids(1.0, 3.0, white_to_move=True), -2.0, "*"),
    ],
)
def test_the_higher_bid_gets_the_move_and_the_komi_is_the_mean_seen_by_black(
    game: Game, komi: float, colour: str
) -> None:
    assert (game.komi, game.seats[0].colour) == (komi, colour)


def test_equal_bids_draw_for_the_move() -> None:
    colours = {bids(1.0, 1.0).seats[0].colour for _ in range(3)}
    assert len(colours) == 1  # from a generator that begins the same


@pytest.mark.parametrize(("mine", "theirs", "agreed"), [(4.0, -4.0, 4.0), (2.0, -4.0, 3.0), (4.0, -2.0, None)])
def test_scores_are_agreed_when_the_offers_leave_nothing_to_argue(
    mine: float, theirs: float, agreed: float | None
) -> None:
    game = ended("8", 4, 1)
    game.seats[0].offer, game.seats[1].offer = mine, theirs
    assert game.agreed == agreed
