"""The processes in which jobs run: results, crashes, hangs, leftovers."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.jobs.frames import Broken, End, Halt, News, pack, unpack_from
from fanqi.mqtt.codec import decode_result
from fanqi.mqtt.work import Analyse, Game, Ping, PositionSpec, SearchLimits, Selfplay
from fanqi.workers.pool import Pool, describe
from fanqi.workers.tasks import Broke, Done, Run


class Watcher:
    """A pool and everything it said."""

    def __init__(self, size=1):
        self.ends = {}
        self.updates = []
        self.changed = asyncio.Event()
        self.pool = Pool(size, on_update=lambda job, update: self.updates.append(update), on_end=self.ended)

    def ended(self, job, end):
        self.ends[job] = end
        self.changed.set()

    async def until(self, *jobs, seconds=120.0):
        async with asyncio.timeout(seconds):
            while not all(job in self.ends for job in jobs):
                await self.changed.wait()
                self.changed.clear()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.pool.close()


def analysis(*moves, **limits):
    return Analyse(position=PositionSpec(game="othello", moves=moves), limits=SearchLimits(**limits))


def result_of(end):
    assert isinstance(end, Done), end
    return decode_result(end.result)


@given(st.lists(st.builds(News, number=st.integers(0, 9), nodes=st.integers(0, 2**40)), max_size=5), st.data())
def test_frames_come_out_of_the_pipe_as_they_went_in_however_it_is_cut(frames, data):
    stream = b"".join(map(pack, frames))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4)))
    buffer, found = bytearray(), []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        buffer += stream[begin:end]
        while (body := unpack_from(buffer)) is not None:
            found.append(msgspec.msgpack.decode(body, type=News))
    assert found == frames


def test_a_frame_without_end_is_refused():
    with pytest.raises(ValueError, match="4294967295 bytes"):
        unpack_from(bytearray(b"\xff\xff\xff\xff"))


def test_jobs_of_every_kind_give_results_of_their_kind():
    async def scenario():
        async with Watcher(2) as watcher:
            run = watcher.pool.run
            run(Run("ping", Ping(text="hello"), 1, 1))
            run(Run("position", analysis("f5", depth=3), 1, 1))
            run(Run("over", Analyse(position=OVER, limits=SearchLimits(depth=1)), 1, 1))
            run(Run("game", Game(position=PLAYED, limits=SearchLimits(depth=2)), 1, 1))
            run(Run("banqi", Analyse(position=PositionSpec(game="banqi"), limits=SearchLimits(depth=1)), 1, 1))
            run(Run("play", Selfplay(game="banqi", games=1, seed=3, depth=1), 1, 1))
            await watcher.until("ping", "position", "over", "game", "banqi", "play")
            return watcher.ends

    ends = asyncio.run(scenario())
    assert result_of(ends["ping"]).text == "hello"
    position = result_of(ends["position"])
    assert position.move in {"d6", "f4", "f6"}
    assert position.lines[0].depth == 3
    assert ends["position"].nodes > 0
    assert result_of(ends["over"]).move is None
    reviewed = result_of(ends["game"]).moves
    assert [move.move for move in reviewed] == ["f5", "d6", "c3"]
    assert all(move.loss_cp is not None and move.loss_cp >= 0 for move in reviewed)
    assert all(move.loss_cp == 0 for move in reviewed if move.move == move.best)
    assert result_of(ends["banqi"]).move in {f"{file}{rank}" for file in "abcd" for rank in range(1, 9)}
    assert result_of(ends["play"]).games == 1


OVER = PositionSpec(game="othello", fen="X" * 64 + " X")
PLAYED = PositionSpec(game="othello", moves=("f5", "d6", "c3"))


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (analysis("a1", depth=1), "move 1, 'a1'"),
        (Analyse(position=PositionSpec(game="othello", fen="XXO X"), limits=SearchLimits(depth=1)), "position 'XXO X'"),
        (Analyse(position=PositionSpec(game="chess"), limits=SearchLimits(depth=1)), "'chess' is not a game"),
        (Analyse(position=PositionSpec(game="othello", rules="x=1"), limits=SearchLimits(depth=1)), "'x=1'"),
        (analysis(), "without any limit"),
    ],
)
def test_a_job_that_cannot_be_is_final_and_says_why(work, reason):
    async def scenario():
        async with Watcher() as watcher:
            watcher.pool.run(Run("job", work, 1, 1))
            await watcher.until("job")
            return watcher.ends["job"]

    end = asyncio.run(scenario())
    assert isinstance(end, Broke)
    assert end.final
    assert reason in end.reason


def test_results_do_not_depend_on_what_was_searched_before():
    async def scenario(before):
        async with Watcher() as watcher:
            for number, work in enumerate([*before, analysis("f5", "d6", depth=7)]):
                watcher.pool.run(Run(str(number), work, 1, 1))
            await watcher.until(str(len(before)))
            result = result_of(watcher.ends[str(len(before))])
            return result.move, [(line.score_cp, line.nodes, line.pv) for line in result.lines]

    alone = asyncio.run(scenario([]))
    after = asyncio.run(scenario([analysis("f5", depth=8), analysis("f5", "d6", depth=9)]))
    assert alone == after


def test_a_process_that_is_killed_breaks_its_job_and_no_other():
    async def scenario():
        async with Watcher(2) as watcher:
            watcher.pool.run(Run("long", analysis(movetime_ms=60_000), 1, 1))
            watcher.pool.run(Run("short", analysis(depth=2), 1, 1))
            await watcher.until("short")
            (victim,) = [hand for hand in watcher.pool._hands if hand.order is not None]
            os.kill(victim.process.pid, signal.SIGKILL)
            await watcher.until("long")
            watcher.pool.run(Run("next", Ping(), 1, 1))
            await watcher.until("next")
            return watcher.ends

    ends = asyncio.run(scenario())
    assert ends["long"] == Broke("its process ended: signal SIGKILL")
    assert isinstance(ends["next"], Done)


@pytest.mark.skipif(os.name != "posix", reason="the liar is a shell script")
def test_a_process_that_says_what_is_no_frame_breaks_its_job(tmp_path, monkeypatch):
    liar = tmp_path / "liar"
    liar.write_text("#!/bin/sh\nprintf '\\377\\377\\377\\377'\nexec sleep 600\n")
    liar.chmod(0o700)
    monkeypatch.setattr("fanqi.workers.pool.sys.executable", str(liar))

    async def scenario():
        async with Watcher() as watcher:
            watcher.pool.run(Run("job", Ping(), 1, 1))
            await watcher.until("job")
            return watcher.ends

    assert asyncio.run(scenario()) == {"job": Broke("its process ended: signal SIGKILL")}


def test_a_stopped_job_is_silent_and_its_process_is_soon_free():
    async def scenario():
        async with Watcher() as watcher:
            watcher.pool.run(Run("warm", analysis(depth=1), 1, 1))
            await watcher.until("warm")
            watcher.pool.run(Run("long", analysis(movetime_ms=60_000), 1, 1))
            watcher.pool.run(Run("waiting", Ping(), 1, 1))
            await asyncio.sleep(0.3)
            watcher.pool.stop("long")
            watcher.pool.run(Run("next", Ping(), 1, 1))
            watcher.pool.stop("waiting")
            started = time.monotonic()
            await watcher.until("next")
            pids = {hand.process.pid for hand in watcher.pool._hands}
            return watcher.ends, time.monotonic() - started, pids

    ends, seconds, pids = asyncio.run(scenario())
    assert set(ends) == {"warm", "next"}
    assert seconds < 4.0  # before it would have been killed
    assert len(pids) == 1


def test_a_process_that_does_not_stop_is_replaced(monkeypatch):
    monkeypatch.setattr("fanqi.workers.pool.HALT_GRACE_S", 0.2)

    async def scenario():
        async with Watcher() as watcher:
            watcher.pool.run(Run("hung", analysis(movetime_ms=60_000), 1, 1))
            await asyncio.sleep(0.1)
            while not watcher.pool._hands:
                await asyncio.sleep(0.05)
            os.kill(watcher.pool._hands[0].process.pid, signal.SIGSTOP)
            watcher.pool.stop("hung")
            watcher.pool.run(Run("next", Ping(), 1, 1))
            await watcher.until("next")
            return watcher.ends

    assert set(asyncio.run(scenario())) == {"next"}


def test_no_process_is_left_when_the_pool_is_closed_or_its_owner_dies():
    async def scenario():
        async with Watcher(2) as watcher:
            for job in ("one", "two"):
                watcher.pool.run(Run(job, analysis(movetime_ms=60_000), 1, 1))
            while len(watcher.pool._hands) < 2:
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
            return [hand.process.pid for hand in watcher.pool._hands]

    for pid in asyncio.run(scenario()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_kernels_that_cannot_be_prepared_are_reported_by_game():
    async def scenario():
        async with Watcher() as watcher:
            return await watcher.pool.prepare(("othello", "go"))

    answers = asyncio.run(scenario())
    assert answers["othello"].game == "othello"
    assert isinstance(answers["go"], Broken)
    assert "go" in answers["go"].reason


@pytest.mark.parametrize(
    ("code", "text"), [(0, "exit code 0"), (3, "exit code 3"), (-9, "signal SIGKILL"), (-99, "signal 99")]
)
def test_exit_codes_are_put_in_words(code, text):
    assert describe(code) == text


def test_frames_to_and_from_a_process_know_which_job_they_are_about():
    assert msgspec.msgpack.decode(unpack_from(bytearray(pack(Halt(number=3)))), type=Halt).number == 3
    assert msgspec.msgpack.decode(unpack_from(bytearray(pack(End(number=4, result=b"x")))), type=End).number == 4
