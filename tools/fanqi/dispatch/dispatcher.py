"""The dispatcher as a pure state machine: messages and time in, messages out, everything that matters in the
ledger.

It owns the lease of every job: a worker has the job until it answers, hands it back, falls silent, vanishes,
or runs over time. The first result of a job wins, whatever attempt it comes from; the others are dropped. It
knows no broker: messages may be lost, doubled, late or out of order, and both sides may die at any moment.
"""

from __future__ import annotations

import math
import random
import time
from typing import TYPE_CHECKING, assert_never

from fanqi.dispatch.lease import Blame, Completion, Lease, Stage, Tally
from fanqi.dispatch.lease_book import LeaseBook, Surroundings
from fanqi.dispatch.opinions import Opinion
from fanqi.dispatch.policy import Policy
from fanqi.dispatch.roster import Choice, KnownWorker, Roster
from fanqi.dispatch.verification import Verification, same_result
from fanqi.mqtt.codec import Malformed, decode_result, decode_work
from fanqi.mqtt.errors import PayloadError
from fanqi.mqtt.messages import (
    Accepted,
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
from fanqi.mqtt.work import Result, Work, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fanqi.dispatch.ledger import Ledger, StoredJob
    from fanqi.dispatch.needs import Need

__all__ = ["Dispatcher"]

CHECK_EVERY_S = 0.1
MOST_OPINIONS = 3  # different answers to one job: no two workers agree
LONGEST_REASON = 1000
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
        check: why a result of the right kind cannot be that of its work; None when it can. Else it does not count, and
            a worker that does this often gets no more work.
        verify: the share of jobs, from 0 to 1, that two workers do; see `fanqi.dispatch.verification`.
        on_distrust: called with the name of a worker that is not believed any more; takes back what rests on its word.
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
        check: Callable[[Work, Result], str | None] = lambda work, result: None,
        verify: float = 0.0,
        on_distrust: Callable[[str], object] = lambda name: None,
        tell: Callable[[str, dict[str, object]], None] = ignore,
    ) -> None:
        self.ledger = ledger
        self.name = ledger.dispatcher
        self.policy = policy or Policy()
        self.roster = Roster(self.policy.prefetch_s, self.policy.beats)
        self.online = False
        self._around = Surroundings(clock, wall_ms, draw, on_answer, tell)
        self._book = LeaseBook(ledger, self.roster, self.policy, self._around)
        self._check_result = check
        self._verification = Verification(ledger, verify)
        self._on_distrust = on_distrust
        self._said_impossible: dict[int, set[str]] = {}
        self._may_confirm: dict[str, bool] = {}  # False: the ledger had nothing for it, and nothing came since
        self._check_at = -math.inf

    @property
    def leases(self) -> Mapping[int, Lease]:
        """All leases by the numbers of their jobs."""
        return self._book.leases

    @property
    def tally(self) -> Tally:
        """What has happened so far."""
        return self._book.tally

    # --- what happens ---------------------------------------------------------------------------------------

    def connected(self) -> None:
        """The broker is there (again): give everybody time to be heard, and ask again what is not answered."""
        now = self._around.clock()
        self.online = True
        for lease in self.leases.values():
            lease.heard = now
            if lease.deadline is not None:
                lease.deadline = max(lease.deadline, now)
            if lease.stage is Stage.ASKED and lease.worker in self.roster.workers:
                lease.ask_again_at(now + self._around.draw(0.0, self.policy.first_wait_s))
        for worker in self.roster.workers.values():
            worker.gone_since = now  # until its presence comes in again

    def disconnected(self) -> None:
        """The broker is gone: nobody is silent by his own fault until `connected`."""
        self.online = False

    def presence(self, name: str, presence: Presence | None) -> None:
        """A worker shows itself; None: the broker says that it is gone."""
        now = self._around.clock()
        known = self.roster.workers.get(name)
        if presence is None:
            if known is not None and known.gone_since is None:
                known.gone_since = now
                self._around.tell("worker_gone", {"worker": name})
            return
        if known is None or known.presence.incarnation != presence.incarnation:
            for lease in self._book.of(name):
                if lease.incarnation != presence.incarnation:
                    self._book.lose(lease, f"{name} was restarted", lease.blame_if_lost)
            self._around.tell("worker_found", {"worker": name, "threads": presence.threads, "state": presence.state})
        leases = self._book.of(name) if known is None else []
        known = self.roster.take_up(name, presence, now)
        if known is None:
            return
        if known.presence.incarnation != presence.incarnation:
            known.shunned_until = known.wait = 0.0
        known.presence = presence
        known.gone_since, known.seen = None, now
        for lease in leases:
            known.leases.add(lease.seq)
            lease.ask_at = min(lease.ask_at, now)

    def heard(self, name: str, messages: Iterable[ToDispatcher | Malformed]) -> None:
        """Messages from a worker; from one that is not believed, none."""
        if name in self.ledger.opinions.distrusted:
            return
        known = self.roster.workers.get(name)
        if known is not None:
            known.seen = self._around.clock()
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
                    if lease := self._book.find(name, message.job, message.attempt):
                        self.tally.returned += 1
                        self._book.lose(lease, f"{name} handed it back: {message.reason}", Blame.NONE)
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
        now = self._around.clock()
        if not self.online:
            return False
        self._book.wake(now)
        if now >= self._check_at:
            self._check_at = now + CHECK_EVERY_S
            self._check_workers(now)
            for lease in list(self.leases.values()):
                self._check(lease, now)
        return self._assign(now)

    def withdraw(self) -> None:
        """Take all jobs back from their workers, for an orderly end."""
        for lease in list(self.leases.values()):
            self._book.send(lease.worker, Cancel(job=self._book.job_id(lease.seq)))
            self._book.end(lease)
            self.ledger.release(lease.seq, lease.attempt, "withdrawn", Blame.NONE, rest=False)
        self.online = False

    def take_outgoing(self) -> dict[str, list[ToWorker]]:
        """Messages to send by worker, once."""
        outgoing, self._book.outgoing = self._book.outgoing, {}
        return outgoing

    def capable(self, need: Need) -> bool:
        """Whether a worker is there that does such jobs."""
        return bool(self.roster.capable(need, self._around.clock()))

    def lacking(self, need: Need) -> dict[str, str]:
        """Why each worker that is there cannot do such jobs."""
        there = [worker for worker in self.roster.workers.values() if worker.gone_since is None]
        return {worker.name: need.missing_in(worker.presence) or "is leaving" for worker in there}

    def without_worker(self) -> list[Need]:
        """Needs with jobs that wait although no worker that is there could do them."""
        now = self._around.clock()
        return [
            need for need in self.ledger.needs() if self.ledger.waiting(need) and not self.roster.capable(need, now)
        ]

    # --- messages -------------------------------------------------------------------------------------------

    def _on_sign_of_life(self, name: str, message: Accepted | Started | Progress) -> None:
        lease = self._book.find(name, message.job, message.attempt)
        if lease is None:
            return
        now = self._around.clock()
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
        seq = self._book.seq_of(message.job)
        lease = self.leases.get(seq)
        expected = lease is not None and (lease.worker, lease.attempt) == (name, message.attempt)
        if not expected and not self.ledger.ever_held(seq, message.attempt, name):
            self.tally.foreign += 1
            self._around.tell("foreign_result", {"worker": name, "job": message.job})
            return
        job = self.ledger.job(seq)
        work = decode_work(job.work)
        try:
            decoded = decode_result(message.result)
            if kind_of(decoded) != job.need.kind:
                raise PayloadError(f"a {kind_of(decoded)} result for a {job.need.kind} job")
            if objection := self._check_result(work, decoded):
                raise PayloadError(objection)
        except PayloadError as error:
            reason = f"{name} sent a result that cannot be right: {error.reason}"
            self._around.tell("wrong_result", {"worker": name, "job": message.job, "reason": error.reason})
            if lease is not None and expected:
                self._book.lose(lease, reason, Blame.HALF)
            self._on_bad_answer(name, reason)
            return
        opinion = Opinion(name, message.attempt, message.seconds, message.nodes, bytes(message.result))
        opinions = self.ledger.opinions.of(seq)
        if self.ledger.is_answered(seq) or name in (other.worker for other in opinions):
            self.tally.duplicates += 1
            return
        if lease is not None and expected:
            self._book.end(lease)
        self._trust(name)
        if not opinions and not self._verification.wants(seq, work, job.need.threads):
            self._finish(job, opinion)
            return
        agreeing = [other for other in opinions if same_result(decode_result(other.body), decoded)]
        self.ledger.opinions.add(seq, opinion)
        if agreeing:
            self._finish(job, agreeing[0])
            self.ledger.opinions.settle(seq, [name, *(other.worker for other in agreeing)])
            for other in opinions:
                if other not in agreeing:
                    told = f"{agreeing[0].worker} and {name} have another result for {message.job}"
                    self._distrust(other.worker, told)
        elif len(opinions) + 1 >= MOST_OPINIONS:
            everybody = ", ".join(other.worker for other in [*opinions, opinion])
            self._give_up_unsettled(job, opinion, f"{len(opinions) + 1} workers, as many results: {everybody}")
        else:
            if seq not in self.leases:
                self.ledger.await_confirmation(seq)
            self._may_confirm = {other: True for other in self._may_confirm if other != name}

    def _finish(self, job: StoredJob, found: Opinion) -> None:
        """An answer is believed: the job is done, whoever still has it."""
        seq = job.seq
        if (lease := self.leases.get(seq)) is not None:
            self._book.send(lease.worker, Cancel(job=self._book.job_id(seq)))
            self._book.end(lease)
        self.ledger.finish(seq, found.attempt, found.worker, found.seconds, found.nodes, found.body)
        self.tally.finished += 1
        self.tally.nodes += found.nodes
        self.tally.worker_seconds += found.seconds
        self.roster.learn_duration(job.need, found.seconds)
        for name in self._said_impossible.pop(seq, set()) - {found.worker}:
            self._on_bad_answer(name, f"{name} said that {self._book.job_id(seq)} is impossible, {found.worker} did it")
        self._around.on_answer(
            Completion(seq, job.need, found.worker, found.attempt, found.seconds, found.nodes, found.body)
        )

    def _give_up_unsettled(self, job: StoredJob, last: Opinion, reason: str) -> None:
        """No two workers agree."""
        if (lease := self.leases.get(job.seq)) is not None:
            self._book.send(lease.worker, Cancel(job=self._book.job_id(job.seq)))
            self._book.end(lease)
        if self.ledger.fail(job.seq, last.attempt, None, reason):
            self.tally.failed += 1
            self._around.on_answer(Completion(job.seq, job.need, None, last.attempt, reason=reason))

    def _on_bad_answer(self, name: str, reason: str) -> None:
        """Count an answer that cannot be right; who gives many is not believed any more."""
        self.tally.unreadable += 1
        bad = self.ledger.opinions.count_bad(name)
        if bad >= self.policy.bad_answers:
            self._distrust(name, f"{bad} answers that cannot be right, the last: {reason}")

    def _distrust(self, name: str, reason: str) -> None:
        """A worker gets no more work, and what rests on its word alone is done again."""
        if name in self.ledger.opinions.distrusted:
            return
        self.ledger.opinions.distrust(name, reason[:LONGEST_REASON])
        self._around.tell("worker_distrusted", {"worker": name, "reason": reason})
        for lease in self._book.of(name):
            self._book.send(name, Cancel(job=self._book.job_id(lease.seq)))
            self._book.lose(lease, f"{name} is not believed any more", Blame.NONE)
        self._on_distrust(name)
        self._may_confirm.clear()

    def _on_failed(self, name: str, message: Failed) -> None:
        lease = self._book.find(name, message.job, message.attempt)
        if lease is None:
            return
        if message.final and self._is_confirmed_failure(lease):
            self._book.end(lease)
            self._book.give_up(lease, message.reason)
        else:
            if message.final:
                self._said_impossible.setdefault(lease.seq, set()).add(name)
            self._book.lose(lease, f"{name}: {message.reason}", Blame.FULL, patient=not message.final)

    def _is_confirmed_failure(self, lease: Lease) -> bool:
        """Whether a job that a worker says is impossible is given up: no other is there that has not failed at it."""
        others = {worker.name for worker in self.roster.capable(lease.need, self._around.clock())} - {lease.worker}
        return not others - self._struck(self.ledger.job(lease.seq)) - self.ledger.opinions.distrusted

    def _on_refused(self, name: str, message: Refused) -> None:
        lease = self._book.find(name, message.job, message.attempt)
        if lease is None:
            return
        self.tally.refused += 1
        if message.why == "busy":
            self._shun(name, message.reason)
        blame = Blame.FULL if message.why == "unable" else Blame.NONE
        self._book.lose(lease, f"{name} refused it: {message.reason}", blame, patient=False)

    def _on_holding(self, name: str, message: Holding) -> None:
        now = self._around.clock()
        held = {(entry.job, entry.attempt): entry.running for entry in message.jobs}
        for lease in self._book.of(name):
            running = held.get((self._book.job_id(lease.seq), lease.attempt))
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
        self._around.tell("unreadable_message", {"worker": name, "job": message.job, "reason": message.reason})
        lease = None if message.job is None else self._book.find(name, message.job, message.attempt)
        if lease is None:
            self.tally.unreadable += 1
            return
        reason = f"{name} sent a message that cannot be read: {message.reason}"
        self._book.lose(lease, reason, Blame.HALF)
        self._on_bad_answer(name, reason)

    # --- leases ---------------------------------------------------------------------------------------------

    def _check_workers(self, now: float) -> None:
        for worker in list(self.roster.workers.values()):
            if worker.gone_since is None or now < worker.gone_since + self.policy.absence_s:
                continue
            for seq in list(worker.leases):
                lease = self.leases[seq]
                self._book.lose(lease, f"{worker.name} vanished", lease.blame_if_lost)
            del self.roster.workers[worker.name]

    def _check(self, lease: Lease, now: float) -> None:
        worker = self.roster.workers.get(lease.worker)
        if worker is None:
            if now > lease.heard + self.policy.absence_s:
                self._book.lose(lease, f"{lease.worker} did not come back", Blame.NONE)
            return
        silence = self.policy.beats * worker.presence.heartbeat_s
        if lease.stage is Stage.ASKED:
            if worker.silent(now, self.policy.beats):
                self._book.lose(lease, f"{lease.worker} fell silent", Blame.NONE)
            elif worker.gone_since is None and now >= lease.ask_at:
                self._ask(lease, worker)
            return
        if now > lease.heard + silence:
            reason = f"{lease.worker} fell silent for {silence:.0f} s"
            self._book.lose(lease, reason, lease.blame_if_lost)
        elif lease.deadline is not None and now > lease.deadline + self.policy.grace_s:
            self._book.send(lease.worker, Cancel(job=self._book.job_id(lease.seq)))
            self._book.lose(lease, f"{lease.worker} did not end it within {lease.lease_s:.0f} s", Blame.FULL)

    def _ask(self, lease: Lease, worker: KnownWorker) -> None:
        """Ask for a job again, unless that has been done often enough."""
        if lease.asked < self.policy.asks:
            self._book.ask(lease)
            return
        reason = f"{lease.worker} did not answer {lease.asked} assignments"
        worker.seen = -math.inf  # nothing more for it until it is heard
        self._shun(lease.worker, reason)
        self._book.lose(lease, reason, Blame.FULL)

    # --- giving out ------------------------------------------------------------------------------------------

    def _assign(self, now: float) -> bool:
        given = 0
        for need in self.ledger.needs():
            choice = Choice(self.roster, need, now, self.ledger.opinions.distrusted)
            if not choice.room:
                continue
            given += self._give_to_confirm(need, choice)
            for job in self.ledger.ready(need, min(choice.room, MOST_AT_ONCE)):
                worker = choice.take(self._struck(job))
                if worker is not None:
                    self._book.give(job, worker)
                    choice.put_back(worker)
                    given += 1
        return given >= MOST_AT_ONCE

    def _give_to_confirm(self, need: Need, choice: Choice) -> int:
        """Give out jobs whose answers another worker is to confirm."""
        given = 0
        for name, room in choice.rooms():
            if not self._may_confirm.setdefault(name, True):
                continue
            jobs = self.ledger.unconfirmed(need, name, min(room, MOST_AT_ONCE))
            for job in jobs:
                self._book.give(job, choice.take_named(name))
                given += 1
            if len(jobs) < room and len(self.ledger.needs()) == 1:
                self._may_confirm[name] = False
        return given

    def _struck(self, job: StoredJob) -> set[str]:
        """Workers that have failed at a job."""
        return {entry.worker for entry in self.ledger.tries(job.seq) if entry.blame} if job.strikes else set()

    def _shun(self, name: str, reason: str) -> None:
        worker = self.roster.workers.get(name)
        now = self._around.clock()
        if worker is not None and now >= worker.shunned_until:
            worker.wait = self._book.backoff(worker.wait)
            worker.shunned_until = now + worker.wait
            self._around.tell("worker_shunned", {"worker": name, "seconds": round(worker.wait, 1), "reason": reason})

    def _trust(self, name: str) -> None:
        worker = self.roster.workers.get(name)
        if worker is not None:
            worker.wait = 0.0
