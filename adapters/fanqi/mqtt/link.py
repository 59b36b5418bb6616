"""The face of a connection to a broker that outlives the broker: what dispatchers and workers see of MQTT.

All that is asked of a broker is QoS 1, retained messages and a last will. A link may lose, repeat and delay
messages, most of all around a reconnection; whoever uses it is prepared for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

__all__ = ["Connected", "Disconnected", "Endpoint", "Event", "Incoming", "Link", "Network", "Outgoing"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Who we are to the broker.

    Attributes:
        client: unique client id.
        subscriptions: topic filters, QoS 1.
        will: topic on which the broker publishes an empty retained payload when we vanish, or None.
        keepalive_s: after one and a half of this without a sign of life the broker takes us for gone.
    """

    client: str
    subscriptions: tuple[str, ...]
    will: str | None = None
    keepalive_s: int = 20


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to publish.

    Attributes:
        sure: QoS 1, kept over reconnections until the broker acknowledges it. Otherwise QoS 0, dropped while
            there is no connection.
        retain: the broker keeps it for later subscribers; a later message on the topic replaces it, also in
            our queue.
    """

    topic: str
    payload: bytes
    sure: bool = True
    retain: bool = False


@dataclass(frozen=True, slots=True)
class Connected:
    """Subscriptions are in place; retained messages follow."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is lost, or could not be made; the next try comes in ``retry_s``."""

    reason: str
    retry_s: float


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message from the broker."""

    topic: str
    payload: bytes


Event = Connected | Disconnected | Incoming


class Link(Protocol):
    """One connection, kept up."""

    def publish(self, message: Outgoing) -> None:
        """Queue a message; returns at once."""

    async def receive(self, timeout: float | None = None) -> list[Event]:
        """All events since the last call, in order; waits for the first one, a nudge, or ``timeout`` seconds.

        Raises:
            LinkError: the broker will not have us, and trying again would not help.
        """

    def nudge(self) -> None:
        """Have `receive` return, with what there is."""

    async def flush(self, timeout: float) -> bool:
        """Wait until every sure message has been acknowledged; False when ``timeout`` seconds were not
        enough.
        """


class Network(Protocol):
    """Where links come from: a broker, or the inside of this process."""

    def open(self, endpoint: Endpoint) -> AbstractAsyncContextManager[Link]:
        """A link for ``endpoint``; leaving the context disconnects in good order, so that no will is
        published.
        """
