"""Whom a dispatcher believes: answers that cannot be right, answers that differ, and what is done again."""

from __future__ import annotations

import sqlite3

import pytest
from test_dispatch_rules import Desk, given

from fanqi.dispatch.dispatcher import Dispatcher
from fanqi.dispatch.ledger import OPINIONS_SCHEMA, Ledger
from fanqi.mqtt.messages import Failed
from fanqi.mqtt.work import PingResult


def desk_that(verify=0.0, check=lambda work, result: None):
    desk = Desk()
    desk.dispatcher = Dispatcher(
        desk.ledger,
        clock=lambda: desk.now,
        wall_ms=lambda: int(desk.now * 1000),
        draw=lambda low, high: high,
        on_answer=desk.done.append,
        check=check,
        verify=verify,
        on_distrust=desk.ledger.reopen,
    )
    desk.dispatcher.connected()
    return desk


def beat(desk, *names):
    for name in names:
        desk.worker(name, threads=1)


def test_a_worker_with_three_answers_that_cannot_be_right_gets_no_more_work_and_all_its_answers_are_done_again():
    desk = desk_that(check=lambda work, result: "no" if result.text == "bad" else None)
    desk.add(5)
    beat(desk, "w")
    (first,) = given(desk.tick())
    desk.finished(first)
    for _ in range(3):
        (job,) = given(desk.tick(20.0)) or given(desk.tick())
        desk.finished(job, desk.dispatcher.leases[int(job[2:])].attempt, result=PingResult(text="bad"))
        beat(desk, "w")
    assert desk.ledger.opinions.distrusted == {"w"}
    assert (desk.ledger.counts.done, desk.ledger.counts.waiting) == (0, 5)
    for _ in range(10):
        beat(desk, "w")
        assert given(desk.tick(5.0)) == []
    beat(desk, "v")
    assert given(desk.tick(), "v") == ["d-1"]


def two_answers(first, second):
    """A desk on which a and b have answered the one job, which was to be verified."""
    desk = desk_that(verify=1.0)
    desk.add(1)
    beat(desk, "a")
    assert given(desk.tick(), "a") == ["d-1"]
    desk.finished(name="a", result=PingResult(text=first))
    assert desk.done == []
    assert given(desk.tick(), "a") == []
    beat(desk, "b")
    assert given(desk.tick(), "b") == ["d-1"]
    desk.finished(name="b", attempt=2, result=PingResult(text=second))
    return desk


def test_two_workers_that_agree_settle_a_job_and_both_are_named():
    desk = two_answers("x", "x")
    (answer,) = desk.ledger.answers_by_seq(0, 9)
    assert (answer.worker, answer.confirmed) == ("a", "b")


@pytest.mark.parametrize(("third", "wrong"), [("x", "b"), ("y", "a")])
def test_a_third_worker_decides_between_two_and_the_one_that_disagrees_is_not_believed_any_more(third, wrong):
    desk = two_answers("x", "y")
    assert desk.done == []
    beat(desk, "a", "b")
    assert desk.tick() == {}
    beat(desk, "c")
    assert given(desk.tick(), "c") == ["d-1"]
    desk.finished(name="c", attempt=3, result=PingResult(text=third))
    assert desk.ledger.opinions.distrusted == {wrong}
    (answer,) = desk.ledger.answers_by_seq(0, 9)
    assert {answer.worker, answer.confirmed} == {"a", "b", "c"} - {wrong}


def test_three_workers_with_three_answers_end_a_job_as_failed_and_it_can_be_tried_again():
    desk = two_answers("x", "y")
    beat(desk, "c")
    desk.tick()
    desk.finished(name="c", attempt=3, result=PingResult(text="z"))
    assert desk.done[0].reason == "3 workers, as many results: a, b, c"
    assert desk.ledger.opinions.distrusted == frozenset()
    assert desk.ledger.retry_failed() == 1
    assert desk.ledger.opinions.of(1) == []


def test_an_answer_that_awaits_confirmation_survives_a_restart(tmp_path):
    path = tmp_path / "state"
    ledger = Ledger(path, name=lambda: "d")
    desk = Desk()
    desk.ledger = ledger
    desk.dispatcher = Dispatcher(ledger, verify=1.0, clock=lambda: desk.now)
    desk.dispatcher.connected()
    desk.add(1)
    beat(desk, "a")
    desk.tick()
    desk.finished(name="a")
    ledger.close()
    again = Ledger(path, name=lambda: "d")
    assert (again.counts.waiting, again.unconfirmed_count()) == (1, 1)
    assert [opinion.worker for opinion in again.opinions.of(1)] == ["a"]
    again.close()


def test_a_state_file_of_before_is_read_and_goes_on(tmp_path):
    path = tmp_path / "state"
    Ledger(path, name=lambda: "d").close()
    with sqlite3.connect(path) as old:
        old.executescript("DROP TABLE opinions; DROP TABLE workers; DROP INDEX unconfirmed; PRAGMA user_version = 1;")
    old.close()
    assert "CREATE TABLE opinions" in OPINIONS_SCHEMA
    ledger = Ledger(path, name=lambda: "other")
    assert ledger.dispatcher == "d"
    assert ledger.opinions.distrusted == frozenset()
    ledger.close()


def test_who_calls_jobs_impossible_that_another_does_is_not_believed_any_more():
    desk = desk_that()
    desk.add(6)
    beat(desk, "a", "b")
    for _ in range(30):
        beat(desk, "a", "b")
        for name, messages in desk.tick(10.0).items():
            for job in given({name: messages}, name):
                lease = desk.dispatcher.leases.get(int(job[2:]))
                if lease is None:
                    continue
                attempt = lease.attempt
                if name == "a":
                    desk.hear(Failed(job=job, attempt=attempt, reason="no", final=True), name="a")
                else:
                    desk.finished(job, attempt, "b")
    assert [completion.worker for completion in desk.done] == ["b"] * 6
    assert desk.ledger.opinions.distrusted == {"a"}
