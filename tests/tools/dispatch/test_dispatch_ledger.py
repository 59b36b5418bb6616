"""The ledger: what is committed survives, what is not does not, and nobody else may touch it meanwhile."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys

import pytest

from fanqi.dispatch.errors import LedgerError
from fanqi.dispatch.ledger import Counts, Ledger, NewJob
from fanqi.dispatch.needs import Need
from fanqi.dispatch.results import ResultFile
from fanqi.mqtt.codec import encode
from fanqi.mqtt.work import Selfplay, SelfplayResult

PING = Need("ping")
PLAY = Need("play", "othello", 2, 64, ("a", "b"))


def ledger_at(path, name="d1"):
    return Ledger(path, name=lambda: name, wall=lambda: 100.0)


def jobs(count, need=PING):
    return [NewJob(f"line:{number}", need, 10.0, bytes([number])) for number in range(1, count + 1)]


def crash(ledger):
    ledger._db.rollback()
    ledger._db.close()


def test_jobs_are_numbered_in_order_and_given_out_oldest_first(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    assert ledger.add(jobs(3)) == [1, 2, 3]
    assert ledger.add(jobs(2, PLAY)) == [4, 5]
    assert [job.seq for job in ledger.ready(PING, 2)] == [1, 2]
    assert ledger.lease(1, "w", "i") == 1
    assert [job.seq for job in ledger.ready(PING, 9)] == [2, 3]
    assert [job.work for job in ledger.ready(PLAY, 9)] == [b"\x01", b"\x02"]
    assert ledger.needs() == [PING, PLAY]


def test_a_job_that_is_forgotten_takes_its_number_with_it(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    ledger.add(jobs(2))
    for seq in (2, 1):
        assert ledger.finish(seq, ledger.lease(seq, "w", "i"), "w", 0.5, 10, b"result")
        ledger.forget(seq)
    assert ledger.answers_by_arrival(0, 9) == []
    assert not ledger.ever_held(2, 1, "w")
    ledger.close()
    assert ledger_at(tmp_path / "s").add(jobs(1)) == [3]


def test_a_crash_keeps_what_was_committed_and_nothing_else(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    ledger.add(jobs(3))
    ledger.lease(1, "w", "i")
    ledger.commit()
    ledger.finish(1, 1, "w", 0.5, 10, b"result")
    ledger.lease(2, "w", "i")
    crash(ledger)
    again = ledger_at(tmp_path / "s", "other name")
    assert again.dispatcher == "d1"
    assert again.counts == Counts(waiting=2, leased=1)
    assert [(lease.seq, lease.attempt, lease.worker, lease.need) for lease in again.open_leases()] == [
        (1, 1, "w", PING)
    ]
    assert again.needs() == [PING]


def test_the_first_answer_counts(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    ledger.add(jobs(2))
    ledger.lease(1, "w", "i")
    ledger.release(1, 1, "silent", 1, rest=True)
    assert ledger.lease(1, "v", "j") == 2
    assert ledger.finish(1, 1, "w", 0.5, 10, b"first")
    assert not ledger.finish(1, 2, "v", 0.5, 10, b"second")
    assert not ledger.fail(1, 2, "v", "third")
    assert ledger.counts == Counts(waiting=1, done=1)
    assert [answer.body for answer in ledger.answers_by_seq(0, 9)] == [b"first"]
    assert ledger.ever_held(1, 1, "w")
    assert not ledger.ever_held(1, 1, "v")
    assert not ledger.finish(99, 1, "w", 0.0, 0, b"")


def test_a_resting_job_is_not_given_out_until_it_is_woken_or_the_file_is_opened_again(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    ledger.add(jobs(2))
    for seq in (1, 2):
        ledger.lease(seq, "w", "i")
        assert ledger.release(seq, 1, "broke", 2, rest=True) == 2
    assert ledger.ready(PING, 9) == []
    ledger.wake(1)
    assert [job.seq for job in ledger.ready(PING, 9)] == [1]
    ledger.close()
    assert [(job.seq, job.strikes) for job in ledger_at(tmp_path / "s").ready(PING, 9)] == [(1, 2), (2, 2)]


def test_answers_in_order_stop_at_the_first_gap(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    ledger.add(jobs(5))
    for seq in (2, 1, 4):
        ledger.lease(seq, "w", "i")
        ledger.finish(seq, 1, "w", 0.0, 0, b"")
    assert [answer.seq for answer in ledger.answers_by_seq(0, 9)] == [1, 2]
    assert [answer.seq for answer in ledger.answers_by_arrival(0, 9)] == [2, 1, 4]
    assert [answer.seq for answer in ledger.answers_by_arrival(1, 1)] == [1]


def test_failed_jobs_can_be_tried_again_with_a_clean_record(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    ledger.add(jobs(2))
    ledger.lease(1, "w", "i")
    ledger.release(1, 1, "broke", 6, rest=True)
    ledger.fail(1, 1, "w", "given up")
    ledger.fail(2, None, None, "no job")
    assert ledger.retry_failed() == 2
    assert ledger.counts == Counts(waiting=2)
    assert [(job.seq, job.strikes) for job in ledger.ready(PING, 9)] == [(1, 0), (2, 0)]
    assert [entry.blame for entry in ledger.tries(1)] == [0]


def test_a_file_in_use_is_refused(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    ledger.add(jobs(1))
    ledger.commit()
    with pytest.raises(LedgerError, match="another process has it open"):
        ledger_at(tmp_path / "s")
    script = (
        "import sys, pathlib; from fanqi.dispatch.ledger import Ledger;"
        "Ledger(pathlib.Path(sys.argv[1]), name=lambda: 'x')"
    )
    other = subprocess.run([sys.executable, "-c", script, str(tmp_path / "s")], capture_output=True, text=True)
    assert "another process has it open" in other.stderr


def test_other_files_are_refused_by_name(tmp_path):
    text = tmp_path / "text"
    text.write_text("this is not a database, and long enough to look like one" * 10)
    with pytest.raises(LedgerError, match=r"text.*not a database"):
        ledger_at(text)
    foreign = sqlite3.connect(tmp_path / "foreign")
    foreign.execute("CREATE TABLE t (a)")
    foreign.commit()
    foreign.close()
    with pytest.raises(LedgerError, match="another program's database"):
        ledger_at(tmp_path / "foreign")
    newer = ledger_at(tmp_path / "newer")
    newer._db.execute("PRAGMA user_version = 9")
    newer.close()
    with pytest.raises(LedgerError, match="version 9"):
        ledger_at(tmp_path / "newer")
    with pytest.raises(LedgerError, match=r"no/folder': there is no folder .*/no$"):
        ledger_at(tmp_path / "no" / "folder")


def test_the_oldest_waiting_job_has_a_time(tmp_path):
    ledger = ledger_at(tmp_path / "s")
    assert ledger.waiting_since() is None
    ledger.add(jobs(1))
    assert ledger.waiting_since() == 100.0
    assert ledger.waiting(PING)
    ledger.lease(1, "w", "i")
    assert ledger.waiting_since() is None
    assert not ledger.waiting(PING)


def test_a_full_disk_is_said_of_the_state_file(tmp_path):
    ledger = ledger_at(tmp_path / "s.state")
    ledger._db.execute("PRAGMA max_page_count = 12")
    with pytest.raises(LedgerError, match=r"state file '.*s\.state': database or disk is full"):
        ledger.add([NewJob("x", PING, 10.0, bytes(100_000))])


def test_records_that_cannot_be_written_are_named(tmp_path):
    ledger = ledger_at(None)
    work = encode(Selfplay(game="othello", games=1, seed=7, depth=1))
    ledger.add([NewJob("seed 7", Need("selfplay", "othello"), 10.0, work)])
    result = encode(SelfplayResult(games=1, positions=60, records=b"x"))
    assert ledger.finish(1, ledger.lease(1, "w", "i"), "w", 0.5, 10, result)
    results = ResultFile(ledger, tmp_path / "out.jsonl", ordered=True, records=tmp_path / "nowhere")
    with pytest.raises(LedgerError, match=r"results '.*nowhere/play-7\.msgpack': No such file or directory"):
        results.harvest(True)
    results.close()


def test_results_that_cannot_be_written_are_named(tmp_path, monkeypatch):
    ledger = ledger_at(None)
    results = ResultFile(ledger, tmp_path / "out.jsonl", ordered=True)

    def fsync(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(LedgerError, match=r"results '.*out\.jsonl': No space left on device"):
        results.harvest(True)
    results.close()
