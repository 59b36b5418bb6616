"""The one module that knows aiomqtt (2.5): a link over a real broker, in MQTT 3.1.1.

The next major version of aiomqtt has another core; what is used of it here is `Client`, `Will`, `publish`,
`subscribe` and `messages`.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
from collections import deque
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import aiomqtt

from fanqi.mqtt.errors import LinkError
from fanqi.mqtt.link import Connected, Disconnected, Endpoint, Event, Incoming, Link, Outgoing

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Callable

    from fanqi.mqtt.address import BrokerAddress

__all__ = ["Broker", "backoff"]

IN_FLIGHT = 64  # publications not yet acknowledged; more would only queue at the broker
WAITING_BYTES = 64 * 1024 * 1024  # received and not yet taken; above it the socket is not read
EVENT_BYTES = 512  # that a message takes beside its payload, about: empty ones are kept as well
FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 30.0

# Reasons in a CONNACK that no amount of trying again mends. MQTT 3.1.1 knows 1 to 5; paho maps them to MQTT
# 5's.
HOPELESS = {
    "Unsupported protocol version",
    "Client identifier not valid",
    "Bad user name or password",
    "Not authorized",
}
SUBSCRIPTION_FAILED = 0x80
BAD_CERTIFICATE = "CERTIFICATE_VERIFY_FAILED"

# paho and aiomqtt tell through this what we report ourselves, in better words.
SILENT = logging.getLogger("fanqi.mqtt.paho")
SILENT.setLevel(logging.CRITICAL)


def backoff(last: float, draw: Callable[[float, float], float]) -> float:
    """The next wait after one of ``last`` seconds: spread evenly up to four times as long, half a minute at
    most.
    """
    return draw(FIRST_WAIT_S, min(LONGEST_WAIT_S, max(4 * last, 2 * FIRST_WAIT_S)))


class Broker:
    """A real broker as a `fanqi.mqtt.link.Network`."""

    def __init__(self, address: BrokerAddress, *, seed: int | None = None) -> None:
        self.address = address
        self._random = random.Random(seed)
        self._tls = address.tls.context() if address.tls else None

    @asynccontextmanager
    async def open(self, endpoint: Endpoint) -> AsyncIterator[Link]:
        """Keep a connection up until the context is left. Raises nothing: see `BrokerLink.receive`."""
        link = BrokerLink(self.address, self._tls, endpoint, self._random.uniform)
        task = asyncio.create_task(link.run(), name=f"mqtt {endpoint.client}")
        task.add_done_callback(link.ended)
        try:
            yield link
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)  # `receive` has told what there is to tell


class BrokerLink:
    """A connection, made again whenever it breaks. What was not acknowledged is published again then."""

    def __init__(
        self,
        address: BrokerAddress,
        tls: ssl.SSLContext | None,
        endpoint: Endpoint,
        draw: Callable[[float, float], float],
    ) -> None:
        self._address = address
        self._tls = tls
        self._endpoint = endpoint
        self._draw = draw
        self._events: list[Event] = []
        self._waiting_bytes = 0
        self._arrived = asyncio.Event()
        self._taken = asyncio.Event()
        self._failure: BaseException | None = None
        self._queue: deque[Outgoing] = deque()
        self._in_flight: dict[int, Outgoing] = {}
        self._number = 0
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._online = False

    def publish(self, message: Outgoing) -> None:
        if not message.sure and not self._online:
            return
        if message.retain:
            stale = [queued for queued in self._queue if queued.topic == message.topic]
            for queued in stale:
                self._queue.remove(queued)
        self._queue.append(message)
        self._idle.clear()
        self._wake.set()

    async def receive(self, timeout: float | None = None) -> list[Event]:
        if not self._events and self._failure is None and timeout != 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._arrived.wait(), timeout)
        if not self._events and self._failure is not None:
            raise self._failure
        events, self._events = self._events, []
        self._waiting_bytes = 0
        self._arrived.clear()
        self._taken.set()
        return events

    def nudge(self) -> None:
        self._arrived.set()

    async def flush(self, timeout: float) -> bool:
        if not self._queue and not self._in_flight:
            return True
        try:
            await asyncio.wait_for(self._idle.wait(), timeout)
        except TimeoutError:
            return False
        return True

    async def run(self) -> None:
        """Connect, and connect again, until cancelled or refused for good."""
        wait = FIRST_WAIT_S
        ever = False
        while True:
            connected_at: float | None = None
            try:
                async with self._client() as client:
                    await self._subscribe(client)
                    ever, connected_at = True, asyncio.get_running_loop().time()
                    self._push(Connected())
                    await self._serve(client)
                reason = "the broker closed the connection"
            except (aiomqtt.MqttError, LinkError) as error:
                reason = describe(error)
                if not ever and (isinstance(error, LinkError) or reason in HOPELESS or BAD_CERTIFICATE in reason):
                    self._fail(LinkError(f"{self._address}: {reason}"))
                    return
            if connected_at is not None and asyncio.get_running_loop().time() - connected_at > LONGEST_WAIT_S:
                wait = FIRST_WAIT_S
            wait = backoff(wait, self._draw)
            self._push(Disconnected(reason, wait))
            await asyncio.sleep(wait)

    async def _subscribe(self, client: aiomqtt.Client) -> None:
        topics = self._endpoint.subscriptions
        if not topics:
            return
        granted: Any = await client.subscribe([(topic, 1) for topic in topics])
        for topic, code in zip(topics, granted, strict=False):
            if int(getattr(code, "value", code)) >= SUBSCRIPTION_FAILED:
                raise LinkError(f"not allowed to listen to {topic}")

    def _client(self) -> aiomqtt.Client:
        will = self._endpoint.will
        client = aiomqtt.Client(
            self._address.host,
            self._address.port,
            username=self._address.user,
            password=self._address.password,
            identifier=self._endpoint.client,
            clean_session=True,
            keepalive=self._endpoint.keepalive_s,
            will=aiomqtt.Will(will, b"", qos=1, retain=True) if will is not None else None,
            tls_context=self._tls,
            max_inflight_messages=IN_FLIGHT,
            logger=SILENT,
        )
        client.pending_calls_threshold = 2 * IN_FLIGHT
        return client

    async def _serve(self, client: aiomqtt.Client) -> None:
        self._online = True
        reading = asyncio.create_task(self._read(client))
        writing = asyncio.create_task(self._write(client))
        try:
            done, _ = await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._online = False
            for task in (reading, writing):
                task.cancel()
            await asyncio.gather(reading, writing, return_exceptions=True)
            self._queue.extendleft(reversed([message for message in self._in_flight.values() if message.sure]))
            self._in_flight.clear()

    async def _read(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            payload = message.payload if isinstance(message.payload, bytes) else b""
            self._push(Incoming(message.topic.value, payload))
            self._waiting_bytes += len(payload) + EVENT_BYTES
            while self._waiting_bytes > WAITING_BYTES:
                self._taken.clear()
                await self._taken.wait()

    async def _write(self, client: aiomqtt.Client) -> None:
        async with asyncio.TaskGroup() as sending:
            while True:
                while self._queue and len(self._in_flight) < IN_FLIGHT:
                    message = self._queue.popleft()
                    self._number += 1
                    self._in_flight[self._number] = message
                    sending.create_task(self._send(client, self._number, message))
                self._wake.clear()
                if not self._queue or len(self._in_flight) >= IN_FLIGHT:
                    await self._wake.wait()

    async def _send(self, client: aiomqtt.Client, number: int, message: Outgoing) -> None:
        with suppress(aiomqtt.MqttError):  # the reader notices the same, and ends the connection
            await client.publish(
                message.topic, message.payload, qos=int(message.sure), retain=message.retain, timeout=math.inf
            )
            self._in_flight.pop(number, None)
            if not self._queue and not self._in_flight:
                self._idle.set()
            self._wake.set()

    def _push(self, event: Event) -> None:
        self._events.append(event)
        self._arrived.set()

    def ended(self, task: asyncio.Task[None]) -> None:
        """`run` has ended; if by a bug, whoever receives hears of it instead of nothing for ever."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _fail(self, failure: BaseException) -> None:
        self._failure = failure
        self._arrived.set()


def describe(error: Exception) -> str:
    """What went wrong, in the broker's or the system's words and without the library's."""
    text = str(error)
    _, _, meaning = text.partition("] ")
    if text.startswith(("[code:", "[Errno ")) and meaning:
        return meaning
    return text
