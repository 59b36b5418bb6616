"""Search slots, the queue for them, the memory shared between tables."""

from __future__ import annotations

import threading

import pytest

from fanqi.uci import HashBudget, SearchPool

PATIENCE = 20


def blocker():
    """A job that waits, with the events of its start and for its end."""
    begun, release = threading.Event(), threading.Event()

    def job():
        begun.set()
        assert release.wait(PATIENCE)

    return job, begun, release


def test_no_more_jobs_run_than_there_are_slots():
    pool = SearchPool(slots=2)
    jobs = [blocker() for _ in range(3)]
    for job, _, _ in jobs:
        pool.submit(job)
    assert jobs[0][1].wait(PATIENCE)
    assert jobs[1][1].wait(PATIENCE)
    assert (pool.busy, pool.waiting) == (2, 1)
    assert not jobs[2][1].is_set()
    jobs[0][2].set()
    assert jobs[2][1].wait(PATIENCE)
    for _, _, release in jobs:
        release.set()


def test_those_who_wait_get_their_turn_in_order():
    pool = SearchPool()
    job, begun, release = blocker()
    pool.submit(job)
    assert begun.wait(PATIENCE)
    order, done = [], threading.Event()
    for number in range(20):
        pool.submit(lambda number=number: order.append(number))
    pool.submit(done.set)
    release.set()
    assert done.wait(PATIENCE)
    assert order == list(range(20))


def test_a_job_can_be_withdrawn_as_long_as_it_has_no_slot():
    pool = SearchPool()
    job, begun, release = blocker()
    running = pool.submit(job)
    assert begun.wait(PATIENCE)
    waiting = pool.submit(lambda: pytest.fail("was withdrawn"))
    assert waiting.cancel()
    assert not waiting.cancel()
    assert not running.cancel()
    release.set()


def test_a_job_that_raises_is_reported_and_frees_its_slot(monkeypatch):
    reports = []
    monkeypatch.setattr(threading, "excepthook", lambda report: reports.append(report.exc_value))
    pool = SearchPool()
    error = ValueError("a bug")

    def fail():
        raise error

    done = threading.Event()
    pool.submit(fail)
    pool.submit(done.set)
    assert done.wait(PATIENCE)
    assert reports == [error]


def test_threads_are_used_again():
    pool = SearchPool(slots=4)
    names = set()
    for _ in range(50):
        done = threading.Event()
        pool.submit(lambda done=done: (names.add(threading.get_ident()), done.set()))
        assert done.wait(PATIENCE)
    assert len(names) <= 4


def test_memory_is_handed_out_until_there_is_none_and_comes_back():
    budget = HashBudget(100)
    assert [budget.take(owner, 64) for owner in "abc"] == [64, 36, 1]
    budget.give_back("a")
    assert budget.take("c", 64) == 64
    assert budget.take("c", 10) == 10


def test_without_a_limit_everybody_gets_what_he_asks_for():
    assert HashBudget().take("a", 10**6) == 10**6
