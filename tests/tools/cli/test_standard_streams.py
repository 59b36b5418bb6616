"""Commands whose stdin or stdout is closed, full or gone: one line, an exit code, and no file gets the answers."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
CLOSED, DISK_FULL = "it is closed", "No space left on device"
STREAMS = [
    pytest.param(">&-", CLOSED, id="closed"),
    pytest.param(
        f">{FULL}",
        DISK_FULL,
        id="full",
        marks=pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full"),
    ),
]


def shell(words: str, redirection: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """A command as a shell starts it."""
    line = f"{shlex.quote(sys.executable)} -m fanqi.cli {words} {redirection}"
    return subprocess.run(["sh", "-c", line], input=given, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(("redirection", "why"), STREAMS)
@pytest.mark.parametrize("words", ["arbiter --help", "show othello", "convert --to json - -"])
def test_a_stdout_that_cannot_be_written_is_one_line_and_exit_code_1(words, redirection, why):
    done = shell(words, redirection, "f5d6\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"error: stdout cannot be written: {why}\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", ["convert --to json - -", "arbiter verify -", "analyse -", "play othello --level 0",
                                   "submit - --local 1 --depth 1 --out -"])  # fmt: skip
def test_a_stdin_that_is_closed_is_one_line_and_exit_code_1(words):
    done = shell(words, "<&-")
    assert done.returncode == 1
    assert done.stderr.endswith("error: stdin cannot be read: it is closed\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("redirection", "why"), STREAMS)
def test_a_failure_that_a_command_has_told_of_is_not_told_twice(redirection, why):
    done = shell("analyse f5d6 --depth 1 --json", redirection)
    assert done.returncode == 1
    assert done.stderr == f"fanqi analyse: error: stdout cannot be written: {why}\n"


@pytest.mark.parametrize(("redirection", "why"), [("<&-", CLOSED), *STREAMS])
def test_an_engine_without_a_host_says_so_and_ends(redirection, why):
    done = shell("engine", redirection, "uci\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    event = json.loads(done.stderr)
    what = "stdin cannot be read" if redirection == "<&-" else "stdout cannot be written"
    assert (event["event"], event["reason"]) == (what, why)


def test_what_is_opened_never_takes_the_place_of_a_closed_stream(tmp_path):
    script = "import os; from fanqi.stdio.descriptors import fill_gaps; fill_gaps(); print(os.open('f', os.O_CREAT))"
    line = f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} <&- 2>&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    assert int(done.stdout) > 2


def test_whoever_stops_reading_is_told_nothing():
    done = shell("perft othello 5 --divide", "| true")
    assert done.stderr == ""
