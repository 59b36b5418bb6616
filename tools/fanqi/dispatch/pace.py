"""How fast something goes, and when it will be done."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Pace", "Pacer", "Sparing", "duration_text"]

WINDOW_S = 60.0


class Pace:
    """The rate over the last minute, from (time, count) as they are observed."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, int]] = deque()

    def observe(self, now: float, count: int) -> None:
        """So many are done at this time (monotonic seconds)."""
        if self._points and now - self._points[-1][0] < 0.2:
            return
        self._points.append((now, count))
        while len(self._points) > 2 and now - self._points[0][0] > WINDOW_S:
            self._points.popleft()

    @property
    def rate(self) -> float:
        """A second; 0 as long as nothing is known."""
        if len(self._points) < 2:
            return 0.0
        (first, before), (last, after) = self._points[0], self._points[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def remaining_s(self, left: int) -> float | None:
        """Seconds until so many more are done, or None when that cannot be said."""
        return left / self.rate if self.rate > 0 else None


class Pacer:
    """Keeps rounds of a loop so many seconds apart; a round after a pause begins at once."""

    def __init__(self, apart_s: float) -> None:
        self._apart_s = apart_s
        self._next = 0.0

    async def wait(self) -> None:
        """Sleep until the next round may begin."""
        clock = asyncio.get_running_loop().time
        delay = self._next - clock()
        if delay > 0:
            await asyncio.sleep(delay)
        self._next = clock() + self._apart_s


class Sparing:
    """Whom to tell something that he has been told before: nobody twice within a time, and not too many in it.

    Args:
        apart_s: that time, seconds.
        most: told in it.
    """

    def __init__(self, apart_s: float, most: int) -> None:
        self._apart_s, self._most = apart_s, most
        self._until: dict[str, float] = {}

    def may_tell(self, name: str, now: float) -> bool:
        """Whether to tell it now (monotonic seconds), which is taken for done then."""
        self._until = {other: until for other, until in self._until.items() if until > now}
        if name in self._until or len(self._until) >= self._most:
            return False
        self._until[name] = now + self._apart_s
        return True


def duration_text(seconds: float | None) -> str:
    """Seconds for people: ``-``, ``42 s``, ``3:07``, ``1:02:33``, ``2 d 04 h``."""
    if seconds is None:
        return "-"
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 24:
        return f"{hours // 24} d {hours % 24:02d} h"
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
