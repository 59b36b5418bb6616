"""A dispatcher's figures for Prometheus, and whether it is well."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from fanqi.dispatch.lease import Completion, Stage
from fanqi.metrics import Family, Health, Histogram, counter, gauge

if TYPE_CHECKING:
    from fanqi.dispatch.dispatcher import Dispatcher

__all__ = ["DispatchMetrics"]


class DispatchMetrics:
    """Collects what a dispatcher does; `observe` wants every completion."""

    def __init__(self, wall: Callable[[], float] = time.time) -> None:
        self._wall = wall
        self._seconds = Histogram()

    def observe(self, completion: Completion) -> None:
        """A job has ended."""
        if completion.result is not None:
            self._seconds.observe(completion.seconds)

    def families(self, dispatcher: Dispatcher) -> Iterable[Family]:
        """Everything, as of now."""
        counts, tally = dispatcher.ledger.counts, dispatcher.tally
        running = sum(lease.stage is Stage.RUNNING for lease in dispatcher.leases.values())
        states = {
            "waiting": counts.waiting,
            "assigned": counts.leased - running,
            "running": running,
            "done": counts.done,
            "failed": counts.failed,
        }
        yield gauge("fanqi_dispatch_jobs", "Jobs by state.", states, "state")
        since = dispatcher.ledger.waiting_since()
        yield gauge(
            "fanqi_dispatch_queue_age_seconds",
            "How long the oldest waiting job has waited.",
            0.0 if since is None else max(0.0, self._wall() - since),
        )
        workers = dispatcher.roster.workers.values()
        yield gauge("fanqi_dispatch_workers", "Workers present.", sum(w.gone_since is None for w in workers))
        nps = sum(lease.progress.nps for lease in dispatcher.leases.values() if lease.progress is not None)
        yield gauge("fanqi_dispatch_nodes_per_second", "Of the jobs that run now, as their workers say.", nps)
        yield counter("fanqi_dispatch_nodes_total", "Nodes of finished jobs.", tally.nodes)
        yield counter("fanqi_dispatch_assignments_total", "Jobs given to workers.", tally.assigned)
        yield counter("fanqi_dispatch_asked_again_total", "Assignments published again.", tally.asked_again)
        ends = {
            "finished": tally.finished,
            "failed": tally.failed,
            "strike": tally.strikes,
            "returned": tally.returned,
            "refused": tally.refused,
        }
        yield counter("fanqi_dispatch_outcomes_total", "How assignments ended.", ends, "outcome")
        dropped = {"duplicate": tally.duplicates, "foreign": tally.foreign, "unreadable": tally.unreadable}
        yield counter("fanqi_dispatch_dropped_total", "Messages that were dropped, by reason.", dropped, "reason")
        yield self._seconds.family("fanqi_dispatch_job_seconds", "How long finished jobs ran.")

    def health(self, dispatcher: Dispatcher, trouble: str | None) -> Health:
        """Well, as long as the broker is there."""
        return Health(dispatcher.online, trouble or ("ok" if dispatcher.online else "connecting"))
