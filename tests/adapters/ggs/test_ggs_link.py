"""The connection of a player notices in time that nobody is at its other end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from virtual_time import run_virtually

from fanqi.ggs.errors import ConnectionLostError
from fanqi.ggs.link import Link

KEEP_ALIVE_S, PATIENCE_S = 60.0, 15.0


class Writer:
    """Takes what is sent, and lets nobody answer."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.transport: Any = self

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return False

    def write(self, data: bytes) -> None:
        self.sent.append(data)


def lost_at(
    events: dict[float, str], said: dict[float, bytes], failure: Exception | None = None
) -> tuple[float, str, list[bytes]]:
    """When a connection is given up and why, where lines are sent and bytes come at the given seconds."""

    async def run() -> tuple[float, str, list[bytes]]:
        loop = asyncio.get_running_loop()
        reader, writer = asyncio.StreamReader(), Writer()
        link = Link(reader, writer, KEEP_ALIVE_S, PATIENCE_S)  # type: ignore[arg-type]
        for at, line in events.items():
            loop.call_at(at, link.send, line)
        for at, data in said.items():
            loop.call_at(at, reader.feed_data, data)
        if failure is not None:
            loop.call_at(3.0, reader.set_exception, failure)
        with pytest.raises(ConnectionLostError) as lost:
            async for _ in link.blocks():
                pass
        return loop.time(), str(lost.value), writer.sent

    return run_virtually(run())


def test_a_dead_connection_is_noticed_soon_after_our_move() -> None:
    at, why, _ = lost_at({10.0: "tell /os play .1 f5"}, {0.0: b"READY\r\n"})
    assert (at, why) == (25.0, "no answer for 15 s")


def test_a_second_line_does_not_prolong_the_wait_for_an_answer_to_the_first() -> None:
    assert lost_at({10.0: "a", 20.0: "b"}, {0.0: b"READY\r\n"})[0] == 25.0


def test_an_answer_in_time_starts_the_wait_anew() -> None:
    at, _, sent = lost_at({10.0: "a"}, {0.0: b"READY\r\n", 12.0: b"READY\r\n"})
    assert (at, sent) == (12.0 + KEEP_ALIVE_S + PATIENCE_S, [b"a\n", b"\n"])


def test_a_server_that_never_greets_is_not_sent_an_empty_name_and_is_left_soon() -> None:
    at, _, sent = lost_at({}, {})
    assert (at, sent) == (PATIENCE_S, [])


def test_a_connection_that_the_system_gives_up_is_lost_at_once() -> None:
    at, why, _ = lost_at({}, {0.0: b"READY\r\n"}, TimeoutError(110, "Connection timed out"))
    assert (at, why) == (3.0, "Connection timed out")
