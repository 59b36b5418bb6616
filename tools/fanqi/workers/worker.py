"""The worker as a pure state machine: messages, news of running jobs and time in, messages and orders out.

It holds jobs of several dispatchers, takes them in turn, runs as many as threads and memory allow, and remembers the
results it has given: an assignment that is repeated because its answer was lost is answered again, not run again. It
knows no broker and no processes.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Literal, assert_never

import msgspec

from fanqi.about import VERSION
from fanqi.mqtt import PayloadError, new_name
from fanqi.mqtt.codec import MAX_TO_DISPATCHER, SCHEMA_VERSION, Malformed, decode_work
from fanqi.mqtt.messages import (
    Accepted,
    Assign,
    Cancel,
    Failed,
    Finished,
    Held,
    Holding,
    Presence,
    Refused,
    Returned,
    Started,
    ToDispatcher,
    ToWorker,
    Unsupported,
)
from fanqi.workers.admission import Allowance, Offer, objection
from fanqi.workers.shelf import LAST_BEATS, Shelf
from fanqi.workers.tasks import Broke, Done, Order, RecentAnswers, Run, Stop, Task, Update

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fanqi.workers.shelf import Peer

__all__ = ["Worker"]

MOST_BYTES = 64 * 1024 * 1024  # of work held, over all dispatchers
MOST_RESULT_BYTES = MAX_TO_DISPATCHER - 4096
PROGRESS_EVERY_S = 1.0
PRESENCE_EVERY_S = 0.5


class Worker:
    """Takes jobs, has them run, answers.

    Call `heard`, `updated`, `ended` as things happen and `tick` often; then carry out `take_orders`, send
    `take_outgoing`, and publish `presence` when `presence_due` says so.

    Args:
        offer: what it does.
        allowance: what a job may ask for.
        heartbeat_s: how often dispatchers hear what it holds.
        max_jobs: after so many it takes no more and, when idle, is `finished`; None for no end.
        clock: monotonic seconds.
        wall_ms: Unix time in milliseconds.
        on_done: called with the seconds that a finished job ran.
    """

    def __init__(
        self,
        offer: Offer,
        allowance: Allowance | None = None,
        *,
        heartbeat_s: float = 5.0,
        max_jobs: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        incarnation: str | None = None,
        on_done: Callable[[float], object] = lambda seconds: None,
    ) -> None:
        self.offer = offer
        self.allowance = allowance or Allowance()
        self.heartbeat_s = heartbeat_s
        self.incarnation = incarnation or new_name()
        self.running: dict[str, Task] = {}
        self.begun = self.done = self.broke = self.refused = self.nodes = 0
        self.seconds = 0.0
        self._max_jobs = max_jobs
        self._on_done = on_done
        self._clock = clock
        self._wall_ms = wall_ms
        self._started_ms = wall_ms()
        self._shelf = Shelf()
        self._answers = RecentAnswers()
        self._orders: list[Order] = []
        self._outgoing: dict[str, list[ToDispatcher]] = {}
        self._beat_at = clock() + heartbeat_s
        self._closed: str | None = None
        self._leaving = False
        self._changed = self._urgent = True
        self._shown_at = 0.0

    # -- what the owner says -----------------------------------------------------------------------------------------

    def close(self, note: str) -> None:
        """Take no more jobs for now; those that wait are handed back, those that run are finished."""
        if self._closed != note:
            self._closed, self._urgent = note, True
            self._return_waiting(note)

    def open(self) -> None:
        """Take jobs (again)."""
        if self._closed is not None:
            self._closed, self._urgent = None, True

    def leave(self, *, now: bool) -> None:
        """Take no more jobs at all; hand back what waits and, if ``now``, also what runs."""
        self._leaving = self._urgent = True
        self._return_waiting("the worker stops")
        if now:
            for task in list(self.running.values()):
                self._orders.append(Stop(task.job))
                self._forget_running(task)
                self._say(task, Returned(job=task.job, attempt=task.attempt, reason="the worker stops"))

    def connected(self) -> None:
        """The broker is there (again), and may have forgotten us."""
        self._urgent = True

    @property
    def finished(self) -> bool:
        """Whether it has left and nothing runs any more."""
        return self._leaving and not self.running

    @property
    def waiting(self) -> int:
        """How many jobs are held that do not run yet."""
        return self._shelf.waiting

    @property
    def free_threads(self) -> int:
        return self.offer.threads - sum(task.assign.threads for task in self.running.values())

    # -- what dispatchers say ----------------------------------------------------------------------------------------

    def heard(self, dispatcher: str, sent: int, messages: Iterable[ToWorker | Malformed]) -> None:
        """Messages from a dispatcher, and when it sent them by its own clock."""
        peer = self._shelf.meet(dispatcher)
        if peer is None:
            return
        peer.drift.learn(sent, self._wall_ms())
        for message in messages:
            match message:
                case Assign():
                    self._on_assign(dispatcher, peer, message)
                case Cancel():
                    self._on_cancel(dispatcher, peer, message.job)
                case Malformed():
                    self._on_malformed(dispatcher, message)
                case Unsupported():
                    pass  # it does not understand us; it will shun us, and that is all there is to do
                case _:
                    assert_never(message)

    def refuse_payload(self, dispatcher: str, reason: str) -> None:
        """A payload from a dispatcher could not be read at all."""
        self._tell(dispatcher, Unsupported(reason=reason[:1000]))

    def _on_assign(self, dispatcher: str, peer: Peer, assign: Assign) -> None:
        job, attempt = assign.job, assign.attempt
        known = self.running.get(job) or peer.queue.get(job)
        if known is not None and known.dispatcher == dispatcher:
            if attempt > known.assign.attempt:
                known.assign = msgspec.structs.replace(known.assign, attempt=attempt, lease_s=assign.lease_s)
            self._say(known, Accepted(job=job, attempt=attempt))
            if known.since is not None:
                self._say(known, Started(job=job, attempt=attempt))
            return
        answered = self._answers.get(dispatcher, job)
        if answered is not None:
            self._tell(dispatcher, msgspec.structs.replace(answered, attempt=attempt))
            return
        try:
            work = decode_work(assign.work)
        except PayloadError as error:
            self._refuse_for_good(dispatcher, job, attempt, f"its work cannot be read: {error.reason}")
            return
        late = self._wall_ms() - peer.drift.ours(assign.expires)
        if reason := self._no_room(peer, late):
            self.refused += 1
            self._tell(dispatcher, Refused(job=job, attempt=attempt, why="busy", reason=reason))
            return
        if reason := objection(assign, work, self.offer, self.allowance):
            self.refused += 1
            self._tell(dispatcher, Refused(job=job, attempt=attempt, why="unable", reason=reason))
            return
        task = Task(dispatcher, msgspec.structs.replace(assign, work=msgspec.Raw(b"")), work, len(assign.work))
        self._shelf.put(task)
        self._say(task, Accepted(job=job, attempt=attempt))

    def _no_room(self, peer: Peer, late_ms: int) -> str | None:
        """Why no job at all is taken now; ``late_ms`` is by how much this one is over its expiry."""
        if self._leaving:
            return "the worker stops"
        if self._closed is not None:
            return self._closed
        if late_ms > 0:
            return f"it arrived {late_ms / 1000:.1f} s after its expiry"
        if len(peer.queue) + peer.running >= self.offer.credit:
            return f"{self.offer.credit} jobs of this dispatcher are held already"
        if self._shelf.held_bytes > MOST_BYTES:
            return f"{MOST_BYTES} bytes of jobs are held already"
        return None

    def _on_malformed(self, dispatcher: str, message: Malformed) -> None:
        reason = f"the message cannot be read: {message.reason}"
        if message.job is None:
            self.refuse_payload(dispatcher, reason)
        else:
            self._refuse_for_good(dispatcher, message.job, max(1, message.attempt), reason)

    def _refuse_for_good(self, dispatcher: str, job: str, attempt: int, reason: str) -> None:
        self.refused += 1
        self._tell(dispatcher, Failed(job=job, attempt=attempt, reason=reason[:1000], final=True))

    def _on_cancel(self, dispatcher: str, peer: Peer, job: str) -> None:
        task = self.running.get(job)
        if task is not None and task.dispatcher == dispatcher:
            self._orders.append(Stop(job))
            self._forget_running(task)
        else:
            self._shelf.drop(peer, job)

    # -- what running jobs say ---------------------------------------------------------------------------------------

    def updated(self, job: str, update: Update) -> None:
        """A running job has got further."""
        task = self.running.get(job)
        if task is None:
            return
        task.update = update
        now = self._clock()
        if now >= task.told_at + PROGRESS_EVERY_S:
            task.told_at = now
            self._say(task, task.progress())

    def ended(self, job: str, end: Done | Broke) -> None:
        """A running job is over."""
        task = self.running.get(job)
        if task is None or task.since is None:
            return
        seconds = self._clock() - task.since
        self._forget_running(task)
        attempt = task.attempt
        self.seconds += seconds
        if isinstance(end, Done) and len(end.result) > MOST_RESULT_BYTES:
            end = Broke(f"a result of {len(end.result):,} bytes, {MOST_RESULT_BYTES:,} can be sent", final=True)
        if isinstance(end, Broke):
            self.broke += 1
            self._say(task, Failed(job=job, attempt=attempt, reason=end.reason[:1000], final=end.final))
            return
        self.done += 1
        self.nodes += end.nodes
        self._on_done(seconds)
        answer = Finished(job=job, attempt=attempt, seconds=seconds, nodes=end.nodes, result=msgspec.Raw(end.result))
        self._answers.add(task.dispatcher, answer)
        self._say(task, answer)

    def _forget_running(self, task: Task) -> None:
        del self.running[task.job]
        self._shelf.done(task)
        self._changed = True

    # -- time --------------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Begin what can begin, end what has run too long, say what is held."""
        now = self._clock()
        for task in list(self.running.values()):
            if task.since is not None and now > task.since + task.assign.lease_s:
                self._orders.append(Stop(task.job))
                self.ended(task.job, Broke(f"not done within its {task.assign.lease_s:.0f} s"))
        self._begin(now)
        if now >= self._beat_at:
            self._beat_at = now + self.heartbeat_s
            self._changed = True
            self._beat()

    def _begin(self, now: float) -> None:
        """Start what can be started."""
        memory = self.offer.hash_mib - sum(task.assign.hash_mib for task in self.running.values())
        while not self._leaving and (task := self._shelf.take(self.free_threads, memory)) is not None:
            memory -= task.assign.hash_mib
            task.since = task.told_at = now
            self.running[task.job] = task
            self.begun += 1
            self._changed = True
            self._orders.append(Run(task.job, task.work, task.assign.threads, task.assign.hash_mib))
            self._say(task, Started(job=task.job, attempt=task.attempt))
            if self._max_jobs is not None and self.begun >= self._max_jobs:
                self.leave(now=False)

    def _beat(self) -> None:
        for dispatcher, peer in self._shelf.peers():
            held = [Held(job=job, attempt=task.attempt) for job, task in peer.queue.items()]
            held += [
                Held(job=job, attempt=task.attempt, running=True)
                for job, task in self.running.items()
                if task.dispatcher == dispatcher
            ]
            if held:
                peer.beats = LAST_BEATS
            if peer.beats:
                peer.beats -= 1
                self._tell(dispatcher, Holding(jobs=tuple(held)))

    # -- what goes out -----------------------------------------------------------------------------------------------

    def take_orders(self) -> list[Order]:
        """What is to be begun and stopped, once."""
        orders, self._orders = self._orders, []
        return orders

    def take_outgoing(self) -> dict[str, list[ToDispatcher]]:
        """Messages to send by dispatcher, once."""
        outgoing, self._outgoing = self._outgoing, {}
        return outgoing

    def presence_due(self) -> bool:
        """Whether others should see a new `presence`, changes of no consequence only now and then; True once."""
        now = self._clock()
        if not self._urgent and not (self._changed and now >= self._shown_at + PRESENCE_EVERY_S):
            return False
        self._urgent = self._changed = False
        self._shown_at = now
        return True

    def presence(self) -> Presence:
        """What this worker offers and does right now."""
        now = self._clock()
        running = tuple(task.busy(now) for task in islice(self.running.values(), 1024))
        return Presence(
            v=SCHEMA_VERSION,
            sent=self._wall_ms(),
            incarnation=self.incarnation,
            state=self._state(),
            software=f"fanqi {VERSION}",
            kinds=self.offer.kinds,
            games=self.offer.games,
            engines=tuple(name for name, _ in self.offer.engines),
            threads=self.offer.threads,
            free_threads=max(0, self.free_threads),
            hash_mib=self.offer.hash_mib,
            credit=self.offer.credit,
            heartbeat_s=self.heartbeat_s,
            started=self._started_ms,
            finished=self.done,
            failed=self.broke,
            nps=sum(task.update.nps for task in self.running.values()),
            running=running,
            note=(self._closed or "")[:200],
        )

    def _state(self) -> Literal["ready", "closed", "leaving"]:
        if self._leaving:
            return "leaving"
        return "ready" if self._closed is None else "closed"

    def _return_waiting(self, reason: str) -> None:
        for task in self._shelf.clear():
            self._say(task, Returned(job=task.job, attempt=task.attempt, reason=reason))

    def _say(self, task: Task, message: ToDispatcher) -> None:
        self._tell(task.dispatcher, message)

    def _tell(self, dispatcher: str, message: ToDispatcher) -> None:
        self._outgoing.setdefault(dispatcher, []).append(message)
