"""The limits of a search follow from the clock that was printed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fanqi.ggs.clocks import deadline_s, limits_for
from fanqi.ggs_wire import ClockState
from fanqi.search import Clock, Limits


def clock(text: str) -> ClockState:
    return ClockState.parse(text)


def test_the_time_left_is_what_was_printed_less_what_has_passed_and_the_reserve() -> None:
    limits = limits_for(clock("04:59,1:0//02:00,1:0"), 2.0, 1.0, 0.5, 0.0)
    assert limits == Limits(clock=Clock(296_500))


def test_matches_that_share_a_search_share_the_time() -> None:
    limits = limits_for(clock("05:00,1:0//02:00,1:0"), 0.0, 4.0, 0.0, 0.0)
    assert limits == Limits(clock=Clock(75_000))


def test_an_increment_for_two_moves_counts_half_for_each() -> None:
    limits = limits_for(clock("01:00,1:0/00:03,1:2/02:00,1:0"), 0.0, 1.0, 0.0, 0.0)
    assert limits == Limits(clock=Clock(60_000, 1500))


def test_an_initial_time_for_some_moves_is_spread_over_them() -> None:
    limits = limits_for(clock("01:00,6:20//02:00,6:0"), 0.0, 1.0, 0.0, 0.0)
    assert limits == Limits(clock=Clock(60_000, 0, 14))


def test_a_fixed_time_for_a_move_never_takes_more_than_half_of_what_is_left() -> None:
    assert limits_for(clock("01:00,1:0//02:00,1:0"), 0.0, 1.0, 0.0, 2.0) == Limits(movetime_ms=2000)
    assert limits_for(clock("00:03,1:0//02:00,1:0"), 0.0, 1.0, 0.0, 2.0) == Limits(movetime_ms=1500)


@given(st.integers(0, 5000), st.floats(0, 100), st.floats(1, 8), st.floats(0, 5))
def test_there_is_always_some_time_and_the_deadline_is_before_the_flag(
    left: int, waited: float, share: float, overhead: float
) -> None:
    state = clock(f"{left // 60:02d}:{left % 60:02d},1:0//02:00,1:0")
    limits = limits_for(state, waited, share, overhead, 0.0)
    assert limits.clock is not None
    assert limits.clock.remaining_ms > 0
    assert 0 < deadline_s(state, overhead) <= max(left, 0.05)
