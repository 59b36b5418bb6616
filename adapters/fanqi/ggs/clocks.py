"""From the clock that the service prints to the limits of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.search import Clock, Limits

if TYPE_CHECKING:
    from fanqi.ggs_wire import ClockState

__all__ = ["deadline_s", "limits_for"]

LEAST_S = 0.05


def limits_for(clock: ClockState, waited_s: float, share: float, overhead_s: float, move_time_s: float) -> Limits:
    """Limits of a search for our move.

    The time left is what the service printed, less what has passed since. Where matches outnumber searches, each can
    count on its share of the time only. An increment that is meant for several moves counts by its part.

    Args:
        waited_s: since the message came.
        share: matches for each search at a time, at least 1.
        overhead_s: kept in reserve.
        move_time_s: a fixed time for each move, or 0.
    """
    left = max(clock.left.seconds - waited_s - overhead_s, LEAST_S) / share
    if move_time_s:
        return Limits(movetime_ms=round(1000 * min(move_time_s, max(left / 2, LEAST_S))))
    increment = 0.0
    if clock.increment is not None:
        increment = clock.increment.seconds / max(clock.increment.meant, 1)
    to_go = clock.left.meant - clock.left.made if clock.left.meant else None
    return Limits(
        clock=Clock(round(left * 1000), round(increment * 1000), to_go if to_go is not None and to_go > 0 else None)
    )


def deadline_s(clock: ClockState, overhead_s: float) -> float:
    """Seconds after the message at which a move must be sent whatever the search is doing."""
    left = float(clock.left.seconds)
    return max(left - overhead_s, left / 2, LEAST_S)
