"""The workers a dispatcher knows, and whom it would give a job."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.dispatch.needs import Need
    from fanqi.mqtt.messages import Presence

__all__ = ["Choice", "KnownWorker", "Roster"]

MOST_WORKERS = 10_000  # presences beyond that are not looked at


@dataclass(slots=True)
class KnownWorker:
    """One worker as its last presence showed it.

    Attributes:
        seen: monotonic time of its last sign of life.
        gone_since: monotonic time at which its presence vanished, or None while it is there.
        shunned_until: no assignments before this time; it has not answered, or had no room.
        wait: how long it was shunned last, seconds.
        leases: numbers of the jobs it has of ours.
    """

    name: str
    presence: Presence
    seen: float
    gone_since: float | None = None
    shunned_until: float = 0.0
    wait: float = 0.0
    leases: set[int] = field(default_factory=set)

    def silent(self, now: float, beats: float) -> bool:
        """Whether it has missed so many of its heartbeats."""
        return now > self.seen + beats * self.presence.heartbeat_s

    def available(self, now: float, beats: float) -> bool:
        """Whether it takes jobs at all just now."""
        ready = self.gone_since is None and self.presence.state == "ready"
        return ready and now >= self.shunned_until and not self.silent(now, beats)


@dataclass(slots=True)
class Roster:
    """All known workers by name.

    ``seconds`` is the usual duration of a job of each need, as results showed it.
    """

    prefetch_s: float
    beats: float
    workers: dict[str, KnownWorker] = field(default_factory=dict)
    seconds: dict[Need, float] = field(default_factory=dict)

    def take_up(self, name: str, presence: Presence, now: float) -> KnownWorker | None:
        """The entry of a worker that shows itself, made if need be; None when there are too many."""
        known = self.workers.get(name)
        if known is None:
            if len(self.workers) >= MOST_WORKERS:
                return None
            known = self.workers[name] = KnownWorker(name, presence, now)
        return known

    def learn_duration(self, need: Need, seconds: float) -> None:
        """Take note of how long a job ran."""
        usual = self.seconds.get(need)
        self.seconds[need] = seconds if usual is None else usual + (seconds - usual) / 16

    def window(self, worker: KnownWorker, need: Need) -> int:
        """How many of our jobs the worker should hold: those it runs at once, and short ones ahead of time.

        Without jobs ahead a worker idles between two jobs for one way there and back; with long ones ahead
        the last jobs of all would wait in a queue while other workers have nothing to do.
        """
        at_once = need.concurrency(worker.presence)
        usual = self.seconds.get(need)
        ahead = 0 if usual is None else int(at_once * self.prefetch_s / max(usual, 1e-6))
        return min(at_once + ahead, worker.presence.credit)

    def room(self, worker: KnownWorker, need: Need, now: float) -> int:
        """How many more jobs of this need the worker should get now."""
        if not worker.available(now, self.beats) or need.missing_in(worker.presence):
            return 0
        return max(0, self.window(worker, need) - len(worker.leases))

    def capable(self, need: Need, now: float) -> list[KnownWorker]:
        """Workers that are there and do such jobs, whether or not they have room."""
        return [
            worker
            for worker in self.workers.values()
            if worker.gone_since is None
            and worker.presence.state != "leaving"
            and not worker.silent(now, self.beats)
            and not need.missing_in(worker.presence)
        ]


class Choice:
    """Chooses workers for jobs of one need, the least loaded first."""

    def __init__(self, roster: Roster, need: Need, now: float, distrusted: frozenset[str] = frozenset()) -> None:
        self._roster = roster
        self._need = need
        self._now = now
        self._rooms = {
            worker.name: room
            for worker in roster.workers.values()
            if worker.name not in distrusted and (room := roster.room(worker, need, now))
        }
        self._distrusted = distrusted
        self._free = [(self._load(name), name) for name in self._rooms]
        heapq.heapify(self._free)

    @property
    def room(self) -> int:
        """How many jobs can be given out now."""
        return sum(self._rooms.values())

    def take(self, struck: set[str]) -> KnownWorker | None:
        """A worker with room that is not one of ``struck``, unless all that do such jobs are; None: not now.

        `put_back` it when it has got its job.
        """
        if struck and all(
            worker.name in struck or worker.name in self._distrusted
            for worker in self._roster.capable(self._need, self._now)
        ):
            struck = set()
        fit = [entry for entry in self._free if entry[1] not in struck] if struck else self._free
        if not fit:
            return None
        if fit is self._free:
            name = heapq.heappop(self._free)[1]
        else:
            chosen = min(fit)
            self._free.remove(chosen)
            heapq.heapify(self._free)
            name = chosen[1]
        return self._roster.workers[name]

    def rooms(self) -> list[tuple[str, int]]:
        """All workers with room, and how many jobs each should get."""
        return list(self._rooms.items())

    def take_named(self, name: str) -> KnownWorker:
        """A worker of `rooms`, which gets one job."""
        self._rooms[name] -= 1
        if not self._rooms[name]:
            del self._rooms[name]
            self._free = [entry for entry in self._free if entry[1] != name]
            heapq.heapify(self._free)
        return self._roster.workers[name]

    def put_back(self, worker: KnownWorker) -> None:
        """The worker has got a job; it stays in the choice while it has room for more."""
        self._rooms[worker.name] -= 1
        if self._rooms[worker.name]:
            heapq.heappush(self._free, (self._load(worker.name), worker.name))

    def _load(self, name: str) -> float:
        worker = self._roster.workers[name]
        return len(worker.leases) / self._need.concurrency(worker.presence)
