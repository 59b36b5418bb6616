"""Workers and dispatchers together on the hub inside this process, and what they do with strangers' payloads."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import re
import urllib.request
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import msgspec
import pytest
from rich.console import Console

from fanqi.dispatch.dispatcher import Dispatcher
from fanqi.dispatch.intake import Source, Template
from fanqi.dispatch.ledger import Ledger
from fanqi.dispatch.metrics import DispatchMetrics
from fanqi.dispatch.results import ResultFile
from fanqi.dispatch.service import DispatchService
from fanqi.dispatch.submission import Submission
from fanqi.metrics import Histogram, render, serve_metrics
from fanqi.mqtt import Connected, Disconnected, Endpoint, Hub, Incoming, Outgoing, Topics
from fanqi.mqtt.codec import MAX_TO_WORKER, decode_presence, decode_to_dispatcher, encode, encode_envelopes
from fanqi.mqtt.messages import Assign, Finished, Presence, Progress, Unsupported
from fanqi.mqtt.work import Ping, PingResult
from fanqi.workers.admission import Offer
from fanqi.workers.errors import WorkerError
from fanqi.workers.hours import parse_hours
from fanqi.workers.metrics import worker_families, worker_health
from fanqi.workers.service import WorkerService
from fanqi.workers.tasks import Broke, Done, Run, Update
from fanqi.workers.watch import Watcher, table_of, watch
from fanqi.workers.worker import Worker

TOPICS = Topics()
OFFER = Offer(kinds=("ping",), games=(), threads=2, hash_mib=64)


class Echo:
    """Runs pings on the event loop; the text ``never`` does not end, ``bad`` breaks."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.on_update = lambda job, update: None
        self.on_end = lambda job, end: None
        self.stopped = []

    def run(self, order: Run) -> None:
        text = order.work.text
        if text == "never":
            return
        end = Broke("bad", final=True) if text == "bad" else Done(msgspec.msgpack.encode(PingResult(text=text)), 3)
        asyncio.get_running_loop().call_later(self.seconds, lambda: self.on_end(order.job, end))

    def stop(self, job):
        self.stopped.append(job)


def service(hub, name="w1", runner=None, hours="", moment=None, **worker):
    machine = Worker(OFFER, heartbeat_s=0.2, **worker)
    now = (lambda: moment) if moment is not None else (lambda: datetime.now(UTC))
    return WorkerService(name, machine, runner or Echo(), hub, TOPICS, hours=parse_hours(hours), now=now)


def submission(tmp_path, hub, texts, **rest):
    path = tmp_path / "texts"
    path.write_text("".join(text + "\n" for text in texts))
    ledger = Ledger(None, name=lambda: "d1")
    feed = Submission(ledger, [Source("texts", path)], Template("ping", hash_mib=1)).feed
    stream = io.BytesIO()
    results = ResultFile(ledger, None, ordered=True, stream=stream)
    figures = DispatchMetrics()
    dispatcher = Dispatcher(ledger, on_answer=figures.observe)
    return DispatchService(dispatcher, hub, TOPICS, feed=feed, harvest=results.harvest, **rest), stream, figures


async def ended(task, seconds=20.0):
    async with asyncio.timeout(seconds):
        return await task


def test_everything_submitted_comes_back_in_order(tmp_path):
    async def scenario():
        hub = Hub()
        workers = [service(hub, f"w{number}") for number in range(3)]
        tasks = [asyncio.create_task(worker.run()) for worker in workers]
        texts = [f"t{number}" for number in range(1200)]
        texts[7] = "bad"
        desk, stream, figures = submission(tmp_path, hub, texts)
        assert await ended(desk.run())
        rows = [json.loads(line) for line in stream.getvalue().splitlines()]
        assert [row.get("result", {}).get("text", row.get("error")) for row in rows] == texts
        text = render(figures.families(desk.dispatcher))
        assert 'fanqi_dispatch_jobs{state="done"} 1199' in text
        assert "fanqi_dispatch_job_seconds_count 1199" in text
        for worker in workers:
            worker.interrupt(now=False)
        await ended(asyncio.gather(*tasks))
        assert sum(worker.worker.done for worker in workers) == 1199

    asyncio.run(scenario())


def test_an_interrupted_dispatcher_takes_its_jobs_back(tmp_path):
    async def scenario():
        hub, runner = Hub(), Echo()
        worker = service(hub, runner=runner)
        task = asyncio.create_task(worker.run())
        desk, _, _ = submission(tmp_path, hub, ["never"] * 5)
        running = asyncio.create_task(desk.run())
        while len(worker.worker.running) < 2:
            await asyncio.sleep(0.01)
        desk.interrupt()
        assert await ended(running) is False
        while worker.worker.running:
            await asyncio.sleep(0.01)
        assert sorted(runner.stopped) == ["d1-1", "d1-2"]
        assert desk.dispatcher.ledger.counts.waiting == 5
        worker.interrupt(now=True)
        await ended(task)

    asyncio.run(scenario())


def test_the_older_of_two_workers_of_one_name_gives_way():
    async def scenario():
        hub = Hub()
        old = service(hub, wall_ms=lambda: 1000)
        first = asyncio.create_task(old.run())
        await asyncio.sleep(0.05)
        new = service(hub, wall_ms=lambda: 2000)
        second = asyncio.create_task(new.run())
        with pytest.raises(WorkerError, match="another worker called 'w1' has started"):
            await ended(first)
        await asyncio.sleep(0.5)
        assert not second.done()
        new.interrupt(now=True)
        await ended(second)

    asyncio.run(scenario())


def test_a_worker_outside_its_hours_says_so_and_takes_nothing():
    async def scenario():
        hub = Hub()
        worker = service(hub, hours="Mon 20:00-22:00", moment=datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
        task = asyncio.create_task(worker.run())
        async with hub.open(Endpoint("watch", (TOPICS.presence("+"),))) as link:
            presence = await next_presence(link, "w1")
            assert (presence.state, presence.note) == ("closed", "off until Mon 20:00")
            worker.interrupt(now=True)
            await ended(task)
            assert (await link.receive(1.0))[-1] == Incoming(TOPICS.presence("w1"), b"")

    asyncio.run(scenario())


async def next_presence(link, name):
    async with asyncio.timeout(10):
        while True:
            for event in await link.receive(1.0):
                if isinstance(event, Incoming) and event.topic == TOPICS.presence(name) and event.payload:
                    presence = decode_presence(event.payload)
                    if presence.state != "ready" or not presence.note:
                        return presence


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"\xff\x00garbage", "Expected `object`|MessagePack"),
        (msgspec.msgpack.encode({"v": 2, "assign": "everything"}), "schema version 2; this side reads version 1"),
        (msgspec.msgpack.encode({"v": 1, "sent": 0, "messages": ["x"]}), "cannot be read"),
        (b"\x00" * 300_000, "at most 262,144 are read"),
    ],
)
def test_a_worker_answers_what_it_cannot_read_and_goes_on(tmp_path, payload, reason):
    async def scenario():
        hub = Hub()
        worker = service(hub)
        task = asyncio.create_task(worker.run())
        async with hub.open(Endpoint("stranger", (TOPICS.to_dispatcher("stranger", "+"),))) as link:
            await asyncio.sleep(0.05)
            for _ in range(20):
                link.publish(Outgoing(TOPICS.to_worker("w1", "stranger"), payload))
            answers = []
            async with asyncio.timeout(10):
                while not answers:
                    answers += [event for event in await link.receive(1.0) if isinstance(event, Incoming)]
            await asyncio.sleep(0.1)
            answers += [event for event in await link.receive(0.0) if isinstance(event, Incoming)]
            (message, *_) = decode_to_dispatcher(answers[0].payload).messages
            assert isinstance(message, Unsupported)
            assert re.search(reason, message.reason)
            if "cannot be read" not in reason:
                assert len(answers) == 1
        desk, stream, _ = submission(tmp_path, hub, ["still there"])
        assert await ended(desk.run())
        assert b"still there" in stream.getvalue()
        worker.interrupt(now=True)
        await ended(task)

    asyncio.run(scenario())


class Outage:
    """A network of one link, which brings what is put into it and keeps what is published."""

    def __init__(self, *events):
        self.events = list(events)
        self.sent = []

    @asynccontextmanager
    async def open(self, endpoint):
        yield self

    def publish(self, message):
        self.sent.append(message)

    async def receive(self, timeout=None):
        await asyncio.sleep(0)
        return [self.events.pop(0)] if self.events and timeout != 0 else []

    def nudge(self):
        pass

    async def flush(self, timeout):
        return True

    def said(self, kind):
        payloads = [out.payload for out in self.sent if out.topic == TOPICS.to_dispatcher("d1", "w1")]
        messages = [message for payload in payloads for message in decode_to_dispatcher(payload).messages]
        return [message for message in messages if isinstance(message, kind)]


def test_news_of_jobs_is_not_kept_while_the_broker_is_away_but_results_are():
    job = Assign(job="d1-1", attempt=1, expires=2**60, lease_s=9999.0, hash_mib=1, work=msgspec.Raw(encode(Ping())))
    (payload,) = encode_envelopes([job], 0, MAX_TO_WORKER)

    async def scenario():
        network, runner = Outage(Connected(), Incoming(TOPICS.to_worker("w1", "d1"), payload)), Echo(seconds=60.0)
        worker = service(network, runner=runner, clock=itertools.count(0.0, 2.0).__next__)
        task = asyncio.create_task(worker.run())
        async with asyncio.timeout(20):
            while not worker.worker.running:
                await asyncio.sleep(0)
            runner.on_update("d1-1", Update(done=1))
            while not network.said(Progress):
                await asyncio.sleep(0)
            network.events.append(Disconnected("gone", 1.0))
            while worker.online:
                await asyncio.sleep(0)
            runner.on_update("d1-1", Update(done=2))
            runner.on_end("d1-1", Done(msgspec.msgpack.encode(PingResult())))
            worker.interrupt(now=False)
            await task
        assert [message.done for message in network.said(Progress)] == [1]
        assert [message.job for message in network.said(Finished)] == ["d1-1"]

    asyncio.run(scenario())


def test_a_dispatcher_is_not_disturbed_by_strangers(tmp_path):
    async def scenario():
        hub = Hub()
        desk, stream, _ = submission(tmp_path, hub, [f"t{number}" for number in range(50)])
        running = asyncio.create_task(desk.run())
        async with hub.open(Endpoint("stranger", (TOPICS.to_worker("+", "d1"),))) as link:
            await asyncio.sleep(0.02)
            for payload in (b"", b"x", b"\xc0" * 1000, msgspec.msgpack.encode({"v": 3})):
                link.publish(Outgoing(TOPICS.to_dispatcher("d1", "liar"), payload))
                link.publish(Outgoing(TOPICS.presence("liar"), payload, retain=True))
                link.publish(Outgoing("fanqi/dispatcher/d1/from/a/b", payload))
            worker = service(hub)
            task = asyncio.create_task(worker.run())
            assert await ended(running)
            told = [event for event in await link.receive(0.2) if isinstance(event, Incoming)]
            assert len([event for event in told if "/liar/" in event.topic]) == 1
        assert len(stream.getvalue().splitlines()) == 50
        worker.interrupt(now=True)
        await ended(task)

    asyncio.run(scenario())


def test_a_presence_that_somebody_wiped_is_shown_again():
    async def scenario():
        hub = Hub()
        worker = service(hub)
        task = asyncio.create_task(worker.run())
        async with hub.open(Endpoint("vandal", (TOPICS.presence("+"),))) as link:
            await next_presence(link, "w1")
            link.publish(Outgoing(TOPICS.presence("w1"), b"", retain=True))
            await link.receive(0.0)
            assert (await next_presence(link, "w1")).state == "ready"
        worker.interrupt(now=True)
        await ended(task)

    asyncio.run(scenario())


def test_metrics_and_health_are_served():
    async def scenario():
        hub = Hub()
        worker = service(hub)
        task = asyncio.create_task(worker.run())
        async with serve_metrics(
            "127.0.0.1", 0, lambda: worker_families(worker.worker, Histogram()), lambda: worker_health(worker)
        ) as port:

            def get(path):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                    return answer.read().decode()

            await asyncio.sleep(0.05)
            assert await asyncio.to_thread(get, "/healthz") == "ok\n"
            text = await asyncio.to_thread(get, "/metrics")
            assert "fanqi_worker_threads 2" in text
            assert 'fanqi_worker_jobs{state="running"} 0' in text
        worker.interrupt(now=True)
        await ended(task)

    asyncio.run(scenario())


def test_the_workers_on_a_broker_are_listed_once_as_json(capsys):
    async def scenario():
        hub = Hub()
        worker = service(hub, "attic")
        task = asyncio.create_task(worker.run())
        await asyncio.sleep(0.05)
        console = Console(file=io.StringIO())
        assert await watch(hub, TOPICS, console, once=True, as_json=True, patience_s=0.2) == 0
        worker.interrupt(now=True)
        await ended(task)

    asyncio.run(scenario())
    assert json.loads(capsys.readouterr().out)["attic"]["threads"] == 2


def test_what_a_worker_says_of_itself_is_shown_as_it_is():
    watcher = Watcher(TOPICS)
    odd = Presence(v=1, sent=0, incarnation="x", state="closed", games=("[bold]",), note="[/off] \x1b[2J")
    watcher.take(Incoming(TOPICS.presence("odd"), encode(odd)))
    watcher.take(Incoming(TOPICS.presence("liar"), b"x"))
    console = Console(file=io.StringIO(), width=200)
    console.print(table_of(watcher))
    text = console.file.getvalue()
    assert "[bold]" in text
    assert "[/off] \\x1b[2J" in text
