"""A broker's worth of MQTT inside one process: for ``fanqi submit --local``, and for tests."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fanqi.mqtt.link import Connected, Endpoint, Event, Incoming, Link, Outgoing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["Hub", "topic_matches"]


def topic_matches(pattern: str, topic: str) -> bool:
    """Whether an MQTT topic filter (with ``+`` and ``#``) matches a topic."""
    wanted, given = pattern.split("/"), topic.split("/")
    for index, level in enumerate(wanted):
        if level == "#":
            return True
        if index >= len(given) or level not in ("+", given[index]):
            return False
    return len(wanted) == len(given)


class HubLink:
    """One client of a `Hub`."""

    def __init__(self, hub: Hub, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._hub = hub
        self._events: list[Event] = []
        self._something = asyncio.Event()

    def publish(self, message: Outgoing) -> None:
        self._hub.deliver(message)

    async def receive(self, timeout: float | None = None) -> list[Event]:
        if not self._events and timeout != 0:
            try:
                await asyncio.wait_for(self._something.wait(), timeout)
            except TimeoutError:
                return []
        events, self._events = self._events, []
        self._something.clear()
        return events

    def nudge(self) -> None:
        self._something.set()

    async def flush(self, timeout: float) -> bool:
        return True

    def take(self, event: Event) -> None:
        self._events.append(event)
        self._something.set()


class Hub:
    """Delivers at once and in order, to every client whose filters match."""

    def __init__(self) -> None:
        self._links: list[HubLink] = []
        self._retained: dict[str, bytes] = {}

    @asynccontextmanager
    async def open(self, endpoint: Endpoint) -> AsyncIterator[Link]:
        """Connect a client; see `fanqi.mqtt.link.Network`."""
        link = HubLink(self, endpoint)
        self._links.append(link)
        link.take(Connected())
        for topic, payload in self._retained.items():
            if any(topic_matches(pattern, topic) for pattern in endpoint.subscriptions):
                link.take(Incoming(topic, payload))
        try:
            yield link
        finally:
            if link in self._links:
                self._links.remove(link)

    def vanish(self, client: str) -> None:
        """Cut a client off as a crash would: it hears nothing more, and its will is published."""
        for link in [link for link in self._links if link.endpoint.client == client]:
            self._links.remove(link)
            if link.endpoint.will is not None:
                self.deliver(Outgoing(link.endpoint.will, b"", retain=True))

    def deliver(self, message: Outgoing) -> None:
        if message.retain:
            if message.payload:
                self._retained[message.topic] = message.payload
            else:
                self._retained.pop(message.topic, None)
        for link in self._links:
            if any(topic_matches(pattern, message.topic) for pattern in link.endpoint.subscriptions):
                link.take(Incoming(message.topic, message.payload))
