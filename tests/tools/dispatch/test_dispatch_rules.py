"""Who gets a job, how it is asked for again, and what is refused from strangers."""

from __future__ import annotations

import msgspec
import pytest

from fanqi.dispatch.dispatcher import Dispatcher
from fanqi.dispatch.ledger import Ledger, NewJob
from fanqi.dispatch.needs import Need
from fanqi.dispatch.pace import Pace, Sparing, duration_text
from fanqi.dispatch.policy import Policy
from fanqi.mqtt.codec import Malformed, encode
from fanqi.mqtt.messages import Accepted, Assign, Cancel, Failed, Finished, Presence, Refused, Started, Unsupported
from fanqi.mqtt.work import Analyse, AnalyseResult, Ping, PingResult, PositionSpec, SearchLimits

PING = Need("ping", hash_mib=1)


class Desk:
    """A dispatcher with a clock that is set by hand."""

    def __init__(self, **policy):
        self.now = 0.0
        self.ledger = Ledger(None, name=lambda: "d", wall=lambda: 0.0)
        self.done = []
        self.told = []
        self.dispatcher = Dispatcher(
            self.ledger,
            policy=Policy(**policy),
            clock=lambda: self.now,
            wall_ms=lambda: int(self.now * 1000),
            draw=lambda low, high: high,
            on_answer=self.done.append,
            tell=lambda event, facts: self.told.append(event),
        )
        self.dispatcher.connected()

    def add(self, count, need=PING, lease_s=60.0):
        self.ledger.add(NewJob("x", need, lease_s, encode(Ping())) for _ in range(count))

    def worker(self, name="w", **changes):
        presence = Presence(
            v=1, sent=0, incarnation="i", state="ready", kinds=("ping", "analyse"), games=("othello",), threads=2,
            hash_mib=64, credit=64, heartbeat_s=5.0,
        )  # fmt: skip
        self.dispatcher.presence(name, msgspec.structs.replace(presence, **changes))

    def tick(self, seconds=0.0):
        self.now += seconds
        self.dispatcher.tick()
        return self.dispatcher.take_outgoing()

    def hear(self, *messages, name="w"):
        self.dispatcher.heard(name, messages)

    def finished(self, job="d-1", attempt=1, name="w", result=None, seconds=10.0):
        raw = msgspec.Raw(encode(result or PingResult()))
        self.hear(Finished(job=job, attempt=attempt, seconds=seconds, result=raw), name=name)


def given(outgoing, name="w"):
    return [message.job for message in outgoing.get(name, []) if isinstance(message, Assign)]


def test_a_worker_gets_what_it_can_run_at_once_and_more_only_of_short_jobs():
    desk = Desk()
    desk.add(100)
    desk.worker()
    assert given(desk.tick()) == ["d-1", "d-2"]
    desk.finished(seconds=0.01)
    assert len(given(desk.tick())) == 63  # its credit
    slow = Desk()
    slow.add(100)
    slow.worker()
    slow.tick()
    slow.finished()
    assert given(slow.tick()) == ["d-3"]


@pytest.mark.parametrize(
    ("need", "reason"),
    [
        (Need("play"), "does no play jobs"),
        (Need("analyse", "banqi"), "does not play banqi"),
        (Need("analyse", "othello", threads=3), "has 2 threads, 3 are needed"),
        (Need("analyse", "othello", hash_mib=65), "has 64 MiB for hash tables, 65 are needed"),
        (Need("analyse", "othello", engines=("edax",)), "knows no engine called 'edax'"),
    ],
)
def test_a_job_waits_for_a_worker_that_can_do_it(need, reason):
    desk = Desk()
    desk.add(1, need)
    desk.worker()
    assert desk.tick() == {}
    assert desk.dispatcher.without_worker() == [need]
    (worker,) = desk.dispatcher.roster.workers.values()
    assert need.missing_in(worker.presence) == reason
    desk.worker("big", kinds=("play", "analyse"), games=("othello", "banqi"), threads=4, hash_mib=99, engines=("edax",))
    assert given(desk.tick(), "big") == ["d-1"]


@pytest.mark.parametrize("changes", [{"state": "closed"}, {"state": "leaving"}, {"credit": 0}])
def test_a_worker_that_takes_nothing_gets_nothing(changes):
    desk = Desk()
    desk.add(1)
    desk.worker(**changes)
    assert desk.tick() == {}
    desk.worker()
    assert given(desk.tick()) == ["d-1"]


def test_the_least_loaded_worker_is_chosen():
    desk = Desk()
    desk.add(6)
    desk.worker("one", threads=1)
    desk.worker("four", threads=4)
    outgoing = desk.tick()
    assert (len(given(outgoing, "one")), len(given(outgoing, "four"))) == (1, 4)


def test_an_assignment_without_answer_is_repeated_with_growing_waits_and_then_given_to_another():
    desk = Desk(asks=3, first_wait_s=1.0)
    desk.add(1)
    desk.worker()
    times = []
    for step in range(400):
        if step % 10 == 0:
            desk.worker()  # its presence goes on
        if given(desk.tick(0.1)):
            times.append(round(desk.now, 1))
        if len(times) == 3:
            break
    first, second, third = times
    assert 3.5 < second - first < 4.5
    assert 15.0 < third - second < 17.0
    desk.worker("other")
    outgoing: list[str] = []
    for _ in range(900):
        outgoing += given(desk.tick(0.1), "other")
        desk.worker()
        desk.worker("other")
    assert outgoing[0] == "d-1"


def test_a_busy_worker_is_left_alone_for_a_while_and_the_job_is_not_blamed():
    desk = Desk()
    desk.add(1)
    desk.worker()
    desk.tick()
    desk.hear(Refused(job="d-1", attempt=1, why="busy", reason="full"))
    assert desk.tick() == {}
    assert given(desk.tick(0.5)) == []
    assert given(desk.tick(2.0)) == ["d-1"]
    assert [entry.blame for entry in desk.ledger.tries(1)] == [0, 0]


def test_a_job_that_no_worker_takes_is_given_up_with_what_they_said():
    desk = Desk()
    desk.add(1)
    for name in ("a", "b", "c"):
        desk.worker(name)
    for attempt in (1, 2, 3):
        for _ in range(100):
            outgoing = desk.tick(1.0)
            for name in ("a", "b", "c"):
                desk.worker(name)
            if outgoing:
                break
        (name,) = outgoing
        desk.hear(Refused(job="d-1", attempt=attempt, why="unable", reason=f"not {name}"), name=name)
    (completion,) = desk.done
    assert completion.reason.startswith("given up after 3 tries")
    assert all(f"not {name}" in completion.reason for name in ("a", "b", "c"))


def test_a_final_failure_ends_a_job_at_once():
    desk = Desk()
    desk.add(1)
    desk.worker()
    desk.tick()
    desk.hear(Started(job="d-1", attempt=1), Failed(job="d-1", attempt=1, reason="'zz': no square", final=True))
    assert desk.done[0].reason == "'zz': no square"
    assert desk.ledger.counts.failed == 1


def test_a_lease_runs_out_when_its_time_is_over_even_if_the_worker_is_heard():
    desk = Desk(grace_s=5.0)
    desk.add(1, lease_s=30.0)
    desk.worker()
    desk.tick()
    desk.hear(Started(job="d-1", attempt=1))
    sent = []
    for _ in range(40):
        desk.worker()
        desk.hear(Started(job="d-1", attempt=1))
        sent += desk.tick(1.0).get("w", [])
    assert sent[0] == Cancel(job="d-1")
    assert "did not end it within 30 s" in desk.ledger.tries(1)[0].reason


def test_results_for_jobs_the_worker_never_had_are_dropped():
    desk = Desk()
    desk.add(2)
    desk.worker()
    desk.worker("thief")
    desk.tick()
    desk.finished("d-1", 1, "nobody")
    desk.finished("d-1", 7)
    desk.finished("e-1", 1)
    desk.finished("d-99999999999999999999", 1)
    desk.finished("d--1", 1)
    assert desk.done == []
    assert desk.dispatcher.tally.foreign == 5


def test_a_late_first_result_is_taken_and_the_newer_attempt_called_off():
    desk = Desk()
    desk.add(1)
    desk.worker()
    desk.tick()
    desk.hear(Started(job="d-1", attempt=1))
    for _ in range(30):
        desk.worker("v")
        outgoing = desk.tick(1.0)
        if given(outgoing, "v"):
            break
    desk.finished("d-1", 1)
    assert desk.done[0].attempt == 1
    assert desk.dispatcher.take_outgoing() == {"v": [Cancel(job="d-1")]}
    desk.finished("d-1", 2, "v")
    assert len(desk.done) == 1
    assert desk.dispatcher.tally.duplicates == 1


@pytest.mark.parametrize(
    "result", [AnalyseResult(move="f5"), Analyse(position=PositionSpec(game="g"), limits=SearchLimits(depth=1))]
)
def test_a_result_of_another_kind_counts_as_a_broken_try(result):
    desk = Desk()
    desk.add(1)
    desk.worker()
    desk.tick()
    desk.finished(result=result)
    assert desk.done == []
    assert desk.dispatcher.tally.unreadable == 1
    assert "w sent a result that cannot be right: " in desk.ledger.tries(1)[0].reason


def test_a_message_that_cannot_be_read_costs_only_the_job_it_names():
    desk = Desk()
    desk.add(2)
    desk.worker()
    desk.tick()
    desk.hear(Malformed("bad"), Malformed("bad", "d-1", 1), Malformed("bad", "d-9", 1), Accepted(job="d-2", attempt=1))
    assert set(desk.dispatcher.leases) == {2}
    assert desk.dispatcher.tally.unreadable == 3


def test_a_worker_that_does_not_understand_us_is_left_alone():
    desk = Desk()
    desk.worker()
    desk.hear(Unsupported(reason="version 1"))
    desk.add(1)
    assert desk.tick() == {}


def test_nobody_is_blamed_for_silence_while_there_is_no_broker():
    desk = Desk()
    desk.add(2)
    desk.worker()
    desk.tick()
    desk.hear(Started(job="d-1", attempt=1), Accepted(job="d-2", attempt=1))
    desk.dispatcher.disconnected()
    assert desk.tick(500.0) == {}
    desk.dispatcher.connected()
    desk.worker()
    desk.tick(1.0)
    assert set(desk.dispatcher.leases) == {1, 2}


def test_a_rate_and_what_is_left_of_the_time():
    pace = Pace()
    assert pace.rate == 0
    assert pace.remaining_s(5) is None
    for second in range(100):
        pace.observe(second, second * 10)
    assert pace.rate == pytest.approx(10)
    assert pace.remaining_s(600) == pytest.approx(60)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (0.2, "0 s"), (59, "59 s"), (61, "1:01"), (3723, "1:02:03"), (200_000, "2 d 07 h")],
)
def test_durations_for_people(seconds, text):
    assert duration_text(seconds) == text


def test_nobody_is_told_twice_in_a_minute_and_not_more_than_so_many():
    sparing = Sparing(60.0, most=2)
    assert sparing.may_tell("a", 0.0)
    assert not sparing.may_tell("a", 59.0)
    assert sparing.may_tell("b", 59.0)
    assert not sparing.may_tell("c", 59.5)
    assert sparing.may_tell("c", 60.0)  # a may be told again by now, and makes room
