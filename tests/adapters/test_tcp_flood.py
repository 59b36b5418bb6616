"""Floods: of bytes, of connections, of log lines that nobody reads. Whoever sends one must not make the others wait."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import partial

import pytest

from fanqi.logs import Logger, PatientStream
from fanqi.tcp import Server, ServerConfig
from fanqi.tcp.errands import Errands
from fanqi.tcp.journal import BURST, PER_SECOND, Journal
from fanqi.uci import Library, LineSplitter

PATIENCE = 20


# --- bytes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_an_endless_line_is_read_one_piece_a_turn_of_the_loop(kind, fakes, monkeypatch):
    factory = None
    if kind == "uvloop":
        factory = pytest.importorskip("uvloop", reason="uvloop is not for this platform").new_event_loop
    turn = 0
    pieces = Counter()

    class Counting(LineSplitter):
        def feed(self, data):
            pieces[turn] += 1
            super().feed(data)

    monkeypatch.setattr("fanqi.tcp.connection.LineSplitter", Counting)

    def flood(port):
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
            client.sendall(b"x" * 2**23 + b"\nuci\n")
            said = b""
            while not said.endswith(b"uciok\n"):
                said += client.recv(2**16)

    async def life():
        nonlocal turn
        library = Library(lambda name: fakes.HeapGame(fakes.Script(), name))
        server = Server(ServerConfig(port=0, preload=(), shutdown_s=PATIENCE), library, Logger("error"))
        await server.start()
        attack = asyncio.create_task(asyncio.to_thread(flood, server.addresses[0][1]))
        while not attack.done():
            await asyncio.sleep(0)
            turn += 1
        await attack
        await server.stop()

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(life())
    assert max(pieces.values()) == 1


# --- connections ----------------------------------------------------------------------------------------------


class Evening:
    """A journal, its clock, and what it has planned."""

    def __init__(self, level="info"):
        self.now = 0.0
        self.planned = []
        self.stream = io.StringIO()
        self.journal = Journal(
            Logger(level, self.stream), lambda: self.now, lambda seconds, do: self.planned.append((seconds, do))
        )

    def connect(self, count):
        for number in range(count):
            self.journal.logger_for(f"10.0.0.1:{number}").info("connected")

    def events(self):
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


def test_of_a_flood_of_connections_the_first_are_logged_and_the_others_are_counted():
    evening = Evening()
    evening.connect(BURST + 7)
    assert [event["peer"] for event in evening.events()] == [f"10.0.0.1:{number}" for number in range(BURST)]
    ((seconds, tell),) = evening.planned
    tell()
    assert seconds == 1.0
    assert evening.events()[-1]["left_out"] == 7


def test_when_the_flood_is_over_connections_are_logged_again():
    evening = Evening()
    evening.connect(BURST + 7)
    evening.now = 3.0
    evening.connect(1000)
    assert len(evening.events()) == BURST + 3 * PER_SECOND


def test_all_connections_are_logged_for_debugging():
    evening = Evening("debug")
    evening.connect(10 * BURST)
    assert len(evening.events()) == 10 * BURST
    assert not evening.planned


# --- farewells ------------------------------------------------------------------------------------------------


def test_errands_are_run_in_order_and_a_few_milliseconds_a_turn():
    ran, turns = [], []

    async def life():
        errands, turn = Errands(), 0

        def errand(number):
            time.sleep(0.001)
            ran.append(number)
            turns.append(turn)

        for number in range(20):
            errands.add(partial(errand, number))
        while len(ran) < 20:
            await asyncio.sleep(0)
            turn += 1

    asyncio.run(life())
    assert ran == list(range(20))
    assert max(Counter(turns).values()) <= 3


def test_an_errand_that_fails_does_not_end_the_others():
    failed, ran = [], []

    async def life():
        errands = Errands()
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failed.append(context["exception"]))
        errands.add(lambda: ran[0])
        errands.add(lambda: ran.append("second"))
        while not ran:
            await asyncio.sleep(0)
        errands.add(lambda: ran.append("third"))
        errands.finish()

    asyncio.run(life())
    assert [type(error) for error in failed] == [IndexError]
    assert ran == ["second", "third"]


def test_hundreds_of_clients_that_are_sent_away_at_once_all_hear_why(fakes):
    async def life():
        library = Library(lambda name: fakes.HeapGame(fakes.Script(), name))
        limits = ServerConfig(port=0, preload=(), idle_timeout_s=0.2, shutdown_s=PATIENCE)
        server = Server(limits, library, Logger("error"))
        await server.start()
        clients = [await asyncio.open_connection(*server.addresses[0]) for _ in range(200)]
        async with asyncio.timeout(PATIENCE):
            for reader, writer in clients:
                assert await reader.read() == b"info string closing: idle for 0.2 s\n"
                writer.close()
                await writer.wait_closed()
            while server.sessions:
                await asyncio.sleep(0.001)
        await server.stop()

    asyncio.run(life())


# --- log lines ------------------------------------------------------------------------------------------------


def test_lines_come_out_in_order():
    stream = io.StringIO()
    with PatientStream(stream) as patient:
        logger = Logger("info", patient)
        for number in range(1000):
            logger.info("counted", number=number)
    assert [json.loads(line)["number"] for line in stream.getvalue().splitlines()] == list(range(1000))


class Stuck(io.StringIO):
    """A stream whose reader sleeps until he is woken."""

    def __init__(self):
        super().__init__()
        self.awake = threading.Event()
        self.asked = threading.Event()

    def write(self, text):
        self.asked.set()
        assert self.awake.wait(PATIENCE)
        return super().write(text)


def test_a_reader_that_sleeps_delays_nobody_and_learns_what_he_has_missed():
    stream = Stuck()
    with PatientStream(stream, most=10) as patient:
        patient.write("first\n")
        assert stream.asked.wait(PATIENCE)
        for number in range(15):
            patient.write(f"{number}\n")
        stream.awake.set()
    lines = stream.getvalue().splitlines()
    assert lines[:-1] == ["first", *(str(number) for number in range(10))]
    assert json.loads(lines[-1]) == {"event": "log lines lost", "level": "warning", "lines": 5}


class Gone(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


def test_a_reader_that_is_gone_is_no_error():
    with PatientStream(Gone()) as patient:
        patient.write("to nobody\n")
    assert not patient.isatty()


SERVE = """
import sys
from fanqi.tcp import ServerConfig, serve
sys.exit(serve(ServerConfig(port=0, preload=(), log_level="debug")))
"""


def test_a_server_whose_log_nobody_reads_goes_on_answering():
    process = subprocess.Popen([sys.executable, "-c", SERVE], stderr=subprocess.PIPE, text=True)
    listening = process.stderr.readline()
    port = int(listening.partition('"port": ')[2].partition(",")[0].rstrip("}\n "))
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(b"help\n" * 3000 + b"uci\n")  # each is a line in the log: more than a pipe holds
        text = b""
        while b"uciok\n" not in text:
            text += client.recv(2**16)
    process.kill()
    process.communicate()
