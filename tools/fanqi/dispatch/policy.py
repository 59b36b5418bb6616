"""How patient a dispatcher is. Seconds throughout."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Policy"]


@dataclass(frozen=True, slots=True)
class Policy:
    """Times and counts by which leases are kept and lost.

    Attributes:
        tries: after so many counted failures a job is given up.
        asks: an assignment without an answer is published so often before the worker loses it.
        first_wait_s, longest_wait_s: bounds of the wait before it is published again, or a job is tried
            again; each wait is drawn evenly from the first up to four times the last one.
        beats: a worker that has been silent for this many of its heartbeats has lost its jobs.
        absence_s: a worker whose presence vanished keeps its jobs for so long, in case it only lost its
            connection.
        grace_s: beyond a lease's time before the worker is taken for hung.
        expiry_s: an assignment older than this is not begun.
        bad_answers: a worker with so many answers that cannot be right gets no more work.
        prefetch_s: beside what it runs, a worker gets so many jobs ahead as take it about this long.
    """

    tries: int = 3
    asks: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0
    beats: float = 4.0
    absence_s: float = 8.0
    grace_s: float = 10.0
    expiry_s: float = 60.0
    bad_answers: int = 3
    prefetch_s: float = 0.5
