"""The dispatcher as a pure state machine: messages and time in, messages out, everything that matters in the
ledger.

It owns the lease of every job: a worker has the job until it answers, hands it back, falls silent, vanishes,
or runs over time. The first result of a job wins, whatever attempt it comes from; the others are dropped. It
knows no broker: messages may be lost, doubled, late or out of order, and both sides may die at any moment.
"""

from __future__ import annotations

import heapq
import math
import random
import time
from typing import TYPE_CHECKING, assert_never

from msgspec import Raw

from fanqi.dispatch.lease import Blame, Completion, Lease, Stage, Tally
from fanqi.dispatch.policy import Policy
from fanqi.dispatch.roster import KnownWorker, Roster
from fanqi.mqtt.codec import Malformed, decode_result
from fanqi.mqtt.errors import PayloadError
from fanqi.mqtt.messages import (
    Accepted,
    Assign,
    Cancel,
    Failed,
    Finished,
    Holding,
    Presence,
    Progress,
    Refused,
    Returned,
    Started,
    ToDispatcher,
    ToWorker,
    Unsupported,
)
from fanqi.mqtt.work import Result, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fanqi.dispatch.ledger import Ledger, StoredJob
    from fanqi.dispatch.needs import Need

__all__ = ["Dispatcher"]

CHECK_EVERY_S = 0.1
MOST_AT_ONCE = 1000  # assignments in one go, so that messages are looked at in between


def unix_ms() -> int:
    return time.time_ns() // 1_000_000


def ignore(event: str, facts: dict[str, object]) -> None:
    pass


class Dispatcher:
    """Distributes the jobs of one ledger.

    Call `connected`, `presence`, `heard` as things happen and `tick` often; then commit the ledger, and only
    then send what `take_outgoing` gives.

    Args:
        clock: monotonic seconds.
        wall_ms: Unix time in milliseconds, for expiry on the wire.
        draw: a random number evenly between two others.
        on_answer: called for every job that ends.
        check: what is wrong with a result of the right kind, if anything; it then counts as a broken try.
        tell: called with the name and the facts of whatever a log should have.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        policy: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_ms: Callable[[], int] = unix_ms,
        draw: Callable[[float, float], float] = random.uniform,
        on_answer: Callable[[Completion], None] = lambda completion: None,
        check: Callable[[int, Result], str | None] = lambda seq, result: None,
        tell: Callable[[str, dict[str, object]], None] = ignore,
    ) -> None:
        self.ledger = ledger
        self.name = ledger.dispatcher
        self.policy = policy or Policy()
        self.roster = Roster(self.policy.prefetch_s, self.policy.beats)
        self.leases: dict[int, Lease] = {}
        self.tally = Tally()
        self.online = False
        self._clock = clock
        self._wall_ms = wall_ms
        self._draw = draw
        self._on_answer = on_answer
        self._check_result = check
        self._tell = tell
        self._outgoing: dict[str, list[ToWorker]] = {}
        self._resting: list[tuple[float, int]] = []
        self._check_at = -math.inf
        now = clock()
        for lease in ledger.open_leases():  # each is asked for again when its worker shows itself
            self.leases[lease.seq] = Lease(
                seq=lease.seq,
                attempt=lease.attempt,
                need=lease.need,
                worker=lease.worker,
                incarnation=lease.incarnation,
                lease_s=lease.lease_s,
                heard=now,
                ask_at=math.inf,
                wait=0.0,
            )

    # -- what happens
    # ------------------------------------------------------------------------------------------------

    def connected(self) -> None:
        """The broker is there (again): give everybody time to be heard, and ask again what is not answered."""
        now = self._clock()
        self.online = True
        for lease in self.leases.values():
            lease.heard = now
            if lease.deadline is not None:
                lease.deadline = max(lease.deadline, now)
            if lease.stage is Stage.ASKED and lease.worker in self.roster.workers:
                lease.ask_again_at(now + self._draw(0.0, self.policy.first_wait_s))
        for worker in self.roster.workers.values():
            worker.gone_since = now  # until its presence comes in again

    def disconnected(self) -> None:
        """The broker is gone: nobody is silent by his own fault until `connected`."""
        self.online = False

    def presence(self, name: str, presence: Presence | None) -> None:
        """A worker shows itself; None: the broker says that it is gone."""
        now = self._clock()
        known = self.roster.workers.get(name)
        if presence is None:
            if known is not None and known.gone_since is None:
                known.gone_since = now
                self._tell("worker_gone", {"worker": name})
            return
        if known is None or known.presence.incarnation != presence.incarnation:
            for lease in [lease for lease in self.leases.values() if lease.worker == name]:
                if lease.incarnation != presence.incarnation:
                    self._lose(lease, f"{name} was restarted", lease.blame_if_lost)
            self._tell("worker_found", {"worker": name, "threads": presence.threads, "state": presence.state})
        known = self.roster.take_up(name, presence, now)
        if known is None:
            return
        if known.presence.incarnation != presence.incarnation:
            known.shunned_until = known.wait = 0.0
        known.presence = presence
        known.gone_since, known.seen = None, now
        for lease in self.leases.values():
            if lease.worker == name:
                known.leases.add(lease.seq)
                if lease.ask_at == math.inf:
                    lease.ask_at = now

    def heard(self, name: str, messages: Iterable[ToDispatcher | Malformed]) -> None:
        """Messages from a worker."""
        known = self.roster.workers.get(name)
        if known is not None:
            known.seen = self._clock()
        for message in messages:
            match message:
                case Accepted() | Started() | Progress():
                    self._on_sign_of_life(name, message)
                case Finished():
                    self._on_finished(name, message)
                case Failed():
                    self._on_failed(name, message)
                case Refused():
                    self._on_refused(name, message)
                case Returned():
                    if lease := self._lease_of(name, message.job, message.attempt):
                        self.tally.returned += 1
                        self._lose(lease, f"{name} handed it back: {message.reason}", Blame.NONE)
                case Holding():
                    self._on_holding(name, message)
                case Unsupported():
                    self._shun(name, message.reason)
                case Malformed():
                    self._on_malformed(name, message)
                case _:
                    assert_never(message)

    def tick(self) -> bool:
        """Keep the leases and give out jobs. True: call again at once, there is more to give."""
        now = self._clock()
        if not self.online:
            return False
        while self._resting and self._resting[0][0] <= now:
            self.ledger.wake(heapq.heappop(self._resting)[1])
        if now >= self._check_at:
            self._check_at = now + CHECK_EVERY_S
            self._check_workers(now)
            for lease in list(self.leases.values()):
                self._check(lease, now)
        return self._assign(now)

    def withdraw(self) -> None:
        """Take all jobs back from their workers, for an orderly end."""
        for lease in list(self.leases.values()):
            self._send(lease.worker, Cancel(job=self.job_id(lease.seq)))
            self._drop(lease)
            self.ledger.release(lease.seq, lease.attempt, "withdrawn", Blame.NONE, rest=False)
        self.online = False

    def take_outgoing(self) -> dict[str, list[ToWorker]]:
        """Messages to send by worker, once."""
        outgoing, self._outgoing = self._outgoing, {}
        return outgoing

    def capable(self, need: Need) -> bool:
        """Whether a worker is there that does such jobs."""
        return bool(self.roster.capable(need, self._clock()))

    def lacking(self, need: Need) -> dict[str, str]:
        """Why each worker that is there cannot do such jobs."""
        there = [worker for worker in self.roster.workers.values() if worker.gone_since is None]
        return {worker.name: need.missing_in(worker.presence) or "is leaving" for worker in there}

    def without_worker(self) -> list[Need]:
        """Needs with jobs that wait although no worker that is there could do them."""
        now = self._clock()
        return [
            need for need in self.ledger.needs() if self.ledger.waiting(need) and not self.roster.capable(need, now)
        ]

    def job_id(self, seq: int) -> str:
        """The name of a job among those of all dispatchers."""
        return f"{self.name}-{seq}"

    # -- messages
    # ----------------------------------------------------------------------------------------------------

    def _on_sign_of_life(self, name: str, message: Accepted | Started | Progress) -> None:
        lease = self._lease_of(name, message.job, message.attempt)
        if lease is None:
            return
        now = self._clock()
        self._trust(name)
        if isinstance(message, Accepted):
            lease.heard = now
            if lease.stage is Stage.ASKED:
                lease.stage = Stage.HELD
        else:
            lease.run(now)
            if isinstance(message, Progress):
                lease.progress = message

    def _on_finished(self, name: str, message: Finished) -> None:
        seq = self._seq(message.job)
        lease = self.leases.get(seq)
        expected = lease is not None and (lease.worker, lease.attempt) == (name, message.attempt)
        if not expected and not self.ledger.ever_held(seq, message.attempt, name):
            self.tally.foreign += 1
            self._tell("foreign_result", {"worker": name, "job": message.job})
            return
        job = self.ledger.job(seq)
        try:
            decoded = decode_result(message.result)
            if kind_of(decoded) != job.need.kind:
                raise PayloadError(f"a {kind_of(decoded)} result for a {job.need.kind} job")
            if objection := self._check_result(seq, decoded):
                raise PayloadError(objection)
        except PayloadError as error:
            self.tally.unreadable += 1
            if lease is not None and expected:
                self._lose(lease, f"{name} sent a result that cannot be read: {error.reason}", Blame.FULL)
            return
        result = bytes(message.result)
        if not self.ledger.finish(seq, message.attempt, name, message.seconds, message.nodes, result):
            self.tally.duplicates += 1
            return
        if lease is not None:
            self._drop(lease)
            if not expected:
                self._send(lease.worker, Cancel(job=message.job))
        self._trust(name)
        self.tally.finished += 1
        self.tally.nodes += message.nodes
        self.tally.worker_seconds += message.seconds
        self.roster.learn_duration(job.need, message.seconds)
        self._on_answer(Completion(seq, job.need, name, message.attempt, message.seconds, message.nodes, result))

    def _on_failed(self, name: str, message: Failed) -> None:
        lease = self._lease_of(name, message.job, message.attempt)
        if lease is None:
            return
        if message.final:
            self._drop(lease)
            self._give_up(lease, message.reason)
        else:
            self._lose(lease, f"{name}: {message.reason}", Blame.FULL)

    def _on_refused(self, name: str, message: Refused) -> None:
        lease = self._lease_of(name, message.job, message.attempt)
        if lease is None:
            return
        self.tally.refused += 1
        if message.why == "busy":
            self._shun(name, message.reason)
        self._lose(lease, f"{name} refused it: {message.reason}", Blame.FULL if message.why == "unable" else Blame.NONE)

    def _on_holding(self, name: str, message: Holding) -> None:
        now = self._clock()
        held = {(entry.job, entry.attempt): entry.running for entry in message.jobs}
        for lease in [lease for lease in self.leases.values() if lease.worker == name]:
            running = held.get((self.job_id(lease.seq), lease.attempt))
            if running:
                lease.run(now)
            elif running is False:
                lease.heard = now
                if lease.stage is Stage.ASKED:
                    lease.stage = Stage.HELD
            elif lease.stage is not Stage.ASKED:
                # it had the job and has it no more: its answer is lost on the way, and a worker keeps those
                lease.ask_again_at(now)

    def _on_malformed(self, name: str, message: Malformed) -> None:
        self.tally.unreadable += 1
        self._tell("unreadable_message", {"worker": name, "job": message.job, "reason": message.reason})
        if message.job is None:
            return
        lease = self._lease_of(name, message.job, message.attempt)
        if lease is not None:
            self._lose(lease, f"{name} sent a message that cannot be read: {message.reason}", Blame.FULL)

    # -- leases
    # ------------------------------------------------------------------------------------------------------

    def _check_workers(self, now: float) -> None:
        for worker in list(self.roster.workers.values()):
            if worker.gone_since is None or now < worker.gone_since + self.policy.absence_s:
                continue
            for seq in list(worker.leases):
                lease = self.leases[seq]
                self._lose(lease, f"{worker.name} vanished", lease.blame_if_lost)
            del self.roster.workers[worker.name]

    def _check(self, lease: Lease, now: float) -> None:
        worker = self.roster.workers.get(lease.worker)
        if worker is None:
            if now > lease.heard + self.policy.absence_s:
                self._lose(lease, f"{lease.worker} did not come back", Blame.NONE)
            return
        silence = self.policy.beats * worker.presence.heartbeat_s
        if lease.stage is Stage.ASKED:
            if worker.silent(now, self.policy.beats):
                self._lose(lease, f"{lease.worker} fell silent", Blame.NONE)
            elif worker.gone_since is None and now >= lease.ask_at:
                self._ask(lease, now)
            return
        if now > lease.heard + silence:
            reason = f"{lease.worker} fell silent for {silence:.0f} s"
            self._lose(lease, reason, lease.blame_if_lost)
        elif lease.deadline is not None and now > lease.deadline + self.policy.grace_s:
            self._send(lease.worker, Cancel(job=self.job_id(lease.seq)))
            self._lose(lease, f"{lease.worker} did not end it within {lease.lease_s:.0f} s", Blame.FULL)

    def _ask(self, lease: Lease, now: float, work: bytes | None = None) -> None:
        if lease.asked >= self.policy.asks:
            reason = f"{lease.worker} did not answer {lease.asked} assignments"
            worker = self.roster.workers.get(lease.worker)
            if worker is not None:
                worker.seen = -math.inf  # nothing more for it until it is heard
            self._shun(lease.worker, reason)
            self._lose(lease, reason, Blame.FULL)
            return
        if work is None:
            work = self.ledger.job(lease.seq).work
        if lease.asked:
            self.tally.asked_again += 1
        lease.asked += 1
        lease.wait = self._backoff(lease.wait)
        lease.ask_at = now + lease.wait
        self._send(
            lease.worker,
            Assign(
                job=self.job_id(lease.seq),
                attempt=lease.attempt,
                expires=self._wall_ms() + int(self.policy.expiry_s * 1000),
                lease_s=lease.lease_s,
                threads=lease.need.threads,
                hash_mib=lease.need.hash_mib,
                work=Raw(work),
            ),
        )

    def _lose(self, lease: Lease, reason: str, blame: Blame) -> None:
        """Take a job from its worker, and have it tried again or give it up."""
        self._drop(lease)
        strikes = self.ledger.release(lease.seq, lease.attempt, reason, blame, rest=True)
        facts: dict[str, object] = {
            "job": self.job_id(lease.seq),
            "worker": lease.worker,
            "reason": reason,
            "blame": blame.name.lower(),
        }
        self._tell("lease_lost", facts)
        self.tally.strikes += bool(blame)
        if strikes >= Blame.FULL * self.policy.tries:
            tries = [entry for entry in self.ledger.tries(lease.seq) if entry.blame]
            told = "; ".join(f"({index}) {entry.reason}" for index, entry in enumerate(tries, 1))
            self._give_up(lease, f"given up after {len(tries)} tries: {told}" if len(tries) > 1 else reason)
        else:
            last = self.policy.first_wait_s * 2.0**strikes if blame else 0.0
            heapq.heappush(self._resting, (self._clock() + self._backoff(last), lease.seq))

    def _give_up(self, lease: Lease, reason: str) -> None:
        if self.ledger.fail(lease.seq, lease.attempt, lease.worker, reason):
            self.tally.failed += 1
            self._tell("job_failed", {"job": self.job_id(lease.seq), "worker": lease.worker, "reason": reason})
            self._on_answer(Completion(lease.seq, lease.need, lease.worker, lease.attempt, reason=reason))

    def _drop(self, lease: Lease) -> None:
        del self.leases[lease.seq]
        worker = self.roster.workers.get(lease.worker)
        if worker is not None:
            worker.leases.discard(lease.seq)

    # -- giving out
    # --------------------------------------------------------------------------------------------------

    def _assign(self, now: float) -> bool:
        given = 0
        for need in self.ledger.needs():
            rooms = {}
            for worker in self.roster.workers.values():
                if room := self.roster.room(worker, need, now):
                    rooms[worker.name] = room
            if not rooms:
                continue
            free = [(self._load(name, need), name) for name in rooms]
            heapq.heapify(free)
            for job in self.ledger.ready(need, min(sum(rooms.values()), MOST_AT_ONCE)):
                name = self._choose(free, need, job)
                if name is None:
                    continue
                self._give(job, need, self.roster.workers[name], now)
                given += 1
                rooms[name] -= 1
                if rooms[name]:
                    heapq.heappush(free, (self._load(name, need), name))
                if not free:
                    break
        return given >= MOST_AT_ONCE

    def _load(self, name: str, need: Need) -> float:
        worker = self.roster.workers[name]
        return len(worker.leases) / need.concurrency(worker.presence)

    def _choose(self, free: list[tuple[float, str]], need: Need, job: StoredJob) -> str | None:
        """Take the least loaded worker off the heap that has not failed at the job, if any other can have it."""
        if not job.strikes:
            return heapq.heappop(free)[1]
        struck = {entry.worker for entry in self.ledger.tries(job.seq) if entry.blame}
        if all(worker.name in struck for worker in self.roster.capable(need, self._clock())):
            return heapq.heappop(free)[1]
        fresh = [entry for entry in free if entry[1] not in struck]
        if not fresh:
            return None
        chosen = min(fresh)
        free.remove(chosen)
        heapq.heapify(free)
        return chosen[1]

    def _give(self, job: StoredJob, need: Need, worker: KnownWorker, now: float) -> None:
        attempt = self.ledger.lease(job.seq, worker.name, worker.presence.incarnation)
        lease = Lease(
            seq=job.seq,
            attempt=attempt,
            need=need,
            worker=worker.name,
            incarnation=worker.presence.incarnation,
            lease_s=job.lease_s,
            heard=now,
            ask_at=now,
            wait=self.policy.first_wait_s,
        )
        self.leases[job.seq] = lease
        worker.leases.add(job.seq)
        self.tally.assigned += 1
        self._ask(lease, now, job.work)

    def _shun(self, name: str, reason: str) -> None:
        worker = self.roster.workers.get(name)
        now = self._clock()
        if worker is not None and now >= worker.shunned_until:
            worker.wait = self._backoff(worker.wait)
            worker.shunned_until = now + worker.wait
            self._tell("worker_shunned", {"worker": name, "seconds": round(worker.wait, 1), "reason": reason})

    def _trust(self, name: str) -> None:
        worker = self.roster.workers.get(name)
        if worker is not None:
            worker.wait = 0.0

    def _backoff(self, last: float) -> float:
        first = self.policy.first_wait_s
        return self._draw(first, min(self.policy.longest_wait_s, max(4 * last, 2 * first)))

    def _lease_of(self, name: str, job: str, attempt: int) -> Lease | None:
        """The lease a worker speaks of, if it still has it."""
        lease = self.leases.get(self._seq(job))
        return lease if lease is not None and (lease.worker, lease.attempt) == (name, attempt) else None

    def _seq(self, job: str) -> int:
        """The number of one of our jobs, or 0, which no job has."""
        head, _, number = job.rpartition("-")
        return int(number) if head == self.name and number.isascii() and number.isdigit() and len(number) < 19 else 0

    def _send(self, worker: str, message: ToWorker) -> None:
        self._outgoing.setdefault(worker, []).append(message)
