"""The engine as a real process: pipes, ends of all kinds, bytes of all kinds."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading

import pytest

from fanqi.game import FEATURES

ENGINE = [sys.executable, "-m", "fanqi.stdio"]
PATIENCE = 240  # an empty kernel cache has to be filled first


def hear_interrupts():
    """A test run in the background of a shell ignores SIGINT, and its children would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Engine:
    """A process of ours, read by a thread so that no test can hang on a line that never comes."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [*ENGINE, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=hear_interrupts if os.name == "posix" else None,
        )
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode())
        self.lines.put(None)

    def send(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def until(self, word):
        """All lines up to the first that begins with ``word``."""
        lines = []
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            lines.append(line.rstrip("\n"))
            if line.startswith(word):
                return lines
        pytest.fail(f"no {word!r} in {lines}, stderr: {self.process.stderr.read().decode()}")

    def rest(self):
        lines = []
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            lines.append(line.rstrip("\n"))
        return lines

    def wait(self):
        """The exit code and what was on stderr."""
        code = self.process.wait(PATIENCE)
        return code, self.process.stderr.read().decode()

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
        self.reader.join()
        self.process.stdout.close()


@pytest.fixture
def engine(request):
    """An engine; with ``indirect`` parameters as its arguments."""
    engine = Engine(*getattr(request, "param", ()))
    yield engine
    engine.close()


def pipe(text, *arguments, timeout=PATIENCE):
    """Everything at once through a pipe: exit code, lines of stdout, stderr."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([*ENGINE, *arguments], input=data, capture_output=True, timeout=timeout)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()


# --- start --------------------------------------------------------------------------------------------------------


def test_the_handshake_imports_nothing_heavy():
    code = """
import os, sys, threading
from fanqi.stdio.main import main
to_engine, from_test = os.pipe()[::-1], None
reading, writing = os.pipe()
answers, answering = os.pipe()
os.write(writing, b"uci\\n")
thread = threading.Thread(target=main, args=((), (reading, answering)), daemon=True)
thread.start()
text = b""
while b"uciok" not in text:
    text += os.read(answers, 4096)
heavy = {"numba", "numpy", "structlog", "typer", "rich", "llvmlite", "asyncio", "argparse", "msgspec"}
print(sorted(heavy & set(sys.modules)))
os.write(writing, b"quit\\n")
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_session_by_hand(engine):
    engine.send("uci")
    assert engine.until("uciok")[0].startswith("id name Fanqi ")
    engine.send("isready")
    assert engine.until("readyok")[-1] == "readyok"
    engine.send("position startpos moves f5 d6", "go movetime 50")
    assert engine.until("bestmove")[-1] in [f"bestmove c{row}" for row in range(3, 8)]
    engine.send("d", "quit")
    assert "fen ---------------------------OX------OXX-----O-------------------- X" in engine.rest()
    assert engine.wait() == (0, "")


@pytest.mark.parametrize("engine", [("--variant", "banqi", "--option", "Hash=3")], indirect=True)
def test_the_command_line_sets_what_the_handshake_shows(engine):
    engine.send("uci", "position startpos", "go nodes 1")
    shown = engine.until("uciok")
    assert any(line.startswith("option name UCI_Variant type combo default banqi var othello ") for line in shown)
    assert "option name Hash type spin default 3 min 1 max 65536" in shown
    assert len(engine.until("bestmove")[-1]) == len("bestmove b8")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--variant", "chess"], "chess"),
        (["--option", "Hash=lots"], "expected an integer from 1 to 65536"),
        (["--option", "Hashish=3"], "no such option"),
        (["--variant", "banqi", "--option", "UCI_Elo=9999"], "from {} to {}".format(*FEATURES["banqi"].elo)),
        (["--log-level", "loud"], "loud"),
        (["fast"], "fast"),
    ],
)
def test_a_usage_error_is_code_2_and_named_on_stderr(arguments, complaint):
    code, said, complaints = pipe("uci\n", *arguments)
    assert (code, said) == (2, [])
    assert complaint in complaints


def test_help_has_an_example():
    code, said, _ = pipe("", "--help")
    assert code == 0
    assert any("fanqi engine --variant banqi" in line for line in said)


# --- ends ---------------------------------------------------------------------------------------------------------


def test_stop_right_after_go_infinite_gives_a_best_move(engine):
    engine.send("position startpos", "go infinite", "stop")
    assert engine.until("bestmove")[-1][len("bestmove ") :] in ("c4", "d3", "e6", "f5")
    engine.send("quit")
    assert engine.wait() == (0, "")


@pytest.mark.parametrize("end", ["quit\n", ""])
def test_the_end_in_the_middle_of_a_search_prints_its_best_move(engine, end):
    engine.send("isready")
    engine.until("readyok")
    engine.send("go infinite")
    engine.until("info depth")
    engine.process.stdin.write(end.encode())
    engine.process.stdin.close()
    assert engine.rest()[-1].startswith("bestmove ")
    assert engine.wait() == (0, "")


def test_a_closed_stdout_ends_the_process_with_code_1_and_no_traceback():
    process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"uci\n")
    process.stdin.flush()
    while process.stdout.readline() != b"uciok\n":
        pass
    process.stdout.close()
    process.stdin.write(b"isready\n")
    process.stdin.flush()
    assert process.wait(PATIENCE) == 1
    assert process.stderr.read() == b""
    process.stderr.close()
    process.stdin.close()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process")
def test_an_interrupt_stops_the_search_and_is_code_1(engine):
    engine.send("isready")
    engine.until("readyok")
    engine.send("go infinite")
    engine.until("info depth")
    engine.process.send_signal(signal.SIGINT)
    assert engine.rest()[-1].startswith("bestmove ")
    assert engine.wait() == (1, "")


def test_everything_through_one_pipe_is_answered_in_order():
    script = "isready\nposition startpos moves f5\nquery fen\nquery p1turn\ngo depth 1\nisready\nd\n"
    code, said, complaints = pipe(script)
    kept = [line for line in said if line.startswith(("readyok", "response", "bestmove", "fen"))]
    board = "---------------------------OX------XXX-------------------------- O"
    assert kept[:3] == ["readyok", f"response {board}", "response false"]
    assert kept[-1] == f"fen {board}"
    assert kept[3:-1] in (["bestmove d6", "readyok"], ["readyok", kept[4]])
    assert (code, complaints) == (0, "")


def test_a_last_line_without_a_line_feed_counts():
    assert pipe("isready\nquery p1turn")[1][-1] == "response true"


# --- bytes --------------------------------------------------------------------------------------------------------


def test_carriage_returns_and_a_byte_order_mark_do_no_harm():
    code, said, _ = pipe(b"\xef\xbb\xbfuci\r\nisready\r\nposition startpos moves f5\r\nquery legal\r\nquit\r\n")
    assert code == 0
    assert "readyok" in said
    assert said[-1] == "response d6 f4 f6"
    assert not any("error" in line for line in said)


def test_a_line_of_a_mebibyte_is_one_error():
    code, said, complaints = pipe(b"position startpos moves " + b"f5 " * 350_000 + b"\nquit\n")
    assert said == [
        "info string error: line longer than 65536 bytes at token 1: position startpos moves f5 f5 f5 f5 f5 f…"
    ]
    assert (code, complaints) == (0, "")


def test_random_bytes_get_only_error_lines():
    noise = random.Random(1).randbytes(200_000)
    code, said, complaints = pipe(noise + b"\nquit\n")
    assert said
    assert all(line.startswith("info string error: ") and line.isprintable() for line in said)
    assert (code, complaints) == (0, "")


def test_a_reader_that_does_not_read_does_not_stop_the_engine():
    """The pipe is full long before the end, and nothing is lost but thinking."""
    reading, writing = os.pipe()
    process = subprocess.Popen([*ENGINE, "--log-level", "error"], stdin=subprocess.PIPE, stdout=writing)
    os.close(writing)
    process.stdin.write(b"help\n" * 1000 + b"isready\nquery p1turn\n")
    process.stdin.flush()
    text = b""
    while not text.endswith(b"response true\n"):
        text += os.read(reading, 65_536)
    assert text.count(b"arbiter new") == 1000
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    os.close(reading)


# --- logs ---------------------------------------------------------------------------------------------------------


def test_logs_are_json_on_stderr_and_never_on_stdout():
    code, said, logged = pipe(b"joho \xff\nquit\n", "--log-level", "debug")
    events = [json.loads(line) for line in logged.splitlines()]
    assert [(event["event"], event["line"]) for event in events] == [("received", "joho \\xff"), ("received", "quit")]
    assert said == [r"info string error: not UTF-8 at token 2: \xff"]
    assert code == 0
