"""Working hours, read and kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.workers.errors import ConfigurationError
from fanqi.workers.hours import ALWAYS, DAYS, Hours, Span, parse_hours

MONDAY = datetime(2026, 11, 30, tzinfo=UTC)

spans = st.builds(
    Span,
    days=st.frozensets(st.integers(0, 6), min_size=1),
    begin=st.integers(0, 1439),
    end=st.integers(0, 1440),
)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return MONDAY + timedelta(days=day, hours=hour, minutes=minute)


@given(st.lists(spans, max_size=4).map(lambda found: Hours(tuple(found))))
def test_hours_are_read_as_they_are_written(hours):
    assert parse_hours(str(hours)) == hours


@pytest.mark.parametrize(
    ("text", "moment", "open_then"),
    [
        ("", at(2, 3), True),
        ("Mon-Fri 20:00-07:00; Sat-Sun", at(0, 19, 59), False),
        ("Mon-Fri 20:00-07:00; Sat-Sun", at(0, 20), True),
        ("Mon-Fri 20:00-07:00; Sat-Sun", at(1, 6, 59), True),
        ("Mon-Fri 20:00-07:00; Sat-Sun", at(1, 7), False),
        ("Mon-Fri 20:00-07:00; Sat-Sun", at(5, 12), True),
        ("Fri 20:00-07:00", at(5, 6), True),
        ("Fri 20:00-07:00", at(5, 7), False),
        ("22:00-06:00", at(3, 23), True),
        ("sat,SUN 00:00-24:00", at(6, 23, 59), True),
        ("Sat-Mon", at(0, 0), True),
        ("Sat-Mon", at(1, 0), False),
    ],
)
def test_a_time_is_inside_or_outside(text, moment, open_then):
    assert parse_hours(text).open_at(moment) is open_then


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Monday 20:00-07:00", "'Monday'"),
        ("Mon 20-07", "'20-07'"),
        ("Mon 25:00-26:00", "'25:00-26:00'"),
        ("Mon 24:00-07:00", "24:00"),
        ("Mon-Xyz", "'Xyz'"),
        ("always", "'always'"),
    ],
)
def test_what_is_no_time_is_named(text, wrong):
    with pytest.raises(ConfigurationError, match=f"working hours .*{wrong}"):
        parse_hours(text)


@given(st.lists(spans, max_size=3).map(lambda found: Hours(tuple(found))), st.integers(0, 10_079))
def test_nothing_changes_before_the_next_change(hours, minute):
    moment = MONDAY + timedelta(minutes=minute)
    change = hours.next_change(moment)
    if change is None:
        assert all(hours.open_at(moment + timedelta(minutes=17 * n)) is hours.open_at(moment) for n in range(600))
    else:
        assert hours.open_at(change) is not hours.open_at(moment)
        assert hours.open_at(change - timedelta(minutes=1)) is hours.open_at(moment)


def test_no_hours_mean_always():
    assert parse_hours("") == ALWAYS
    assert ALWAYS.next_change(MONDAY) is None
    assert DAYS[MONDAY.weekday()] == "Mon"
