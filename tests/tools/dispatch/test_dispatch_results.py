"""Results that are written out as they come, and what the ledger keeps of them."""

from __future__ import annotations

import io
import json

import pytest

from fanqi.dispatch.ledger import Ledger, NewJob
from fanqi.dispatch.needs import Need
from fanqi.dispatch.results import ResultFile
from fanqi.mqtt.codec import encode
from fanqi.mqtt.work import Ping, PingResult

JOBS = 40


def begun(path=None):
    ledger = Ledger(path, name=lambda: "d")
    need = Need("ping", None, 1, 1)
    ledger.add([NewJob(f"in:{number}", need, 60.0, encode(Ping(text="x"))) for number in range(1, JOBS + 1)])
    return ledger


def answer(ledger, seq):
    if seq % 10 == 0:
        ledger.fail(seq, None, None, "no")
    else:
        attempt = ledger.lease(seq, "w", "i")
        assert ledger.finish(seq, attempt, "w", 0.1, 1, encode(PingResult(text=f"text {seq}")))


def kept(ledger):
    return [ledger._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("jobs", "answers", "tries")]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("step", [1, 3, 7])
def test_a_ledger_in_memory_keeps_what_is_outstanding_or_was_given_up(ordered, step):
    ledger, stream = begun(), io.BytesIO()
    results = ResultFile(ledger, None, ordered=ordered, stream=stream, clock=iter(range(1000)).__next__)
    order = [seq ^ 1 for seq in range(2, JOBS)] + [1, JOBS]  # 3 2 5 4 …
    for number, seq in enumerate(order, 1):
        answer(ledger, seq)
        if number % step == 0:
            results.harvest(last=False)
    results.harvest(last=True)
    written = [json.loads(line)["job"] for line in stream.getvalue().splitlines()]
    assert written == (sorted(order) if ordered else order)
    assert kept(ledger) == [4, 4, 0]
    assert (ledger.counts.done, ledger.counts.failed, ledger.counts.total) == (36, 4, JOBS)
    assert [failure.seq for failure in ledger.failures(5)] == [10, 20, 30, 40]


def test_an_answer_waits_for_those_before_it_and_no_longer():
    ledger, stream = begun(), io.BytesIO()
    results = ResultFile(ledger, None, ordered=True, stream=stream, clock=iter(range(1000)).__next__)
    lines = []
    for seq in (2, 3, 1, 4):
        answer(ledger, seq)
        results.harvest(last=False)
        lines.append(len(stream.getvalue().splitlines()))
    assert lines == [0, 0, 3, 4]


def test_a_state_file_keeps_everything(tmp_path):
    ledger = begun(tmp_path / "state")
    results = ResultFile(ledger, None, ordered=True, stream=io.BytesIO())
    for seq in range(1, JOBS + 1):
        answer(ledger, seq)
    results.harvest(last=True)
    assert kept(ledger) == [JOBS, JOBS, 36]
    ledger.close()
