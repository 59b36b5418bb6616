"""What a person sees while jobs are done: a bar on a terminal, a line now and then otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from fanqi.dispatch.pace import Pace, duration_text
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from fanqi.dispatch.dispatcher import Dispatcher

__all__ = ["Display", "situation"]

LINE_EVERY_S = 10.0


def situation(dispatcher: Dispatcher, trouble: str | None) -> str:
    """Why nothing happens, or who is at work, in a few words."""
    if trouble is not None:
        return f"no broker: {shown(trouble)}"
    if not dispatcher.online:
        return "connecting"
    distrusted = dispatcher.ledger.opinions.distrusted
    there = [worker for worker in dispatcher.roster.workers.values() if worker.gone_since is None]
    workers = [worker for worker in there if worker.name not in distrusted]
    if not workers:
        return f"no worker is there that is believed; {len(there)} are not" if there else "no worker is there"
    orphans = dispatcher.without_worker()
    if orphans:
        why = {need.missing_in(worker.presence) for worker in workers for need in orphans}
        reason = next(iter(sorted(reason for reason in why if reason)), "they are leaving")
        return f"no worker for {orphans[0]}: {shown(reason)}"
    if not dispatcher.leases and (unconfirmed := dispatcher.ledger.unconfirmed_count()):
        return f"{unconfirmed} jobs wait for another worker to confirm them"
    busy = sum(bool(worker.leases) for worker in workers)
    return f"{busy} of {len(workers)} workers"


class Display:
    """Shows a dispatcher's progress on stderr; use as a context, call `show` as often as you like."""

    def __init__(
        self, dispatcher: Dispatcher, complete: Callable[[], bool], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._dispatcher = dispatcher
        self._complete = complete
        self._clock = clock
        self._console = Console(stderr=True, highlight=False)
        self._pace = Pace()
        self._line_at = clock() + LINE_EVERY_S
        self._progress: Progress | None = None
        if self._console.is_terminal:
            columns = (
                BarColumn(bar_width=30),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]:>10}"),
                TextColumn("ETA {task.fields[eta]:>8}"),
                TextColumn("{task.fields[situation]}", markup=False),  # what workers say may be anything
            )
            self._progress = Progress(*columns, console=self._console, refresh_per_second=4)
            self._task = self._progress.add_task("", total=None, rate="", eta="-", situation="getting ready")

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, trouble: str | None) -> None:
        """Bring it up to date."""
        now = self._clock()
        counts = self._dispatcher.ledger.counts
        self._pace.observe(now, counts.answered)
        if self._progress is None and now < self._line_at:
            return
        eta = duration_text(self._pace.remaining_s(counts.total - counts.answered) if self._complete() else None)
        what = situation(self._dispatcher, trouble)
        rate = f"{self._pace.rate:,.1f}/s"
        if self._progress is not None:
            total = counts.total if self._complete() else None
            self._progress.update(
                self._task, completed=counts.answered, total=total, rate=rate, eta=eta, situation=what
            )
            return
        self._line_at = now + LINE_EVERY_S
        failed = f", {counts.failed} failed" if counts.failed else ""
        line = f"{counts.answered:,} of {counts.total:,}{failed}, {rate}, ETA {eta}, {what}"
        self._console.print(line, soft_wrap=True, markup=False)
