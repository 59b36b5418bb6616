"""A server that strangers can talk to: tokens, TLS, limits by address, clients that do nothing or too much, the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request

import pytest

from fanqi.metrics import render
from fanqi.peers import AddressBook
from fanqi.tcp import ServerConfig

PATIENCE = 20


# --- tokens ---------------------------------------------------------------------------------------------------


def test_after_its_token_a_client_has_a_session(play):
    async def scenario(world):
        client = await world.client()
        client.send("token open-sesame", "position startpos", "query fen")
        assert await client.line() == "tokenok"
        assert (await client.until("response"))[-1] == "response 10 p1"

    play(scenario, token="open-sesame")


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("token open-sesam", "wrong token"),
        ("token", "wrong token"),
        ("token open-sesame please", "wrong token"),
        ("uci", "first say: token TOKEN"),
        ("x" * 70_000, "first say: token TOKEN"),
    ],
)
def test_anything_else_ends_the_connection_and_nothing_after_it_is_heard(play, first, why):
    async def scenario(world):
        client = await world.client()
        client.send(first, "token open-sesame", "uci", "go infinite")
        assert await client.rest() == [f"info string closing: {why}"]
        assert world.server.searches == 0

    play(scenario, token="open-sesame")


def test_blank_lines_and_comments_may_come_before_the_token(play):
    async def scenario(world):
        client = await world.client()
        client.send("", "# who we are", "  ", "token open-sesame", "query fen")
        assert await client.line() == "tokenok"

    play(scenario, token="open-sesame")


def test_a_client_that_never_says_its_token_is_sent_away(play):
    async def scenario(world):
        client = await world.client()
        assert await client.rest() == ["info string closing: no token within 0.05 s"]
        fast = await world.client()
        fast.send("token open-sesame")
        assert await fast.line() == "tokenok"
        await asyncio.sleep(0.1)
        await fast.ask("query fen")

    play(scenario, token="open-sesame", greeting_s=0.05)


@pytest.mark.parametrize("token", ["short", "with blanks in it", "x" * 300, "täglich-neu"])
def test_a_token_that_could_not_be_said_is_refused_and_not_repeated(token):
    with pytest.raises(ValueError, match="a token is") as caught:
        ServerConfig(token=token)
    assert token not in str(caught.value)


def test_a_token_is_not_shown_with_the_configuration():
    assert "open-sesame" not in repr(ServerConfig(token="open-sesame"))


# --- TLS ------------------------------------------------------------------------------------------------------


def test_over_tls_everything_is_as_without(play_tcp, certificate):
    async def scenario(world):
        context = ssl.create_default_context(cafile=certificate[0])
        client = await world.client(ssl=context, server_hostname="localhost")
        client.send("token open-sesame", "position startpos", "go depth 1")
        assert (await client.until("bestmove"))[-1] == "bestmove 1"
        client.send("quit")
        assert await client.rest() == []
        plain = await world.client()
        plain.send("token open-sesame", "uci")
        with contextlib.suppress(ConnectionError):
            assert not any("fanqi" in line.lower() for line in await plain.rest())

    play_tcp(scenario, certificate=certificate[0], key=certificate[1], token="open-sesame", greeting_s=2.0)


def test_a_handshake_that_does_not_come_holds_no_place(play_tcp, certificate):
    async def scenario(world):
        client = await world.client()
        assert await client.rest() == []
        assert world.server.sessions == 0

    play_tcp(scenario, certificate=certificate[0], key=certificate[1], greeting_s=0.1)


def test_certificates_that_cannot_be_used_are_named(tmp_path):
    bad = tmp_path / "bad.pem"
    bad.write_text("no certificate")
    done = run_server("--tls-cert", str(bad), "--tls-key", str(bad))
    assert done.returncode == 1
    assert "bad.pem" in done.stderr
    assert "Traceback" not in done.stderr
    with pytest.raises(ValueError, match="both a certificate and its key"):
        ServerConfig(certificate=bad)


# --- by address -----------------------------------------------------------------------------------------------


def test_the_limit_by_address_is_told_like_any_other(play):
    async def scenario(world):
        world.server._book = AddressBook(1, 600, time.monotonic, limit_loopback=True)
        first = await world.client()
        await first.ask("query fen")
        second = await world.client()
        why = "info string closing: 1 connections from 127.0.0.1 are open already"
        assert await second.rest() == [why]
        await first.close()
        await world.settled(lambda: world.server.sessions == 0)
        third = await world.client()
        await third.ask("query fen")

    play(scenario)


# --- clients that do nothing, or too much ---------------------------------------------------------------------


def test_a_line_that_does_not_end_is_not_waited_for(play_tcp):
    async def scenario(world):
        slow = await world.client()

        async def drip():
            with contextlib.suppress(ConnectionError):
                for _ in range(200):
                    slow.writer.write(b"x")
                    await slow.writer.drain()
                    await asyncio.sleep(0.01)

        dripping = asyncio.create_task(drip())
        assert await slow.rest() == ["info string closing: a line took 0.3 s"]
        dripping.cancel()
        slow.writer.transport.abort()  # what it dripped after the end may come back as a reset
        quick = await world.client()
        for _ in range(10):
            quick.send("query fen")
            await quick.until("response")
            await asyncio.sleep(0.05)

    play_tcp(scenario, line_timeout_s=0.3)


def test_a_client_that_leaves_its_answers_unread_is_cut_off(play_tcp):
    async def scenario(world):
        host, port = world.server.addresses[0]
        greedy = socket.create_connection((host, port))
        greedy.setblocking(False)
        flood = asyncio.ensure_future(asyncio.get_running_loop().sock_sendall(greedy, b"help\n" * 200_000))
        await world.settled(lambda: "stalled" in str(world.server._figures._dropped.most_common(1)[0]))
        await world.settled(lambda: world.server.sessions == 0)
        flood.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await flood
        greedy.close()

    play_tcp(scenario, stall_timeout_s=0.2, max_unread_bytes=10_000)


def test_no_search_goes_on_for_longer_than_the_server_allows(play):
    async def scenario(world):
        world.script.until_stopped = True
        first, second = await world.client(), await world.client()
        for client in (first, second):
            await client.ask()
        first.send("go infinite")
        await first.until("info depth")
        second.send("go depth 5")
        said = await second.until("bestmove")
        assert said[-2] == "info string no search goes on for more than 0.2 s here"
        assert world.server.searches == 0
        first.send("stop")
        assert (await first.until("bestmove"))[-1] == "bestmove 1"

    play(scenario, max_search_s=0.2)


def test_a_healthy_client_is_answered_while_others_misbehave_and_memory_comes_back(play_tcp):
    async def scenario(world):
        healthy = await world.client()
        await healthy.ask()
        host, port = world.server.addresses[0]
        stop = asyncio.Event()

        async def vanish():
            while not stop.is_set():
                _, writer = await asyncio.open_connection(host, port)
                writer.write(b"uci\ngo infinite\n")
                writer.transport.abort()
                await asyncio.sleep(0.001)

        async def noise():
            _, writer = await asyncio.open_connection(host, port)
            dice = random.Random(1)
            with contextlib.suppress(ConnectionError):
                while not stop.is_set():
                    writer.write(dice.randbytes(10_000))
                    await writer.drain()
            writer.transport.abort()

        async def endless_line():
            _, writer = await asyncio.open_connection(host, port)
            with contextlib.suppress(ConnectionError):
                while not stop.is_set():
                    writer.write(b"x" * 60_000)
                    await writer.drain()
            writer.transport.abort()

        tasks = [asyncio.create_task(bad()) for bad in (vanish, noise, endless_line)]
        for _ in range(30):
            healthy.send("query fen")
            assert (await healthy.until("response"))[-1].startswith("response ")
        stop.set()
        await asyncio.gather(*tasks)
        await world.settled(lambda: world.server.sessions == 1)
        await world.settled(lambda: world.server.searches == 0)
        assert world.server.hash_mib == 0

    play_tcp(scenario)


def test_figures_say_who_came_and_who_was_sent_away(play):
    async def scenario(world):
        client = await world.client()
        client.send("token open-sesame", "go depth 1")
        await client.until("bestmove")
        wrong = await world.client()
        wrong.send("uci")
        await wrong.rest()
        await world.settled(lambda: world.server.sessions == 1)
        text = render(world.server.families())
        assert 'fanqi_server_connections_total{outcome="accepted"} 2' in text
        assert 'fanqi_server_dropped_total{reason="wrong_token"} 1' in text
        assert "fanqi_server_sessions 1" in text
        assert "fanqi_server_search_wait_seconds_count 1" in text
        assert world.server.health().good

    play(scenario, token="open-sesame")


# --- the end --------------------------------------------------------------------------------------------------


def test_at_the_end_running_searches_go_on_and_idle_sessions_do_not(play):
    async def scenario(world):
        world.script.until_stopped = True
        searching, idle = await world.client(), await world.client()
        await idle.ask()
        searching.send("go infinite")
        await searching.until("info depth")
        address = world.server.addresses[0]
        draining = asyncio.create_task(world.server.drain())
        assert await idle.rest() == ["info string closing: the server is shutting down"]
        assert not world.server.health().good
        with pytest.raises(ConnectionError):
            await asyncio.open_connection(*address)
        await asyncio.sleep(0.1)
        assert not draining.done()
        searching.send("stop")
        assert await searching.rest() == ["bestmove 1", "info string closing: the server is shutting down"]
        await draining

    play(scenario)


def test_draining_ends_after_its_time(play):
    async def scenario(world):
        world.script.until_stopped = True
        client = await world.client()
        client.send("go infinite")
        await client.until("info depth")
        await world.server.drain()
        await world.server.stop()
        assert await client.rest() == ["info string closing: the server is shutting down", "bestmove 1"]

    play(scenario, drain_s=0.1)


def run_server(*arguments, **rest):
    command = [sys.executable, "-m", "fanqi.cli", "serve", "--port", "0", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **rest)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--token-file", "none"], "token file 'none'"),
        (["--tls-cert", "cert.pem"], "both a certificate and its key"),
    ],
)
def test_wrong_usage_is_named_in_one_line(tmp_path, arguments, reason):
    done = run_server(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_token_from_the_environment_has_to_make_sense(tmp_path):
    done = run_server(env={**os.environ, "FANQI_TOKEN": "short"})
    assert done.returncode == 2
    assert "a token is 8 to 256" in done.stderr


SERVE = """
import sys
from fanqi.tcp import ServerConfig, serve
sys.exit(serve(ServerConfig(port=0, preload=(), metrics=("127.0.0.1", 0), drain_s=60.0, max_searches=1)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals cannot be sent to one process")
def test_a_real_server_drains_at_the_first_signal_and_stops_at_the_second():
    process = subprocess.Popen([sys.executable, "-c", SERVE], stderr=subprocess.PIPE, text=True)
    ports = {}
    for line in process.stderr:
        for event in ("listening", "metrics"):
            if f'"event": "{event}"' in line:
                ports[event] = int(line.partition('"port": ')[2].partition(",")[0].rstrip("}\n "))
        if len(ports) == 2:
            break
    with urllib.request.urlopen(f"http://127.0.0.1:{ports['metrics']}/healthz", timeout=PATIENCE) as answer:
        assert answer.status == 200
    with socket.create_connection(("127.0.0.1", ports["listening"]), 120) as client:
        client.sendall(b"position startpos\nisready\ngo infinite\n")
        text = b""
        while b"info depth" not in text:
            text += client.recv(4096)
        os.kill(process.pid, signal.SIGTERM)
        time.sleep(0.5)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGTERM)
        while data := client.recv(65_536):
            text += data
    assert text.count(b"bestmove") == 1
    assert process.wait(PATIENCE) == 0
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
