"""The worker's state machine: what it holds, runs, hands back and remembers."""

from __future__ import annotations

import msgspec
import pytest

from fanqi.mqtt.codec import Malformed, encode
from fanqi.mqtt.messages import (
    Accepted,
    Assign,
    Cancel,
    Failed,
    Finished,
    Held,
    Holding,
    Progress,
    Refused,
    Returned,
    Started,
    Unsupported,
)
from fanqi.mqtt.work import Ping, PingResult
from fanqi.workers.admission import Offer
from fanqi.workers.tasks import Broke, Done, Run, Stop, Update
from fanqi.workers.worker import Worker

RESULT = Done(msgspec.msgpack.encode(PingResult()), 5)


class Bench:
    """A worker with a clock that is set by hand."""

    def __init__(self, threads=1, hash_mib=64, credit=8, **rest):
        self.now = 1000.0
        self.worker = Worker(
            Offer(kinds=("ping",), games=(), threads=threads, hash_mib=hash_mib, credit=credit),
            clock=lambda: self.now,
            wall_ms=lambda: int(self.now * 1000),
            **rest,
        )
        self.worker.presence_due()

    def hear(self, *messages, dispatcher="d", sent=None):
        self.worker.heard(dispatcher, int(self.now * 1000) if sent is None else sent, messages)

    def assign(self, number, attempt=1, dispatcher="d", **rest):
        work = rest.pop("work", msgspec.Raw(encode(Ping(text=str(number)))))
        given = {"expires": int(self.now * 1000) + 60_000, "lease_s": 100.0, "hash_mib": 1} | rest
        self.hear(Assign(job=f"{dispatcher}-{number}", attempt=attempt, work=work, **given), dispatcher=dispatcher)

    def tick(self, seconds=0.0):
        self.now += seconds
        self.worker.tick()
        return self.worker.take_orders()

    def said(self, dispatcher="d"):
        return self.worker.take_outgoing().get(dispatcher, [])


def begun(orders):
    return [order.job for order in orders if isinstance(order, Run)]


def test_a_job_is_accepted_started_finished():
    bench = Bench()
    bench.assign(1)
    assert bench.tick() == [Run("d-1", Ping(text="1"), 1, 1)]
    assert bench.said() == [Accepted(job="d-1", attempt=1), Started(job="d-1", attempt=1)]
    bench.now += 2.5
    bench.worker.ended("d-1", RESULT)
    (answer,) = bench.said()
    assert answer == Finished(job="d-1", attempt=1, seconds=2.5, nodes=5, result=msgspec.Raw(RESULT.result))


def test_a_repeated_assignment_is_answered_and_not_run_again():
    bench = Bench()
    bench.assign(1)
    bench.assign(1)
    assert begun(bench.tick()) == ["d-1"]
    bench.said()
    bench.assign(1, attempt=2)
    assert bench.said() == [Accepted(job="d-1", attempt=2), Started(job="d-1", attempt=2)]
    bench.worker.ended("d-1", RESULT)
    assert [message.attempt for message in bench.said()] == [2]
    bench.assign(1, attempt=3)
    (again,) = bench.said()
    assert (again.job, again.attempt) == ("d-1", 3)
    assert isinstance(again, Finished)
    assert bench.tick() == []


def test_a_broken_job_is_run_again_when_it_is_asked_for_again():
    bench = Bench()
    bench.assign(1)
    bench.tick()
    bench.worker.ended("d-1", Broke("no memory"))
    assert bench.said()[-1] == Failed(job="d-1", attempt=1, reason="no memory")
    bench.assign(1, attempt=2)
    assert begun(bench.tick()) == ["d-1"]


def test_dispatchers_take_turns():
    bench = Bench()
    for number in range(3):
        bench.assign(number, dispatcher="a")
    for number in range(3):
        bench.assign(number, dispatcher="b")
    order = []
    for _ in range(6):
        (job,) = begun(bench.tick())
        order.append(job[0])
        bench.worker.ended(job, RESULT)
    assert order == ["a", "b", "a", "b", "a", "b"]


def test_jobs_run_side_by_side_as_threads_and_memory_allow():
    bench = Bench(threads=4, hash_mib=10)
    bench.assign(1, threads=2, hash_mib=4)
    bench.assign(2, threads=1, hash_mib=4)
    bench.assign(3, threads=1, hash_mib=4)
    bench.assign(4, threads=1, hash_mib=1)
    assert begun(bench.tick()) == ["d-1", "d-2"]
    bench.worker.ended("d-2", RESULT)
    assert begun(bench.tick()) == ["d-3", "d-4"]


def test_a_large_job_is_not_kept_waiting_by_small_ones():
    bench = Bench(threads=2)
    bench.assign(1, dispatcher="small")
    bench.tick()
    bench.assign(1, dispatcher="large", threads=2)
    for number in range(2, 6):
        bench.assign(number, dispatcher="small")
    assert begun(bench.tick()) in ([], ["small-2"])
    for job in list(bench.worker.running):
        bench.worker.ended(job, RESULT)
    assert begun(bench.tick()) == ["large-1"]


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (lambda bench: [bench.assign(n) for n in range(10, 18)], "8 jobs of this dispatcher are held already"),
        (lambda bench: bench.worker.close("off until Mon 20:00"), "off until Mon 20:00"),
        (lambda bench: bench.worker.leave(now=False), "the worker stops"),
    ],
)
def test_without_room_a_job_is_refused_as_busy(prepare, reason):
    bench = Bench()
    prepare(bench)
    bench.said()
    bench.assign(1)
    assert bench.said() == [Refused(job="d-1", attempt=1, why="busy", reason=reason)]


def test_an_assignment_that_is_too_old_is_not_begun_whatever_the_clocks_say():
    bench = Bench()
    far = 5_000_000_000  # the dispatcher's clock is months ahead
    job = msgspec.Raw(encode(Ping()))
    bench.hear(Cancel(job="d-9"), sent=far)
    bench.now += 100
    late = Assign(job="d-1", attempt=1, expires=far + 60_000, lease_s=9.0, hash_mib=1, work=job)
    bench.hear(late, sent=far)
    (answer,) = bench.said()
    assert answer.reason == "it arrived 40.0 s after its expiry"
    fresh = Assign(job="d-2", attempt=1, expires=far + 160_000, lease_s=9.0, hash_mib=1, work=job)
    bench.hear(fresh, sent=far + 100_000)
    assert bench.said() == [Accepted(job="d-2", attempt=1)]


def test_work_that_cannot_be_read_is_refused_for_good_by_its_job():
    bench = Bench()
    bench.assign(1, work=msgspec.Raw(msgspec.msgpack.encode({"type": "shell"})))
    bench.hear(Malformed("what is this", "d-2", 4), Malformed("nor this"))
    first, second, third = bench.said()
    assert (first.job, first.final) == ("d-1", True)
    assert "shell" in first.reason
    assert (second.job, second.attempt, second.final) == ("d-2", 4, True)
    assert isinstance(third, Unsupported)


def test_a_job_is_ended_when_its_lease_is_over():
    bench = Bench(heartbeat_s=60.0)
    bench.assign(1, lease_s=10.0)
    bench.tick()
    bench.said()
    assert bench.tick(9.9) == []
    assert bench.tick(0.2) == [Stop("d-1")]
    assert bench.said()[0] == Failed(job="d-1", attempt=1, reason="not done within its 10 s")


def test_a_cancelled_job_ends_without_a_word():
    bench = Bench()
    bench.assign(1)
    bench.assign(2)
    bench.tick()
    bench.said()
    bench.hear(Cancel(job="d-1"), Cancel(job="d-2"), Cancel(job="d-3"))
    assert bench.worker.take_orders() == [Stop("d-1")]
    bench.worker.ended("d-1", RESULT)
    assert bench.said() == []
    assert bench.worker.waiting == 0


def test_nobody_can_cancel_the_jobs_of_another():
    bench = Bench()
    bench.assign(1)
    bench.tick()
    bench.hear(Cancel(job="d-1"), dispatcher="thief")
    assert bench.tick() == []


def test_the_first_interrupt_hands_back_what_waits_and_the_second_what_runs():
    bench = Bench()
    bench.assign(1)
    bench.assign(2)
    bench.tick()
    bench.said()
    bench.worker.leave(now=False)
    assert bench.said() == [Returned(job="d-2", attempt=1, reason="the worker stops")]
    assert not bench.worker.finished
    bench.worker.leave(now=True)
    assert bench.said() == [Returned(job="d-1", attempt=1, reason="the worker stops")]
    assert bench.worker.take_orders() == [Stop("d-1")]
    assert bench.worker.finished


def test_a_worker_with_a_maximum_of_jobs_leaves_after_them():
    bench = Bench(max_jobs=2)
    for number in range(3):
        bench.assign(number)
    for _ in range(2):
        (job,) = begun(bench.tick())
        bench.worker.ended(job, RESULT)
    assert bench.tick() == []
    assert bench.worker.finished
    assert bench.worker.presence().state == "leaving"


def test_the_heartbeat_says_what_is_held_and_goes_on_for_a_while_after():
    bench = Bench(heartbeat_s=5.0)
    bench.assign(1)
    bench.assign(2)
    bench.tick(5.0)
    holding = next(message for message in bench.said() if isinstance(message, Holding))
    assert set(holding.jobs) == {Held(job="d-1", attempt=1, running=True), Held(job="d-2", attempt=1)}
    for job in ("d-1", "d-2"):
        bench.worker.ended(job, RESULT)
        bench.tick()
    bench.said()
    beats = []
    for _ in range(10):
        bench.tick(5.0)
        beats += bench.said()
    assert beats == [Holding()] * 4


def test_progress_is_told_at_most_once_a_second():
    bench = Bench()
    bench.assign(1)
    bench.tick()
    bench.said()
    for _ in range(30):
        bench.now += 0.1
        bench.worker.updated("d-1", Update(nodes=7))
    assert len([message for message in bench.said() if isinstance(message, Progress)]) in (2, 3)


def test_presence_is_shown_at_once_when_it_matters_and_else_now_and_then():
    bench = Bench()
    for number in range(8):
        bench.assign(number)
    shown = 0
    for _ in range(8):
        (job,) = begun(bench.tick(0.01))
        bench.worker.ended(job, RESULT)
        shown += bench.worker.presence_due()
    assert shown <= 1
    bench.worker.close("off")
    assert bench.worker.presence_due()
    assert bench.worker.presence().note == "off"
    bench.worker.open()
    assert bench.worker.presence_due()
    assert bench.worker.presence().state == "ready"


def test_a_flood_of_dispatchers_costs_bounded_memory():
    bench = Bench()
    for number in range(2000):
        bench.hear(Cancel(job="x"), dispatcher=f"d{number}")
    assert len(list(bench.worker._shelf.peers())) <= 256
    bench.assign(1)
    assert begun(bench.tick()) == ["d-1"]


def test_a_result_too_large_for_the_wire_is_a_failure():
    bench = Bench()
    bench.assign(1)
    bench.tick()
    bench.worker.ended("d-1", Done(b"x" * 7_000_000))
    answer = bench.said()[-1]
    assert isinstance(answer, Failed)
    assert answer.final
