"""A simulated world for dispatchers and workers: one clock, a network that misbehaves, machines that die."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fanqi.dispatch.dispatcher import Dispatcher
from fanqi.dispatch.ledger import Ledger, NewJob
from fanqi.dispatch.needs import Need
from fanqi.mqtt import Topics
from fanqi.mqtt.codec import (
    MAX_TO_DISPATCHER,
    MAX_TO_WORKER,
    decode_presence,
    decode_to_dispatcher,
    decode_to_worker,
    encode,
    encode_envelopes,
)
from fanqi.mqtt.work import Ping, PingResult
from fanqi.workers.admission import Offer
from fanqi.workers.tasks import Broke, Done, Run, Stop
from fanqi.workers.worker import Worker

if TYPE_CHECKING:
    from fanqi.dispatch.policy import Policy

TOPICS = Topics()
PING = Need("ping", hash_mib=1)
POISON = "poison"
BROKEN = "broken"


class World:
    """Virtual time and everything that is going to happen in it."""

    def __init__(self, seed: int, *, loss: float = 0.0, doubling: float = 0.0, delay: float = 0.05) -> None:
        self.now = 1000.0
        self.random = random.Random(seed)
        self.loss, self.doubling, self.delay = loss, doubling, delay
        self.broker_up = True
        self.machines: dict[str, WorkerMachine | DispatcherMachine] = {}
        self.retained: dict[str, bytes] = {}
        self._future: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self.swallow: Callable[[str, bytes], bool] = lambda topic, payload: False

    def clock(self) -> float:
        return self.now

    def wall_ms(self) -> int:
        return int(self.now * 1000)

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._future, (self.now + seconds, next(self._order), action))

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass; True as soon as ``until`` holds."""
        end = self.now + seconds
        while self._future and self._future[0][0] <= end:
            self.now, _, action = heapq.heappop(self._future)
            action()
            if until():
                return True
        self.now = end
        return until()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False, will: bool = False) -> None:
        if not self.broker_up or self.swallow(topic, payload):
            return
        if retain:
            self.retained[topic] = payload
        copies = 1 if will else (0 if self.random.random() < self.loss else 1)
        copies += self.random.random() < self.doubling
        for _ in range(copies):
            self.later(self.random.uniform(0, self.delay), lambda: self.deliver(topic, payload))

    def deliver(self, topic: str, payload: bytes) -> None:
        if self.broker_up:
            for machine in list(self.machines.values()):
                machine.receive(topic, payload)

    def restart_broker(self, seconds: float) -> None:
        """No messages for a while; what was retained is lost."""
        self.broker_up = False
        self.retained.clear()
        for machine in self.machines.values():
            machine.broker_gone()
        self.later(seconds, self._broker_back)

    def _broker_back(self) -> None:
        self.broker_up = True
        for machine in list(self.machines.values()):
            machine.broker_back()


class DispatcherMachine:
    """A dispatcher that can be killed and started again from its file."""

    def __init__(self, world: World, path: Path, policy: Policy | None = None) -> None:
        self.world, self.path, self.policy = world, path, policy
        self.answers: list[int] = []
        self.dispatcher: Dispatcher
        self.life = 0
        self.start()

    def start(self) -> None:
        world = self.world
        self.ledger = Ledger(self.path, name=lambda: self.path.stem, wall=world.clock)
        self.dispatcher = Dispatcher(
            self.ledger,
            policy=self.policy,
            clock=world.clock,
            wall_ms=world.wall_ms,
            draw=world.random.uniform,
            on_answer=lambda completion: self.answers.append(completion.seq),
        )
        self.life += 1
        self.alive = True
        world.machines[self.path.stem] = self
        self.broker_back()
        self.step(self.life)

    def kill(self) -> None:
        """Nothing that was not committed survives."""
        self.alive = False
        self.ledger._db.rollback()
        self.ledger._db.close()
        del self.world.machines[self.path.stem]

    def broker_gone(self) -> None:
        self.dispatcher.disconnected()

    def broker_back(self) -> None:
        if self.world.broker_up:
            self.dispatcher.connected()
            for topic, payload in self.world.retained.items():
                self.receive(topic, payload)

    def step(self, life: int) -> None:
        if self.alive and life == self.life:
            self.dispatcher.tick()
            self.flush()
            self.world.later(0.05, lambda: self.step(life))

    def receive(self, topic: str, payload: bytes) -> None:
        if worker := TOPICS.read_presence(topic):
            self.dispatcher.presence(worker, decode_presence(payload) if payload else None)
        elif (parties := TOPICS.read_to_dispatcher(topic)) and parties[0] == self.dispatcher.name:
            self.dispatcher.heard(parties[1], decode_to_dispatcher(payload).messages)
        else:
            return
        self.dispatcher.tick()
        self.flush()

    def flush(self) -> None:
        self.ledger.commit()
        for worker, messages in self.dispatcher.take_outgoing().items():
            for payload in encode_envelopes(messages, self.world.wall_ms(), MAX_TO_WORKER):
                self.world.publish(TOPICS.to_worker(worker, self.dispatcher.name), payload)

    def add(self, texts: list[str], lease_s: float = 60.0) -> None:
        self.ledger.add(NewJob(f"line:{n}", PING, lease_s, encode(Ping(text=text))) for n, text in enumerate(texts, 1))
        self.ledger.commit()


class WorkerMachine:
    """A worker whose jobs take a random time; a poison job kills it, a broken one breaks."""

    def __init__(
        self, world: World, name: str, *, threads: int = 2, skew: float = 0.0, seconds: float = 0.5, beat: float = 1.0
    ) -> None:
        self.world, self.name, self.skew, self.seconds = world, name, skew, seconds
        self.threads, self.beat = threads, beat
        self.life = 0
        self.runs: list[str] = []
        self.start()

    def start(self) -> None:
        world = self.world
        self.worker = Worker(
            Offer(kinds=("ping",), games=(), threads=self.threads, hash_mib=64),
            heartbeat_s=self.beat,
            clock=world.clock,
            wall_ms=lambda: world.wall_ms() + int(self.skew * 1000),
            incarnation=f"life{self.life}",
        )
        self.life += 1
        self.alive, self.frozen = True, False
        self.inbox: list[tuple[str, bytes]] = []
        world.machines[self.name] = self
        self.broker_back()
        self.step(self.life)

    def kill(self) -> None:
        self.alive = False
        self.world.machines.pop(self.name, None)
        self.world.publish(TOPICS.presence(self.name), b"", retain=True, will=True)

    def freeze(self, seconds: float) -> None:
        """As SIGSTOP would: it hears and does nothing, then goes on as if nothing had been."""
        self.frozen = True
        life = self.life

        def thaw() -> None:
            if self.alive and life == self.life:
                self.frozen = False
                inbox, self.inbox = self.inbox, []
                for topic, payload in inbox:
                    self.receive(topic, payload)
                self.step(life)

        self.world.later(seconds, thaw)

    def broker_gone(self) -> None:
        pass

    def broker_back(self) -> None:
        self.worker.connected()

    def step(self, life: int) -> None:
        if self.alive and life == self.life and not self.frozen:
            self.worker.tick()
            self.flush()
            self.world.later(0.05, lambda: self.step(life))

    def receive(self, topic: str, payload: bytes) -> None:
        parties = TOPICS.read_to_worker(topic)
        if not parties or parties[0] != self.name:
            return
        if self.frozen:
            self.inbox.append((topic, payload))
            return
        envelope = decode_to_worker(payload)
        self.worker.heard(parties[1], envelope.sent, envelope.messages)
        self.worker.tick()
        self.flush()

    def flush(self) -> None:
        for order in self.worker.take_orders():
            match order:
                case Run():
                    self.begin(order)
                case Stop():
                    pass
        for dispatcher, messages in self.worker.take_outgoing().items():
            for payload in encode_envelopes(messages, self.worker._wall_ms(), MAX_TO_DISPATCHER):
                self.world.publish(TOPICS.to_dispatcher(dispatcher, self.name), payload)
        if self.worker.presence_due():
            self.world.publish(TOPICS.presence(self.name), encode(self.worker.presence()), retain=True)

    def begin(self, order: Run) -> None:
        assert isinstance(order.work, Ping)
        self.runs.append(order.job)
        text, life = order.work.text, self.life

        def end() -> None:
            if not self.alive or life != self.life:
                return
            if self.frozen:
                self.world.later(0.5, end)
                return
            if text == POISON:
                self.kill()
                self.world.later(1.0, self.start)
                return
            outcome = Broke("it broke") if text == BROKEN else Done(msgspec.msgpack.encode(PingResult(text=text)), 7)
            self.worker.ended(order.job, outcome)
            self.worker.tick()
            self.flush()

        self.world.later(self.world.random.uniform(0, 2 * self.seconds), end)
