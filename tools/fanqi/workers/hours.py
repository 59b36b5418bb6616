"""Working hours: ``Mon-Fri 20:00-07:00; Sat-Sun``, when a worker takes jobs, by its local clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from fanqi.game import quoted
from fanqi.workers.errors import ConfigurationError

__all__ = ["ALWAYS", "Hours", "Span", "parse_hours"]

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MINUTES_A_DAY = 24 * 60
HOURS = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class Span:
    """A time that comes back on some days.

    Attributes:
        days: 0 is Monday; the days on which it begins.
        begin, end: minutes after midnight, ``end`` not included; an ``end`` not after ``begin`` is on the next day.
    """

    days: frozenset[int]
    begin: int = 0
    end: int = MINUTES_A_DAY

    def contains(self, moment: datetime) -> bool:
        minute, day = moment.hour * 60 + moment.minute, moment.weekday()
        if self.begin < self.end:
            return day in self.days and self.begin <= minute < self.end
        return (day in self.days and minute >= self.begin) or ((day - 1) % 7 in self.days and minute < self.end)

    def __str__(self) -> str:
        days = ",".join(run_text(run) for run in runs(sorted(self.days)))
        return f"{days} {clock_text(self.begin)}-{clock_text(self.end)}"


@dataclass(frozen=True, slots=True)
class Hours:
    """Any of several spans; none at all means always."""

    spans: tuple[Span, ...] = ()

    def open_at(self, moment: datetime) -> bool:
        """Whether the worker takes jobs at a local time."""
        return not self.spans or any(span.contains(moment) for span in self.spans)

    def next_change(self, moment: datetime) -> datetime | None:
        """The next full minute at which `open_at` is another; None when it never is."""
        now = self.open_at(moment)
        minute = moment.replace(second=0, microsecond=0)
        for ahead in range(1, 7 * MINUTES_A_DAY + 1):
            later = minute + timedelta(minutes=ahead)
            if self.open_at(later) is not now:
                return later
        return None

    def __str__(self) -> str:
        """Such that `parse_hours` reads it again."""
        return "; ".join(map(str, self.spans))


ALWAYS = Hours()


def parse_hours(text: str) -> Hours:
    """Spans with ``;`` between them: ``Mon-Fri 20:00-07:00; Sat,Sun``, ``22:00-06:00``; empty means always.

    Raises:
        ConfigurationError: something else; the text is named.
    """
    return Hours(tuple(parse_span(part.strip()) for part in text.split(";") if part.strip()))


def parse_span(text: str) -> Span:
    days_text, hours_text = text, ""
    if text[-1].isdigit():
        days_text, _, hours_text = text.rpartition(" ")
    days = parse_days(days_text, text) if days_text.strip() else frozenset(range(7))
    if not hours_text:
        return Span(days)
    found = HOURS.fullmatch(hours_text)
    if found is None:
        raise ConfigurationError(f"working hours {quoted(text)}: {quoted(hours_text)} is not like 20:00-07:00")
    begin_hour, begin_minute, end_hour, end_minute = map(int, found.groups())
    begin, end = begin_hour * 60 + begin_minute, end_hour * 60 + end_minute
    if begin >= MINUTES_A_DAY or end > MINUTES_A_DAY:
        raise ConfigurationError(f"working hours {quoted(text)}: a day ends at 24:00")
    return Span(days, begin, end)


def parse_days(text: str, whole: str) -> frozenset[int]:
    days: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        begin = day_number(first, whole)
        end = day_number(last, whole) if dash else begin
        days.update((begin + ahead) % 7 for ahead in range((end - begin) % 7 + 1))
    return frozenset(days)


def day_number(text: str, whole: str) -> int:
    try:
        return DAYS.index(text.strip().capitalize())
    except ValueError:
        raise ConfigurationError(
            f"working hours {quoted(whole)}: {quoted(text)} is not one of {', '.join(DAYS)}"
        ) from None


def runs(days: list[int]) -> list[tuple[int, int]]:
    """Neighbouring days joined."""
    joined: list[tuple[int, int]] = []
    for day in days:
        if joined and joined[-1][1] == day - 1:
            joined[-1] = (joined[-1][0], day)
        else:
            joined.append((day, day))
    return joined


def run_text(run: tuple[int, int]) -> str:
    first, last = run
    return DAYS[first] if first == last else f"{DAYS[first]}-{DAYS[last]}"


def clock_text(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
