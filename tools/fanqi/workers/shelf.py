"""The jobs that a worker holds and does not run yet, and the dispatchers they are for, who take turns."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanqi.mqtt.messages import Drift

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.workers.tasks import Task

__all__ = ["LAST_BEATS", "Peer", "Shelf"]

MOST_DISPATCHERS = 256
LAST_BEATS = 5  # heartbeats to a dispatcher after its last job: by them it notices that an answer got lost


@dataclass(slots=True)
class Peer:
    """One dispatcher: its jobs that wait, what is known of its clock, how many heartbeats it is still owed."""

    drift: Drift = field(default_factory=Drift)
    queue: OrderedDict[str, Task] = field(default_factory=OrderedDict)
    running: int = 0
    beats: int = 0


class Shelf:
    """What waits, by dispatcher; see the module.

    Attributes:
        held_bytes: of the work of all jobs that are held, also of those that run.
    """

    def __init__(self) -> None:
        self.held_bytes = 0
        self._peers: dict[str, Peer] = {}
        self._turns: deque[str] = deque()

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return sum(len(peer.queue) for peer in self._peers.values())

    def peers(self) -> Iterator[tuple[str, Peer]]:
        """All dispatchers that are known."""
        return iter(self._peers.items())

    def meet(self, dispatcher: str) -> Peer | None:
        """A dispatcher that has spoken; None if there are too many with jobs here to know one more."""
        peer = self._peers.get(dispatcher)
        if peer is None:
            if len(self._peers) >= MOST_DISPATCHERS and not self._forget_idle():
                return None
            peer = self._peers[dispatcher] = Peer()
        return peer

    def put(self, task: Task) -> None:
        """A job to be run when it is its turn. Its dispatcher has been met."""
        peer = self._peers[task.dispatcher]
        self.held_bytes += task.size
        peer.queue[task.job] = task
        peer.beats = LAST_BEATS
        if task.dispatcher not in self._turns:
            self._turns.append(task.dispatcher)

    def take(self, threads: int, hash_mib: int) -> Task | None:
        """The next job to run with what is free, one of each dispatcher in turn; it is held until it is `done`.

        A job too large for what is free holds up those behind it, of all dispatchers, or small ones would keep it
        waiting for ever.
        """
        while self._turns:
            peer = self._peers[self._turns[0]]
            if not peer.queue:
                self._turns.popleft()
                continue
            job, task = next(iter(peer.queue.items()))
            if task.assign.threads > threads or task.assign.hash_mib > hash_mib:
                return None
            del peer.queue[job]
            peer.running += 1
            self._turns.rotate(-1)
            return task
        return None

    def done(self, task: Task) -> None:
        """A job that was taken runs no more."""
        self.held_bytes -= task.size
        self._peers[task.dispatcher].running -= 1

    def drop(self, peer: Peer, job: str) -> None:
        """A job that need not be run any more, if it waits."""
        task = peer.queue.pop(job, None)
        if task is not None:
            self.held_bytes -= task.size

    def clear(self) -> list[Task]:
        """Everything that waits, which waits no more."""
        tasks = [task for peer in self._peers.values() for task in peer.queue.values()]
        for peer in self._peers.values():
            peer.queue.clear()
        self._turns.clear()
        self.held_bytes -= sum(task.size for task in tasks)
        return tasks

    def _forget_idle(self) -> bool:
        for name, peer in self._peers.items():
            if not peer.queue and not peer.running:
                del self._peers[name]
                return True
        return False
