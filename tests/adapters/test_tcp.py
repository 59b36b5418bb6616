"""Many sessions in one process: fairness, limits, clients of every kind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading

import pytest

from fanqi.tcp import ServerConfig

PATIENCE = 20


def test_a_session(play):
    async def scenario(world):
        client = await world.client()
        client.send("uci", "position startpos moves 3", "go depth 1")
        assert (await client.until("uciok"))[0].startswith("id name Fanqi")
        assert (await client.until("bestmove"))[-1] == "bestmove 1"
        client.send("quit")
        assert await client.rest() == []

    play(scenario)


def test_the_largest_table_is_what_the_server_allows(play):
    async def scenario(world):
        client = await world.client()
        client.send("uci")
        assert "option name Hash type spin default 5 min 1 max 5" in await client.until("uciok")

    play(scenario, max_hash_mib=5)


def test_sessions_do_not_see_each_other(play):
    async def scenario(world):
        clients = [await world.client() for _ in range(30)]
        for number, client in enumerate(clients):
            client.send(f"position fen {number + 1} p1", "query fen")
        answers = [(await client.until("response"))[-1] for client in clients]
        assert answers == [f"response {number + 1} p1" for number in range(30)]

    play(scenario)


def test_every_one_of_many_searches_gets_one_best_move_and_the_wait_is_told(play):
    async def scenario(world):
        clients = [await world.client() for _ in range(50)]
        for client in clients:
            await client.ask("position startpos")
        for client in clients:
            client.send("go depth 1", "go depth 1", "quit")
        for client in clients:
            said = await client.rest()
            assert sum(line.startswith("bestmove 1") for line in said) == 2

    play(scenario, max_searches=2)


def test_a_search_without_a_slot_waits_in_order_and_can_be_stopped(play):
    async def scenario(world):
        world.script.until_stopped = True
        first, second, third = [await world.client() for _ in range(3)]
        for client in (first, second, third):
            await client.ask()
        first.send("go infinite")
        await first.until("info depth")
        second.send("go infinite")
        await second.ask()
        third.send("go infinite")
        await third.ask()
        second.send("stop")
        assert (await second.until("bestmove"))[-2:] == [
            "info string stopped before its turn: nothing was searched",
            "bestmove 1",
        ]
        assert world.server.searches == 1
        await asyncio.sleep(0.005)  # a wait of less than a millisecond is not told
        first.send("stop")
        assert (await first.until("bestmove"))[-1] == "bestmove 1"
        assert (await third.line()).startswith("info string waited ")
        third.send("stop")
        await third.until("bestmove")

    play(scenario)


def test_a_client_that_vanishes_ends_its_search(play):
    async def scenario(world):
        world.script.until_stopped = True
        client = await world.client()
        client.send("go infinite")
        await client.until("info depth")
        client.abort()
        await world.settled(lambda: world.server.searches == 0 and world.server.sessions == 0)
        assert world.server.hash_mib == 0

    play(scenario)


def test_a_client_that_shuts_down_its_sending_side_still_gets_the_answers(play_tcp):
    async def scenario(world):
        client = await world.client()
        client.send("position startpos moves 2", "query fen", "go depth 1")
        client.writer.write_eof()
        said = await client.rest()
        assert said[0].startswith("info string othello: ")
        assert said[1] == "response 8 p2"
        assert said[-1] == "bestmove 1"

    play_tcp(scenario)


def test_one_session_too_many_is_told_so_and_the_place_can_be_taken_again(play):
    async def scenario(world):
        first = await world.client()
        await first.ask()
        second = await world.client()
        assert await second.rest() == ["info string closing: the server is full (1 sessions)"]
        await first.close()
        await world.settled(lambda: world.server.sessions == 0)
        third = await world.client()
        await third.ask()

    play(scenario, max_sessions=1)


def test_a_silent_client_is_told_and_sent_away(play):
    async def scenario(world):
        client = await world.client()
        assert await client.rest() == ["info string closing: idle for 0.05 s"]
        await world.settled(lambda: world.server.sessions == 0)

    play(scenario, idle_timeout_s=0.05)


def test_a_client_that_waits_for_its_search_is_not_idle(play):
    async def scenario(world):
        world.script.until_stopped = True
        client = await world.client()
        await client.ask()
        client.send("go infinite")
        await client.until("info depth")
        await asyncio.sleep(1.5)
        client.send("stop")
        assert await client.line() == "bestmove 1"

    play(scenario, idle_timeout_s=1.0)


def test_tables_are_bounded_together_and_given_back(play):
    async def scenario(world):
        clients = [await world.client() for _ in range(3)]
        for client in clients:
            client.send("go depth 1")
            await client.until("bestmove")
        assert [settings.hash_mib for settings in world.script.settings] == [64, 36, 1]
        for client in clients:
            client.send("quit")
            await client.rest()
        assert world.server.hash_mib == 0

    play(scenario, total_hash_mib=100)


def test_a_client_that_does_not_read_is_not_read_from_and_harms_nobody(play_tcp):
    async def scenario(world):
        host, port = world.server.addresses[0]
        greedy = socket.create_connection((host, port))
        greedy.setblocking(False)
        loop = asyncio.get_running_loop()
        flood = b"help\n" * 20_000  # its answers would be some 20 MB
        sending = asyncio.ensure_future(loop.sock_sendall(greedy, flood * 50))
        client = await world.client()
        for _ in range(50):
            await client.ask("query fen")
        await world.settled(lambda: any(c._paused for c in world.server._connections))
        (connection,) = [c for c in world.server._connections if c._paused]
        kept = connection._transport.get_write_buffer_size() + sum(map(len, connection._unwritten))
        assert kept < 200_000
        assert not sending.done()
        sending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sending
        greedy.close()

    play_tcp(scenario, max_unread_bytes=100_000)


def test_a_slow_reader_gets_every_answer_in_the_end(play):
    async def scenario(world):
        client = await world.client()
        await client.ask()
        client.send(*["help"] * 2000, "query p1turn", "quit")
        await asyncio.sleep(0.1)
        said = await client.rest()
        assert said[-1] == "response true"
        assert sum(line.startswith("arbiter") for line in said) == 2000

    play(scenario, max_unread_bytes=10_000)


def test_noise_gets_only_errors_and_the_others_do_not_notice(play_tcp):
    async def scenario(world):
        noisy, quiet = await world.client(), await world.client()
        noisy.writer.write(random.Random(2).randbytes(100_000) + b"x" * 10**6 + b"\n\nisready\n")
        assert await quiet.ask("query p1turn") != []
        said = await noisy.until("readyok")
        assert all(line.startswith("info string ") for line in said[:-1])

    play_tcp(scenario)


def test_perft_is_bounded(play):
    async def scenario(world):
        client = await world.client()
        client.send("go perft 7")
        error = "info string error: perft is limited to depth 6 here at token 3: 7"
        assert (await client.until("info string error"))[-1] == error

    play(scenario)


def test_shutdown_gives_everybody_a_last_word(play):
    async def scenario(world):
        world.script.until_stopped = True
        searching, idle = await world.client(), await world.client()
        await idle.ask()
        searching.send("go infinite")
        await searching.until("info depth")
        await world.server.stop()
        assert await searching.rest() == ["info string closing: the server is shutting down", "bestmove 1"]
        assert await idle.rest() == ["info string closing: the server is shutting down"]

    play(scenario)


def test_a_thousand_idle_sessions_need_no_threads_and_little_memory(play):
    async def scenario(world):
        before = threading.active_count()
        clients = [await world.client() for _ in range(300)]
        for client in clients:
            await client.ask("position startpos moves 1")
        assert world.server.sessions == 300
        assert threading.active_count() <= before + 1
        assert world.server.hash_mib == 0

    play(scenario)


def test_threads_are_an_option_where_a_search_may_have_more_than_one(play):
    async def offered(world):
        client = await world.client()
        client.send("uci")
        threads.append([line for line in await client.until("uciok") if line.startswith("option name Threads")])

    threads = []
    play(offered)
    play(offered, max_threads=3)
    assert threads == [[], ["option name Threads type spin default 1 min 1 max 3"]]


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        ({"max_sessions": 0}, "max_sessions"),
        ({"connects_per_minute": 0}, "connects_per_minute"),
        ({"max_unread_bytes": 0}, "max_unread_bytes"),
        ({"port": 70_000}, "port"),
        ({"idle_timeout_s": -1}, "idle"),
    ],
)
def test_limits_that_make_no_sense_are_named(limits, name):
    with pytest.raises(ValueError, match=name):
        ServerConfig(**limits)


SERVE = """
import sys
from fanqi.tcp import ServerConfig, serve
sys.exit(serve(ServerConfig(port=int(sys.argv[1]), preload=())))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals cannot be sent to one process")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_real_server_ends_in_good_order_on_a_signal(number):
    process = subprocess.Popen([sys.executable, "-c", SERVE, "0"], stderr=subprocess.PIPE, text=True)
    listening = process.stderr.readline()
    port = int(listening.partition('"port": ')[2].partition(",")[0].rstrip("}\n "))
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(b"uci\n")
        text = b""
        while b"uciok\n" not in text:
            text += client.recv(4096)
        os.kill(process.pid, number)
        text = b""
        while data := client.recv(4096):
            text += data
    assert text == b"info string closing: the server is shutting down\n"
    assert process.wait(PATIENCE) == 0
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_an_address_that_is_taken_is_an_error_with_code_1():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run([sys.executable, "-c", SERVE, str(port)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert '"event": "cannot listen"' in done.stderr
