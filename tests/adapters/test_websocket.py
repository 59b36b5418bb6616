"""What WebSocket adds to the sessions of `fanqi serve`: the opening and the closing, frames, pages, pings."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import ssl
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import World
from websocket_client import HandshakeError
from websockets.asyncio.client import connect
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import CloseCode, Opcode

from fanqi.metrics import render
from fanqi.tcp import ServerConfig
from fanqi.tcp.origins import Origins


async def refusal(world, **options):
    """The answer to an opening handshake that is not accepted."""
    with pytest.raises(HandshakeError) as caught:
        await world.client(**options)
    return caught.value.response


def dropped(world, reason):
    return f'fanqi_server_dropped_total{{reason="{reason}"}} 1' in render(world.server.families())


# --- sessions -------------------------------------------------------------------------------------------------


def test_a_whole_session_as_a_web_page_has_it(play_websocket):
    async def scenario(world):
        world.script.until_stopped = True
        client = await world.client()
        client.send("uci")
        assert (await client.until("uciok"))[0].startswith("id name Fanqi")
        client.send("isready")
        assert (await client.until("readyok"))[-1] == "readyok"
        client.send("position startpos moves 3", "go infinite")
        await client.until("info depth")
        client.send("stop")
        assert (await client.until("bestmove"))[-1] == "bestmove 1"
        client.send("quit")
        assert await client.rest() == []
        assert client.stream.close.code == CloseCode.NORMAL_CLOSURE

    play_websocket(scenario)


def test_one_message_may_hold_several_lines(play_websocket):
    async def scenario(world):
        client = await world.client()
        client.send("position startpos moves 2\r\nquery fen\n\nquery p1turn\n")
        assert (await client.until("response"))[-1] == "response 8 p2"
        assert await client.line() == "response false"

    play_websocket(scenario)


def test_a_message_in_pieces_is_one_line(play_websocket):
    async def scenario(world):
        client = await world.client()
        client.stream.send_frame(Opcode.TEXT, b"query ", fin=False)
        client.stream.send_frame(Opcode.PING, b"between")
        client.stream.send_frame(Opcode.CONT, b"", fin=False)
        client.stream.send_frame(Opcode.CONT, b"p1turn", fin=True)
        assert (await client.until("response"))[-1] == "response true"

    play_websocket(scenario)


def test_the_common_client_of_the_library_plays(play_websocket):
    async def scenario(world):
        host, port = world.address
        async with connect(f"ws://{host}:{port}/any/path?at=all", proxy=None) as client:
            await client.send("position startpos\ngo depth 1")
            while not (message := await client.recv()).startswith("bestmove"):
                assert message.startswith("info ")
            await client.send("quit")
            await client.wait_closed()
            assert (client.close_code, client.protocol.extensions) == (1000, [])

    play_websocket(scenario)


def test_a_server_has_both_kinds_of_clients_at_once(play_websocket):
    async def scenario(world):
        over_websocket = await world.client()
        world.websocket = False
        over_tcp = await world.client()
        for number, client in enumerate((over_websocket, over_tcp)):
            client.send(f"position fen {number + 1} p1", "query fen")
        assert (await over_websocket.until("response"))[-1] == "response 1 p1"
        assert (await over_tcp.until("response"))[-1] == "response 2 p1"
        assert world.server.sessions == 2

    play_websocket(scenario)


def test_many_clients_search_at_once_and_each_gets_its_answers(play_websocket):
    async def scenario(world):
        clients = [await world.client() for _ in range(200)]

        async def game(client):
            for _ in range(3):
                client.send("position startpos", "go depth 1")
                await client.until("bestmove 1")
            client.send("quit")
            assert await client.rest() == []

        await asyncio.gather(*map(game, clients))
        await world.settled(lambda: world.server.sessions == 0)

    play_websocket(scenario, max_searches=2)


def test_a_page_that_is_closed_ends_its_search(play_websocket):
    async def scenario(world):
        world.script.until_stopped = True
        client = await world.client()
        client.send("go infinite")
        await client.until("info depth")
        client.stream.wire.send_close(CloseCode.GOING_AWAY)
        client.stream.flush()
        await client.rest()
        await world.settled(lambda: world.server.searches == 0 and world.server.sessions == 0)

    play_websocket(scenario)


# --- origins --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("origin", "host", "address", "admitted"),
    [
        (None, "chess.example", "192.0.2.1", True),
        ("http://localhost:3000", "127.0.0.1:8080", "127.0.0.1", True),
        ("https://localhost", "chess.example", "192.0.2.1", True),
        ("http://127.0.0.1:5500", "localhost:8080", "127.0.0.1", True),
        ("http://[::1]:5500", "localhost:8080", "::1", True),
        ("http://192.0.2.1:8000", "192.0.2.1:8080", "192.0.2.1", True),
        ("http://Chess.Example:8000", "chess.example:8080", "192.0.2.1", True),
        ("http://chess.example", "chess.example:8080", "127.0.0.1", False),  # DNS rebinding
        ("http://192.0.2.7", "192.0.2.1:8080", "192.0.2.1", False),
        ("https://evil.example", "127.0.0.1:8080", "127.0.0.1", False),
        ("https://evil.example", None, "127.0.0.1", False),
        ("https://localhost.evil.example", "127.0.0.1:8080", "127.0.0.1", False),
        ("https://evil.example#localhost", "127.0.0.1:8080", "127.0.0.1", False),
        ("https://localhost@evil.example", "127.0.0.1:8080", "127.0.0.1", False),
        ("http://localhost, https://evil.example", "127.0.0.1:8080", "127.0.0.1", False),
        ("null", "127.0.0.1:8080", "127.0.0.1", False),
        ("file://", "127.0.0.1:8080", "127.0.0.1", False),
        ("", "", "127.0.0.1", False),
        ("http://[", "[", "127.0.0.1", False),
        ("nonsense", "127.0.0.1:8080", "127.0.0.1", False),
    ],
)
def test_without_a_list_pages_of_this_machine_and_of_the_host_that_was_called_may_connect(
    origin, host, address, admitted
):
    assert Origins().admit(origin, host, address) is admitted


def test_listed_pages_may_connect_however_their_origin_is_spelled():
    listed = Origins(["https://Play.example:443", "http://other.example:8000", "null"])
    for origin in ("https://play.example", "HTTPS://PLAY.EXAMPLE:443", "http://other.example:8000", "null", "file://"):
        assert listed.admit(origin, "chess.example", "192.0.2.1"), origin
    for origin in ("http://play.example", "http://other.example", "https://a.play.example", "https://play.example:444"):
        assert not listed.admit(origin, "chess.example", "192.0.2.1"), origin
    assert Origins(["*"]).admit("https://evil.example", "chess.example", "127.0.0.1")


@pytest.mark.parametrize(
    "text", ["", "example.org", "https://", "https://example.org/page", "https://a b", "http://x:y"]
)
def test_what_is_no_origin_is_refused_by_name(text):
    with pytest.raises(ValueError, match="is no origin"):
        ServerConfig(ws_origins=("https://good.example", text))


@given(st.text(), st.none() | st.text(), st.text())
def test_no_header_can_break_the_check(origin, host, address):
    assert Origins(["https://play.example"]).admit(origin, host, address) in (True, False)


def test_a_strange_page_gets_403_and_the_reason(play_websocket):
    async def scenario(world):
        response = await refusal(world, origin="https://evil.example")
        assert response.status_code == 403
        assert b"pages from https://evil.example may not connect to this server" in response.body
        await world.settled(lambda: world.server.sessions == 0)
        assert dropped(world, "origin")
        listed = await world.client(origin="https://play.example")
        assert (await listed.ask("query p1turn"))[-1] == "response true"

    play_websocket(scenario, ws_origins=("https://play.example",))


def test_an_origin_that_is_no_text_is_refused_like_any_other(play_websocket):
    async def scenario(world):
        client = await asyncio.open_connection(*world.address)
        client[1].write(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Origin: http://\xff\r\n\r\n"
        )
        answer = await client[0].read()
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert b"pages from http://\\xff may not connect" in answer
        client[1].close()

    play_websocket(scenario)


@pytest.mark.parametrize(
    "origins", [b"Origin: http://localhost\r\nOrigin: https://evil.example", b"Origin:", b"Origin: "]
)
def test_two_origins_at_once_are_none_and_an_empty_one_is_not_a_missing_one(play_websocket, origins):
    async def scenario(world):
        client = await asyncio.open_connection(*world.address)
        client[1].write(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" + origins + b"\r\n\r\n"
        )
        assert (await client[0].read()).startswith(b"HTTP/1.1 403 ")
        client[1].close()

    play_websocket(scenario)


# --- the opening handshake ------------------------------------------------------------------------------------


def test_the_subprotocol_is_chosen_where_it_is_offered_and_not_missed_elsewhere(play_websocket):
    async def scenario(world):
        for offered, chosen in ((["chat", "fanqi"], "fanqi"), (["chat"], None), (None, None)):
            client = await world.client(subprotocols=offered)
            assert client.stream.wire.subprotocol == chosen
            assert (await client.ask("query p1turn"))[-1] == "response true"

    play_websocket(scenario)


def test_compression_is_declined_and_not_missed(play_websocket):
    async def scenario(world):
        client = await world.client(extensions=[ClientPerMessageDeflateFactory()])
        assert client.stream.wire.extensions == []
        client.stream.send_frame(Opcode.TEXT, b"query p1turn")
        assert (await client.until("response"))[-1] == "response true"

    play_websocket(scenario)


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"426"),
        (b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n", b"400"),
        (b"uci\r\nisready\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\n\n", b"400"),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n", b"4"),
    ],
)
def test_what_is_no_opening_handshake_is_told_so_in_http(play_websocket, request_text, status):
    async def scenario(world):
        reader, writer = await asyncio.open_connection(*world.address)
        writer.write(request_text)
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 " + status)
        assert b"WebSocket" in answer
        writer.close()
        await world.settled(lambda: world.server.sessions == 0)
        assert dropped(world, "handshake")

    play_websocket(scenario)


def test_an_opening_handshake_that_does_not_come_is_not_waited_for(play_websocket):
    async def scenario(world):
        reader, writer = await asyncio.open_connection(*world.address)
        writer.write(b"GET / HTTP/1.1\r\nHost:")
        assert await reader.read() == b""
        writer.close()
        await world.settled(lambda: world.server.sessions == 0)
        assert dropped(world, "handshake")
        await (await world.client()).ask("query p1turn")

    play_websocket(scenario, greeting_s=0.1)


def test_one_that_is_turned_away_holds_nothing_even_if_it_says_nothing(play_websocket, monkeypatch):
    monkeypatch.setattr("fanqi.tcp.websocket.HURRY_SECONDS", 0.05)

    async def scenario(world):
        await (await world.client()).ask()
        reader, writer = await asyncio.open_connection(*world.address)
        assert await reader.read() == b""
        writer.close()

    play_websocket(scenario, max_sessions=1, greeting_s=1000.0)


def test_over_tls(play_websocket, certificate):
    async def scenario(world):
        context = ssl.create_default_context(cafile=certificate[0])
        client = await world.client(ssl=context, server_hostname="localhost")
        client.send("token open-sesame", "position startpos", "go depth 1")
        assert (await client.until("bestmove"))[-1] == "bestmove 1"
        client.send("quit")
        assert await client.rest() == []
        assert client.stream.close.code == CloseCode.NORMAL_CLOSURE

    play_websocket(scenario, certificate=certificate[0], key=certificate[1], token="open-sesame")


# --- messages that are none of ours ---------------------------------------------------------------------------


def test_a_binary_message_gets_one_error_and_the_session_goes_on(play_websocket):
    async def scenario(world):
        client = await world.client()
        client.stream.send_frame(Opcode.BINARY, b"uci\nuci", fin=False)
        client.stream.send_frame(Opcode.CONT, b"\nisready", fin=True)
        client.stream.send_frame(Opcode.BINARY, b"\xff\x00" * 60_000)
        errors = [await client.line() for _ in range(2)]
        assert errors[0] == (r"info string error: expected a text message, not a binary one at token 1: uci\x0auci")
        assert errors[1].startswith(
            r"info string error: expected a text message, not a binary one at token 1: \xff\x00"
        )
        assert len(errors[1]) < 500
        client.send("query p1turn")
        assert (await client.until("response"))[-1] == "response true"

    play_websocket(scenario)


def test_a_token_has_to_be_text(play_websocket):
    async def scenario(world):
        client = await world.client()
        client.stream.send_frame(Opcode.BINARY, b"token open-sesame")
        assert await client.rest() == ["info string closing: first say: token TOKEN"]
        assert client.stream.close.code == CloseCode.POLICY_VIOLATION
        assert dropped(world, "wrong_token")

    play_websocket(scenario, token="open-sesame")


def test_text_that_is_not_utf8_ends_the_connection_as_the_standard_demands(play_websocket):
    async def scenario(world):
        world.script.until_stopped = True
        client = await world.client()
        client.send("go infinite")
        await client.until("info depth")
        client.stream.send_frame(Opcode.TEXT, b"query p1turn \xc3", fin=False)
        client.stream.send_frame(Opcode.CONT, b"(", fin=True)
        client.stream.send_frame(Opcode.TEXT, b"\xff\xff", fin=True)
        client.send("query p1turn")
        assert await client.rest() == ["info string closing: a text message is not UTF-8", "bestmove 1"]
        assert client.stream.close.code == CloseCode.INVALID_DATA
        assert dropped(world, "bad_message")

    play_websocket(scenario)


def test_a_character_may_be_split_between_frames(play_websocket):
    async def scenario(world):
        client = await world.client()
        client.stream.send_frame(Opcode.TEXT, b"\xe7\xbf", fin=False)
        client.stream.send_frame(Opcode.CONT, b"\xbb", fin=True)
        assert await client.line() == "info string error: unknown command at token 1: 翻"

    play_websocket(scenario)


def test_a_line_that_is_too_long_gets_its_one_error(play_websocket):
    async def scenario(world):
        client = await world.client()
        client.send("x" * 100_000, "query p1turn")
        assert (await client.line()).startswith("info string error: line longer than 65536 bytes at token 1: xxx")
        assert (await client.until("response"))[-1] == "response true"

    play_websocket(scenario)


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_message_that_is_much_too_long_ends_the_connection(play_websocket, in_pieces):
    async def scenario(world):
        world.script.until_stopped = True
        client = await world.client()
        client.send("go infinite")
        await client.until("info depth")
        if in_pieces:
            client.stream.send_frame(Opcode.TEXT, b"x" * 60_000, fin=False)
            client.stream.send_frame(Opcode.CONT, b"x" * 60_000, fin=False)
            client.stream.send_frame(Opcode.CONT, b"x" * 60_000, fin=False)
        else:
            client.send("x" * 10_000_000)
        await client.rest()
        assert client.stream.close.code == CloseCode.MESSAGE_TOO_BIG
        await world.settled(lambda: world.server.searches == 0 and world.server.sessions == 0)
        assert dropped(world, "bad_message")

    play_websocket(scenario)


@pytest.mark.parametrize(
    "frame",
    [
        b"\x81\x03uci",  # without a mask
        b"\x83\x80\0\0\0\0",  # no such kind
        b"\xc1\x80\0\0\0\0",  # compressed, which was not agreed on
        b"\x80\x80\0\0\0\0",  # a continuation of nothing
        b"\x09\x80\0\0\0\0",  # a ping in pieces
        b"\x88\x81\0\0\0\0\0",  # a closing code of one byte
    ],
)
def test_a_frame_that_breaks_the_standard_ends_the_connection(play_websocket, frame):
    async def scenario(world):
        client = await world.client()
        client.writer.write(frame)
        assert await client.rest() == []
        assert client.stream.close.code == CloseCode.PROTOCOL_ERROR
        await world.settled(lambda: world.server.sessions == 0)

    play_websocket(scenario)


@settings(max_examples=40)
@given(st.binary(max_size=300), st.booleans(), st.integers(0, 2**32))
def test_no_bytes_can_break_the_server(fakes, noise, opened, seed):
    failures = []

    async def life():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        async with World(fakes, websocket=True) as world:
            dice = random.Random(seed)
            if opened:
                stray = (await world.client()).writer
            else:
                stray = (await asyncio.open_connection(*world.address))[1]
                if dice.random() < 0.5:
                    stray.write(
                        b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
                    )
            for _ in range(3):
                stray.write(noise[dice.randrange(len(noise) + 1) :])
                await asyncio.sleep(0)
            healthy = await world.client()
            assert (await healthy.ask("query p1turn"))[-1] == "response true"
            stray.close()
            await world.settled(lambda: world.server.sessions == 1)

    asyncio.run(life())
    assert failures == []


# --- clients that do nothing, or too much ---------------------------------------------------------------------


def test_a_client_is_pinged_and_stays_while_it_answers(play_websocket):
    async def scenario(world):
        client = await world.client()
        reading = asyncio.create_task(client.line())
        await world.settled(lambda: client.stream.pings >= 5)
        assert world.server.sessions == 1
        client.send("isready")
        await reading

    play_websocket(scenario, ping_s=0.02)


def test_a_client_that_answers_no_ping_is_gone_even_if_it_goes_on_to_send(play_websocket):
    async def scenario(world):
        client = await world.client()

        async def drip():
            client.writer.write(b"\x81\xfe\x03\xe8\0\0\0\0")  # a text frame of 1,000 bytes
            with contextlib.suppress(ConnectionError):
                while True:
                    client.writer.write(b"x")
                    await client.writer.drain()
                    await asyncio.sleep(0.01)

        dripping = asyncio.create_task(drip())
        await world.settled(lambda: world.server.sessions == 0)
        dripping.cancel()
        client.abort()
        assert dropped(world, "no_pong")

    play_websocket(scenario, ping_s=0.1)


def test_a_message_that_does_not_end_is_not_waited_for(play_websocket):
    async def scenario(world):
        client = await world.client()

        async def drip():
            client.stream.send_frame(Opcode.TEXT, b"x", fin=False)
            with contextlib.suppress(ConnectionError):
                for _ in range(200):
                    client.stream.send_frame(Opcode.CONT, b"x", fin=False)
                    await client.writer.drain()
                    await asyncio.sleep(0.01)

        dripping = asyncio.create_task(drip())
        assert await client.rest() == ["info string closing: a line took 0.3 s"]
        assert client.stream.close.code == CloseCode.POLICY_VIOLATION
        dripping.cancel()

    play_websocket(scenario, line_timeout_s=0.3)


def test_a_slow_reader_is_not_read_from_and_gets_every_answer_in_the_end(play_websocket):
    async def scenario(world):
        slow = await world.client(receive_buffer=4096)
        await slow.ask()
        slow.send(*["help"] * 5000, "quit")
        await world.settled(lambda: any(connection._paused for connection in world.server._connections))
        quick = await world.client()
        for _ in range(20):
            await quick.ask("query p1turn")
        (connection,) = [c for c in world.server._connections if c._paused]
        kept = connection._transport.get_write_buffer_size() + sum(map(len, connection._unwritten))
        assert kept < 200_000
        said = await slow.rest()
        assert sum(line.startswith("arbiter") for line in said) == 5000
        assert slow.stream.close.code == CloseCode.NORMAL_CLOSURE

    play_websocket(scenario, max_unread_bytes=100_000, ping_s=0.05)


def test_a_client_that_leaves_its_answers_unread_is_cut_off(play_websocket):
    async def scenario(world):
        client = await world.client()
        client.send(*["help"] * 20_000)
        await world.settled(lambda: world.server.sessions == 0)
        assert dropped(world, "stalled")

    play_websocket(scenario, stall_timeout_s=0.2, max_unread_bytes=10_000)


def test_a_healthy_client_is_answered_while_others_flood(play_websocket):
    async def scenario(world):
        healthy = await world.client()
        await healthy.ask()

        async def flood(frame):
            client = await world.client()
            reading = asyncio.create_task(client.reader.read())
            try:
                while True:
                    client.writer.write(frame * 1000)
                    await client.writer.drain()
            finally:
                client.abort()
                with contextlib.suppress(ConnectionError):
                    await reading

        async def vanish():
            while True:
                client = await world.client()
                client.send("go infinite")
                client.abort()

        mask = b"\0\0\0\0"
        frames = [b"\x82\x80" + mask, b"\x89\x80" + mask, b"\x81\x84" + mask + b"help"]  # binary, ping, text
        tasks = [asyncio.create_task(flood(frame)) for frame in frames] + [asyncio.create_task(vanish())]
        for _ in range(10):
            healthy.send("query fen")
            assert (await healthy.until("response"))[-1].startswith("response ")
        assert not any(task.done() for task in tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await world.settled(lambda: world.server.sessions == 1 and world.server.searches == 0)

    play_websocket(scenario)


# --- the end --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "words", "code"),
    [
        ({"idle_timeout_s": 0.05}, "idle for 0.05 s", CloseCode.POLICY_VIOLATION),
        ({"token": "open-sesame", "greeting_s": 0.2}, "no token within 0.2 s", CloseCode.POLICY_VIOLATION),
    ],
)
def test_who_is_sent_away_learns_why_from_the_closing_frame_too(play_websocket, limits, words, code):
    async def scenario(world):
        client = await world.client()
        assert await client.rest() == [f"info string closing: {words}"]
        assert (client.stream.close.code, client.stream.close.reason) == (code, words)

    play_websocket(scenario, **limits)


def test_a_full_server_and_one_that_shuts_down_can_be_told_apart(play_websocket):
    async def scenario(world):
        first = await world.client()
        await first.ask()
        second = await world.client()
        assert await second.rest() == ["info string closing: the server is full (1 sessions)"]
        assert second.stream.close.code == CloseCode.TRY_AGAIN_LATER
        stopping = asyncio.create_task(world.server.stop())
        assert await first.rest() == ["info string closing: the server is shutting down"]
        assert first.stream.close.code == CloseCode.GOING_AWAY
        await stopping
        assert world.server.sessions == 0

    play_websocket(scenario, max_sessions=1)


def test_a_client_that_ignores_the_closing_frame_holds_nothing(play_websocket, monkeypatch):
    monkeypatch.setattr("fanqi.tcp.websocket.CLOSE_SECONDS", 0.1)

    async def scenario(world):
        client = await world.client()
        client.send("quit")
        await world.settled(lambda: world.server.sessions == 0)
        client.abort()

    play_websocket(scenario)


# --- the command ----------------------------------------------------------------------------------------------


def test_serving_tcp_alone_does_not_load_the_library():
    code = """
import asyncio, sys
from fanqi.tcp import Server, ServerConfig
async def life():
    server = Server(ServerConfig(port=0, preload=(), log_level="error"))
    await server.start()
    await server.stop()
asyncio.run(life())
sys.exit("websockets" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            ["--ws-port", "0", "--ws-origin", "example.org"],
            "'example.org' is no origin; expected the like of https://example.org:8000, null or *",
        ),
        (["--ws-origin", "https://example.org"], "--ws-origin is of no use without --ws-port"),
    ],
)
def test_wrong_use_of_the_command_is_told_in_one_line(options, error):
    command = [sys.executable, "-m", "fanqi.cli", "serve", "--port", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, f"fanqi serve: error: {error}\n")


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "fanqi.cli", "serve", "--port", "0", "--ws-port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    (event,) = [line for line in done.stderr.splitlines() if "cannot listen" in line]
    assert str(port) in json.loads(event)["reason"]
