"""A dispatcher on a network: carries messages between link and state machine, and commits before it sends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from fanqi.dispatch.pace import Pacer, Sparing
from fanqi.mqtt import Connected, Disconnected, Endpoint, Incoming, Link, Network, Outgoing, PayloadError, Topics
from fanqi.mqtt.codec import MAX_TO_WORKER, decode_presence, decode_to_dispatcher, encode_envelopes
from fanqi.mqtt.messages import Unsupported

if TYPE_CHECKING:
    from fanqi.dispatch.dispatcher import Dispatcher

__all__ = ["DispatchService", "Feed"]

TICK_S = 0.2
ROUND_S = 0.005  # at most one round in so long: what comes meanwhile is committed and answered together
LAST_WORDS_S = 3.0
COMPLAIN_EVERY_S = 60.0  # about payloads of one worker that cannot be read
MOST_COMPLAINTS = 1000

Feed = Callable[[], bool]


class DispatchService:
    """Runs a dispatcher until its work is done.

    Args:
        feed: called on every round to add jobs to the ledger; returns whether there are more to come.
        harvest: called on every round to take answers out of the ledger; told whether it is the last time.
        tell: called with the name and the facts of whatever a log should have.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        network: Network,
        topics: Topics,
        *,
        feed: Feed = lambda: False,
        harvest: Callable[[bool], None] = lambda last: None,
        tell: Callable[[str, dict[str, object]], None] = lambda event, facts: None,
    ) -> None:
        self.dispatcher = dispatcher
        self.online = False
        self.trouble: str | None = None
        self._network = network
        self._topics = topics
        self._feed = feed
        self._harvest = harvest
        self._tell = tell
        self._link: Link | None = None
        self._interrupted = False
        self._finished = False
        self._complaints = Sparing(COMPLAIN_EVERY_S, MOST_COMPLAINTS)

    def interrupt(self) -> None:
        """Take the jobs back from the workers and come to an end; the ledger knows where to go on."""
        self._interrupted = True
        self.wake()

    def wake(self) -> None:
        """There is something new to feed."""
        if self._link is not None:
            self._link.nudge()

    async def run(self, *, forever: bool = False) -> bool:
        """Distribute until every job is answered (or, if ``forever``, until interrupted); False when interrupted.

        Raises:
            LinkError: the broker will not have us.
        """
        ledger, name, topics = self.dispatcher.ledger, self.dispatcher.name, self._topics
        endpoint = Endpoint(
            client=f"fanqi-dispatcher-{name}",
            subscriptions=(topics.to_dispatcher(name, "+"), topics.presence("+")),
        )
        async with self._network.open(endpoint) as link:
            self._link = link
            more = True
            pacer = Pacer(ROUND_S)
            while not self._interrupted:
                events = await link.receive(0.0 if more else TICK_S)
                await pacer.wait()
                for event in [*events, *await link.receive(0.0)]:
                    self._on_event(link, event)
                feeding = self._feed()
                more = self.dispatcher.tick() or feeding
                self._send(link)
                counts = ledger.counts
                done = not forever and not feeding and counts.answered == counts.total
                self._harvest(done)
                if done:
                    break
            if self._interrupted:
                self.dispatcher.withdraw()
            self._send(link)
            if self.online:
                await link.flush(LAST_WORDS_S)
            self._harvest(True)
            ledger.commit()
            self._link = None
        return not self._interrupted

    def _on_event(self, link: Link, event: Connected | Disconnected | Incoming) -> None:
        match event:
            case Connected():
                self.online, self.trouble = True, None
                self._tell("connected", {})
                self.dispatcher.connected()
            case Disconnected():
                self.online, self.trouble = False, event.reason
                self._tell("disconnected", {"reason": event.reason, "retry_s": round(event.retry_s, 1)})
                self.dispatcher.disconnected()
            case Incoming():
                try:
                    self._on_incoming(event)
                except PayloadError as error:
                    self._on_unreadable(link, event.topic, error.reason)

    def _on_incoming(self, event: Incoming) -> None:
        worker = self._topics.read_presence(event.topic)
        if worker is not None:
            self.dispatcher.presence(worker, decode_presence(event.payload) if event.payload else None)
            return
        parties = self._topics.read_to_dispatcher(event.topic)
        if parties is not None and parties[0] == self.dispatcher.name:
            self.dispatcher.heard(parties[1], decode_to_dispatcher(event.payload).messages)

    def _on_unreadable(self, link: Link, topic: str, reason: str) -> None:
        """Say it now and then, or two sides that do not understand each other would never stop."""
        parties = self._topics.read_to_dispatcher(topic)
        worker = parties[1] if parties is not None else self._topics.read_presence(topic)
        if worker is None or not self._complaints.may_tell(worker, time.monotonic()):
            return
        self._tell("unreadable_payload", {"worker": worker, "reason": reason})
        answer = encode_envelopes([Unsupported(reason=reason[:1000])], unix_ms(), MAX_TO_WORKER)
        link.publish(Outgoing(self._topics.to_worker(worker, self.dispatcher.name), answer[0]))

    def _send(self, link: Link) -> None:
        self.dispatcher.ledger.commit()
        sent = unix_ms()
        for worker, messages in self.dispatcher.take_outgoing().items():
            topic = self._topics.to_worker(worker, self.dispatcher.name)
            for payload in encode_envelopes(messages, sent, MAX_TO_WORKER):
                link.publish(Outgoing(topic, payload))


def unix_ms() -> int:
    return time.time_ns() // 1_000_000
