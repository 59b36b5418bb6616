"""Latency is measured from outside, over pipes, as a host would see it."""

from __future__ import annotations

import sys

import pytest

from fanqi.bench.latency import EngineProcess, Times, measure

ENGINE = """
import sys, time
thinking = banqi = False
moves = 0
for line in sys.stdin:
    words = line.split()
    match words[0]:
        case "uci": print("id name x", "uciok", sep="\\n", flush=True)
        case "isready": print("readyok", flush=True)
        case "setoption": banqi = words[-1] == "banqi"
        case "query": print("response", "X" * (32 if banqi else 64), "p1", flush=True)
        case "position": moves = len(words) - 3
        case "arbiter": print(f"arbiter reveal {words[2]}=P" if words[1] == "flip" else "arbiter commit 0", flush=True)
        case "stop": print("bestmove b8", flush=True)
        case "go" if words[1] == "movetime":
            time.sleep(0.002)
            print("bestmove", "(none)" if moves > 4 else "b8", flush=True)
        case "quit": break
"""
COMMAND = [sys.executable, "-c", ENGINE]


def test_blanks_around_what_an_engine_says_make_no_difference():
    padded = ENGINE.replace('"bestmove"', '" \\tbestmove "').replace('"bestmove b8"', '" bestmove  b8"')
    report = measure([sys.executable, "-c", padded], "othello", starts=1, stops=1, moves=2, movetime_ms=1)
    assert len(report.overshoot.values) == 2


@pytest.mark.parametrize("variant", ["othello", "banqi"])
def test_everything_is_measured_as_often_as_asked(variant):
    report = measure(COMMAND, variant, starts=2, stops=3, moves=12, movetime_ms=1)
    counts = [len(times.values) for times in (report.handshake, report.ready, report.ping, report.stop)]
    assert counts == [2, 2, 3, 3]
    assert len(report.overshoot.values) == 12
    assert report.overshoot.values[0] > 0
    assert len(list(report.lines())) == 6


def test_percentiles_are_values_that_were_measured():
    times = Times.of([5.0, 1.0, 3.0, 2.0, 4.0])
    assert (times.median, times.percentile(99), times.worst, times.percentile(20)) == (3.0, 5.0, 5.0, 1.0)


def test_an_engine_that_has_ended_before_it_is_told_to_is_closed_quietly():
    engine = EngineProcess([sys.executable, "-c", "import os; os.close(0)"])
    with pytest.raises(EOFError):
        engine.until("readyok")
    engine.close()


def test_an_engine_that_ends_is_not_waited_for():
    engine = EngineProcess([sys.executable, "-c", "print('hello')"])
    with pytest.raises(EOFError, match="readyok"):
        engine.until("readyok")
    engine.close()
