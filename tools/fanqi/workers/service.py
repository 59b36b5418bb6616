"""A worker on a network: carries messages between link, state machine and processes, and keeps working hours."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from fanqi.dispatch.pace import Pacer, Sparing
from fanqi.game import quoted
from fanqi.mqtt import (
    Connected,
    Disconnected,
    Endpoint,
    Incoming,
    Link,
    Network,
    Outgoing,
    PayloadError,
    Topics,
)
from fanqi.mqtt.codec import MAX_TO_DISPATCHER, decode_presence, decode_to_worker, encode, encode_envelopes
from fanqi.mqtt.messages import Progress
from fanqi.workers.errors import WorkerError
from fanqi.workers.hours import ALWAYS, Hours
from fanqi.workers.tasks import Broke, Done, Run, Stop, Update

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.workers.worker import Worker

__all__ = ["Runner", "WorkerService"]

TICK_S = 0.2
ROUND_S = 0.004  # at most one round in so long: what comes meanwhile travels together
COMPLAIN_EVERY_S = 60.0  # about payloads of one dispatcher that cannot be read
MOST_COMPLAINTS = 1000
LAST_WORDS_S = 5.0  # for results and returned jobs to reach the broker at the end


class Runner(Protocol):
    """What runs jobs, such as a `fanqi.workers.pool.Pool`."""

    on_update: Callable[[str, Update], None]
    on_end: Callable[[str, Done | Broke], None]

    def run(self, order: Run) -> None:
        """Begin a job."""

    def stop(self, job: str) -> None:
        """End a job."""


def ignore(event: str, facts: dict[str, object]) -> None:
    pass


def local_time() -> datetime:
    return datetime.now().astimezone()


class WorkerService:
    """One worker, from connecting to the last word.

    Args:
        name: its name among all workers.
        hours: when it takes jobs.
        tell: called with the name and the facts of whatever a log should have.
    """

    def __init__(
        self,
        name: str,
        worker: Worker,
        runner: Runner,
        network: Network,
        topics: Topics,
        *,
        hours: Hours = ALWAYS,
        now: Callable[[], datetime] = local_time,
        tell: Callable[[str, dict[str, object]], None] = ignore,
    ) -> None:
        self.name = name
        self.worker = worker
        self._runner = runner
        self._network = network
        self._topics = topics
        self._hours = hours
        self._now = now
        self._tell = tell
        self._link: Link | None = None
        self._pacer = Pacer(ROUND_S)
        self._hours_at = 0.0
        self._complaints = Sparing(COMPLAIN_EVERY_S, MOST_COMPLAINTS)
        self.online = False
        runner.on_update = self._on_update
        runner.on_end = self._on_end

    def interrupt(self, *, now: bool) -> None:
        """Come to an end: finish what runs, or (``now``) hand it back."""
        self.worker.leave(now=now)
        self._wake()

    async def run(self) -> None:
        """Work until told to stop.

        Raises:
            LinkError: the broker will not have us.
            WorkerError: another worker of this name has started.
        """
        topics, name = self._topics, self.name
        endpoint = Endpoint(
            client=f"fanqi-worker-{name}-{self.worker.incarnation}",
            subscriptions=(topics.to_worker(name, "+"), topics.presence(name)),
            will=topics.presence(name),
        )
        async with self._network.open(endpoint) as link:
            self._link = link
            while not self.worker.finished:
                events = await link.receive(TICK_S)
                await self._pacer.wait()
                for event in [*events, *await link.receive(0.0)]:
                    match event:
                        case Connected():
                            self.online = True
                            self._tell("connected", {})
                            self.worker.connected()
                        case Disconnected():
                            self.online = False
                            self._tell("disconnected", {"reason": event.reason, "retry_s": round(event.retry_s, 1)})
                        case Incoming():
                            self._on_incoming(event)
                self._keep_hours()
                self._step()
                self._send(link)
            self._step()
            self._send(link)
            link.publish(Outgoing(topics.presence(name), b"", retain=True))
            if self.online:
                await link.flush(LAST_WORDS_S)
            self._link = None

    def _on_incoming(self, event: Incoming) -> None:
        parties = self._topics.read_to_worker(event.topic)
        if parties is None:
            self._on_own_presence(event.payload)
            return
        try:
            envelope = decode_to_worker(event.payload)
        except PayloadError as error:
            self._on_unreadable(parties[1], error.reason)
            return
        self.worker.heard(parties[1], envelope.sent, envelope.messages)

    def _on_unreadable(self, dispatcher: str, reason: str) -> None:
        """Answer now and then, or two sides that do not understand each other would never stop."""
        if not self._complaints.may_tell(dispatcher, time.monotonic()):
            return
        self._tell("unreadable_payload", {"dispatcher": dispatcher, "reason": reason})
        self.worker.refuse_payload(dispatcher, reason)

    def _on_own_presence(self, payload: bytes) -> None:
        if not payload:
            if self.online and not self.worker.finished:
                self.worker.connected()  # somebody says that we are gone: show ourselves again
            return
        try:
            other = decode_presence(payload)
        except PayloadError:
            return
        ours = self.worker.presence()
        if other.incarnation != ours.incarnation and (other.started, other.incarnation) > (
            ours.started,
            ours.incarnation,
        ):
            raise WorkerError(f"another worker called {quoted(self.name)} has started; give one of them another --name")

    def _keep_hours(self) -> None:
        monotonic = time.monotonic()
        if monotonic < self._hours_at:
            return
        self._hours_at = monotonic + 5.0
        moment = self._now()
        if self._hours.open_at(moment):
            self.worker.open()
        else:
            change = self._hours.next_change(moment)
            self.worker.close(f"off until {change:%a %H:%M}" if change else "off")

    def _on_update(self, job: str, update: Update) -> None:
        self.worker.updated(job, update)
        self._wake()

    def _on_end(self, job: str, end: Done | Broke) -> None:
        facts: dict[str, object] = {"job": job}
        if isinstance(end, Broke):
            facts["reason"] = end.reason
        self._tell("job_ended" if isinstance(end, Done) else "job_broke", facts)
        self.worker.ended(job, end)
        self._step()  # the next job need not wait for the next round
        self._wake()

    def _wake(self) -> None:
        if self._link is not None:
            self._link.nudge()

    def _step(self) -> None:
        self.worker.tick()
        for order in self.worker.take_orders():
            match order:
                case Run():
                    self._tell("job_begins", {"job": order.job, "threads": order.threads})
                    self._runner.run(order)
                case Stop():
                    self._tell("job_stopped", {"job": order.job})
                    self._runner.stop(order.job)

    def _send(self, link: Link) -> None:
        sent = time.time_ns() // 1_000_000
        for dispatcher, messages in self.worker.take_outgoing().items():
            if not self.online:  # news a second old would pile up for as long as the broker is away
                messages = [message for message in messages if not isinstance(message, Progress)]
            topic = self._topics.to_dispatcher(dispatcher, self.name)
            for payload in encode_envelopes(messages, sent, MAX_TO_DISPATCHER):
                link.publish(Outgoing(topic, payload))
        if self.worker.presence_due():
            link.publish(Outgoing(self._topics.presence(self.name), encode(self.worker.presence()), retain=True))
