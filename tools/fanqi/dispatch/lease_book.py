"""The leases there are, and what becomes of a job when one begins, is asked for again, is lost, or ends."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Raw

from fanqi.dispatch.lease import Blame, Completion, Lease, Tally
from fanqi.mqtt.messages import Assign, ToWorker

if TYPE_CHECKING:
    from fanqi.dispatch.ledger import Ledger, StoredJob
    from fanqi.dispatch.policy import Policy
    from fanqi.dispatch.roster import KnownWorker, Roster

__all__ = ["LeaseBook", "Surroundings"]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a dispatcher is given from outside: time, chance, and whom to tell.

    Attributes:
        clock: monotonic seconds.
        wall_ms: Unix time in milliseconds, for expiry on the wire.
        draw: a random number evenly between two others.
        on_answer: called for every job that ends.
        tell: called with the name and the facts of whatever a log should have.
    """

    clock: Callable[[], float]
    wall_ms: Callable[[], int]
    draw: Callable[[float, float], float]
    on_answer: Callable[[Completion], None]
    tell: Callable[[str, dict[str, object]], None]


class LeaseBook:
    """Keeps leases in step with the ledger and the roster. ``outgoing``: messages to send, by worker."""

    def __init__(self, ledger: Ledger, roster: Roster, policy: Policy, around: Surroundings) -> None:
        self.leases: dict[int, Lease] = {}
        self.tally = Tally()
        self.outgoing: dict[str, list[ToWorker]] = {}
        self._ledger = ledger
        self._roster = roster
        self._policy = policy
        self._around = around
        self._resting: list[tuple[float, int]] = []
        for lease in ledger.open_leases():  # each is asked for again when its worker shows itself
            self.leases[lease.seq] = Lease(
                seq=lease.seq,
                attempt=lease.attempt,
                need=lease.need,
                worker=lease.worker,
                incarnation=lease.incarnation,
                lease_s=lease.lease_s,
                heard=around.clock(),
                ask_at=math.inf,
                wait=0.0,
            )

    # --- finding ---------------------------------------------------------------------------------------------

    def job_id(self, seq: int) -> str:
        """The name of a job among those of all dispatchers."""
        return f"{self._ledger.dispatcher}-{seq}"

    def seq_of(self, job: str) -> int:
        """The number of one of our jobs, or 0, which no job has."""
        head, _, number = job.rpartition("-")
        ours = head == self._ledger.dispatcher and number.isascii() and number.isdigit() and len(number) < 19
        return int(number) if ours else 0

    def find(self, worker: str, job: str, attempt: int) -> Lease | None:
        """The lease a worker speaks of, if it still has it."""
        lease = self.leases.get(self.seq_of(job))
        return lease if lease is not None and (lease.worker, lease.attempt) == (worker, attempt) else None

    def of(self, worker: str) -> list[Lease]:
        """All leases of a worker."""
        known = self._roster.workers.get(worker)
        if known is None:  # possible only after a restart
            return [lease for lease in self.leases.values() if lease.worker == worker]
        return [self.leases[seq] for seq in known.leases]

    # --- what happens to them --------------------------------------------------------------------------------

    def give(self, job: StoredJob, worker: KnownWorker) -> None:
        """A new lease."""
        now = self._around.clock()
        lease = Lease(
            seq=job.seq,
            attempt=self._ledger.lease(job.seq, worker.name, worker.presence.incarnation),
            need=job.need,
            worker=worker.name,
            incarnation=worker.presence.incarnation,
            lease_s=job.lease_s,
            heard=now,
            ask_at=now,
            wait=self._policy.first_wait_s,
        )
        self.leases[job.seq] = lease
        worker.leases.add(job.seq)
        self.tally.assigned += 1
        self.ask(lease, job.work)

    def ask(self, lease: Lease, work: bytes | None = None) -> None:
        """Publish the assignment (again)."""
        if lease.asked:
            self.tally.asked_again += 1
        lease.asked += 1
        lease.wait = self.backoff(lease.wait)
        lease.ask_at = self._around.clock() + lease.wait
        self.send(
            lease.worker,
            Assign(
                job=self.job_id(lease.seq),
                attempt=lease.attempt,
                expires=self._around.wall_ms() + int(self._policy.expiry_s * 1000),
                lease_s=lease.lease_s,
                threads=lease.need.threads,
                hash_mib=lease.need.hash_mib,
                work=Raw(self._ledger.job(lease.seq).work if work is None else work),
            ),
        )

    def end(self, lease: Lease) -> None:
        """The job is answered, or taken back: the lease is no more."""
        del self.leases[lease.seq]
        worker = self._roster.workers.get(lease.worker)
        if worker is not None:
            worker.leases.discard(lease.seq)

    def lose(self, lease: Lease, reason: str, blame: Blame, *, patient: bool = True) -> None:
        """Take a job from its worker, and have it tried again (if ``patient``, after a while) or give it up."""
        self.end(lease)
        strikes = self._ledger.release(lease.seq, lease.attempt, reason, blame, rest=True)
        facts = {"job": self.job_id(lease.seq), "worker": lease.worker, "reason": reason, "blame": blame.name.lower()}
        self._around.tell("lease_lost", dict(facts))
        self.tally.strikes += bool(blame)
        if strikes >= Blame.FULL * self._policy.tries:
            tries = [entry for entry in self._ledger.tries(lease.seq) if entry.blame]
            told = "; ".join(f"({index}) {entry.reason}" for index, entry in enumerate(tries, 1))
            self.give_up(lease, f"given up after {len(tries)} tries: {told}" if len(tries) > 1 else reason)
        else:
            last = self._policy.first_wait_s * 2.0**strikes if blame and patient else 0.0
            heapq.heappush(self._resting, (self._around.clock() + self.backoff(last), lease.seq))

    def give_up(self, lease: Lease, reason: str) -> None:
        """The job has failed for good."""
        if self._ledger.fail(lease.seq, lease.attempt, lease.worker, reason):
            self.tally.failed += 1
            facts = {"job": self.job_id(lease.seq), "worker": lease.worker, "reason": reason}
            self._around.tell("job_failed", dict(facts))
            self._around.on_answer(Completion(lease.seq, lease.need, lease.worker, lease.attempt, reason=reason))

    def wake(self, now: float) -> None:
        """Jobs that have rested long enough may be given out again."""
        while self._resting and self._resting[0][0] <= now:
            self._ledger.wake(heapq.heappop(self._resting)[1])

    def send(self, worker: str, message: ToWorker) -> None:
        """A message to a worker, in the next round."""
        self.outgoing.setdefault(worker, []).append(message)

    def backoff(self, last: float) -> float:
        """The next wait after one of ``last`` seconds."""
        first = self._policy.first_wait_s
        return self._around.draw(first, min(self._policy.longest_wait_s, max(4 * last, 2 * first)))
