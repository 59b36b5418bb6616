"""The conversation with one engine, without an engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import pytest

from fanqi.match.channel import Channel
from fanqi.match.errors import EngineError, Fault
from fanqi.match.iolog import IoLog

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")


class FakeLink:
    """Keeps what is sent, and lets a test answer it."""

    def __init__(self, channel: Channel, answers: dict[bytes, bytes] | None = None) -> None:
        self.sent: list[bytes] = []
        self._channel = channel
        self._answers = answers or {}
        channel.attach(self)

    def write(self, data: bytes) -> None:
        self.sent.append(data)
        answer = self._answers.get(data)
        if answer is not None:
            asyncio.get_running_loop().call_soon(self._channel.feed, answer)


def run(main: Callable[[Channel], Awaitable[T]], answers: dict[bytes, bytes] | None = None) -> T:
    async def inside() -> T:
        channel = Channel()
        FakeLink(channel, answers)
        return await main(channel)

    return asyncio.run(inside())


def word(wanted: bytes) -> Callable[[bytes], bytes | None]:
    return lambda line: line if line.startswith(wanted) else None


def test_the_line_that_is_waited_for_is_found_among_others() -> None:
    async def main(channel: Channel) -> bytes:
        channel.send("go")
        return (await channel.receive(word(b"bestmove"), 5, Fault.TIME, "bestmove")).value

    assert run(main, {b"go\n": b"info a\ninfo b\nbestmove f5\ninfo c\n"}) == b"bestmove f5"


def test_lines_that_nobody_waits_for_are_counted_and_dropped() -> None:
    async def main(channel: Channel) -> tuple[int, bytes]:
        channel.feed(b"bestmove a1\n\nchatter\n")
        channel.send("go")
        heard = await channel.receive(word(b"bestmove"), 5, Fault.TIME, "bestmove")
        return channel.strays, heard.value

    assert run(main, {b"go\n": b"bestmove f5\nbestmove f5\n"}) == (3, b"bestmove f5")


def test_a_missing_answer_is_the_fault_it_is_said_to_be() -> None:
    async def main(channel: Channel) -> None:
        await channel.receive(word(b"x"), 0.01, Fault.TIME, "bestmove")

    with pytest.raises(EngineError, match=r"time: no bestmove within 0\.01 s"):
        run(main)


def test_a_bug_in_who_reads_the_line_reaches_whoever_waits_for_it() -> None:
    def accept(line: bytes) -> bytes:
        raise KeyError(line)

    async def main(channel: Channel) -> None:
        channel.send("go")
        await channel.receive(accept, 5, Fault.TIME, "bestmove")

    with pytest.raises(KeyError, match="bestmove f5"):
        run(main, {b"go\n": b"bestmove f5\n"})


def test_a_log_that_cannot_be_written_ends_no_match(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where there should be a folder")
    log = IoLog(tmp_path / "logs" / "a.io.txt")
    log.sent("go")
    log.heard(b"bestmove f5")
    log.close()


def test_signs_of_life_make_patience_longer() -> None:
    async def main(channel: Channel) -> bytes:
        loop = asyncio.get_running_loop()
        for beat in range(1, 7):
            loop.call_later(0.1 * beat, channel.feed, b"info string busy\n")
        loop.call_later(0.7, channel.feed, b"readyok\n")
        return (await channel.receive(word(b"readyok"), 0.3, Fault.STALL, "readyok", busy=b"info string")).value

    assert run(main) == b"readyok"


def test_signs_of_life_do_not_make_patience_endless() -> None:
    async def main(channel: Channel) -> None:
        async def chatter() -> None:
            while True:
                channel.feed(b"info string busy\n")
                await asyncio.sleep(0.005)

        task = asyncio.create_task(chatter())
        try:
            await channel.receive(word(b"readyok"), 0.02, Fault.STALL, "readyok", busy=b"info string")
        finally:
            task.cancel()

    with pytest.raises(EngineError, match="no readyok"):
        run(main)


def test_an_answer_in_the_same_breath_as_a_sign_of_life_is_heard() -> None:
    async def main(channel: Channel) -> bytes:
        channel.send("isready")
        return (await channel.receive(word(b"readyok"), 5, Fault.STALL, "readyok", busy=b"info string")).value

    assert run(main, {b"isready\n": b"info string 8 kernels ready\nreadyok\n"}) == b"readyok"


def test_an_engine_that_is_gone_is_gone_for_who_waits_and_who_speaks() -> None:
    async def main(channel: Channel) -> list[str]:
        found = []
        asyncio.get_running_loop().call_later(0.01, channel.lose, EngineError(Fault.CRASH, "exited with code 1"))
        for attempt in (
            channel.receive(word(b"x"), 5, Fault.TIME, "x"),
            channel.receive(word(b"x"), 5, Fault.TIME, "x"),
        ):
            with pytest.raises(EngineError) as caught:
                await attempt
            found.append(caught.value.detail)
        channel.lose(EngineError(Fault.CRASH, "a later reason"))
        with pytest.raises(EngineError) as caught:
            channel.send("go")
        return [*found, caught.value.detail]

    assert run(main) == ["exited with code 1"] * 3


def test_a_reader_may_refuse_what_it_hears() -> None:
    def refuse(line: bytes) -> None:
        raise EngineError(Fault.ILLEGAL, "nonsense")

    async def main(channel: Channel) -> None:
        channel.send("go")
        await channel.receive(refuse, 5, Fault.TIME, "x")

    with pytest.raises(EngineError, match="illegal_move: nonsense"):
        run(main, {b"go\n": b"what\nmore\n"})
