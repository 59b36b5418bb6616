"""Where searches run: a fixed number of slots, handed out in the order in which they were asked for."""

from __future__ import annotations

import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Executor", "SearchPool", "Ticket"]


class Ticket(Protocol):
    """A place in the queue."""

    def cancel(self) -> bool:
        """Give the place up. False when the job has its slot already: it runs, or is about to."""


class Executor(Protocol):
    """What a session runs its work on."""

    def submit(self, job: Callable[[], None]) -> Ticket:
        """Run ``job`` on another thread as soon as a slot is free."""


class _Job:
    def __init__(self, pool: SearchPool, work: Callable[[], None]) -> None:
        self._pool = pool
        self.work = work

    def cancel(self) -> bool:
        return self._pool.withdraw(self)


class SearchPool:
    """Threads that search, at most ``slots`` at a time; the others wait in order.

    A thread is started when it is first needed and waits for more work afterwards. They are daemons: a process can
    end without them.
    """

    def __init__(self, slots: int = 1) -> None:
        self._slots = slots
        self._condition = threading.Condition()
        self._queue: deque[_Job] = deque()  # without a slot
        self._assigned: deque[_Job] = deque()  # with a slot, for the threads that wait
        self._idle_threads = 0
        self._busy = 0

    @property
    def busy(self) -> int:
        """Slots in use."""
        return self._busy

    @property
    def waiting(self) -> int:
        """Jobs without a slot."""
        return len(self._queue)

    def submit(self, job: Callable[[], None]) -> Ticket:
        ticket = _Job(self, job)
        with self._condition:
            if self._busy == self._slots:
                self._queue.append(ticket)
                return ticket
            self._busy += 1
            if self._idle_threads > len(self._assigned):
                self._assigned.append(ticket)
                self._condition.notify()
                return ticket
        threading.Thread(target=self._serve, args=(ticket,), name="fanqi-search", daemon=True).start()
        return ticket

    def withdraw(self, job: _Job) -> bool:
        """Take a job out of the queue; False when it is not there any more."""
        with self._condition:
            try:
                self._queue.remove(job)
            except ValueError:
                return False
            return True

    def _serve(self, job: _Job) -> None:
        while True:
            try:
                job.work()
            except Exception:
                report = threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread()))
                threading.excepthook(report)
            job = self._next_job(job)

    def _next_job(self, done: _Job) -> _Job:
        done.work = nothing  # a thread that waits must not keep the session of its last job alive
        with self._condition:
            if self._queue:
                return self._queue.popleft()
            self._busy -= 1
            self._idle_threads += 1
            while not self._assigned:
                self._condition.wait()
            self._idle_threads -= 1
            return self._assigned.popleft()


def nothing() -> None:
    """Work that is done."""
