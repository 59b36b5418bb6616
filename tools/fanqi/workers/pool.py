"""The processes in which a worker's jobs run: started when needed, kept for the next job, replaced when they die."""

from __future__ import annotations

import asyncio
import itertools
import signal
import sys
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from fanqi.jobs.frames import (
    Begin,
    Broken,
    End,
    Frame,
    FromChild,
    Halt,
    News,
    Prepare,
    Prepared,
    pack,
    unpack_from,
)
from fanqi.workers.tasks import Broke, Done, Run, Update

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

__all__ = ["Pool"]

HALT_GRACE_S = 5.0  # a search ends within milliseconds of being told to
DECODER = msgspec.msgpack.Decoder(FromChild)


class Hand:
    """One process, and the job it does."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.number = 0
        self.order: Run | None = None
        self.halting: asyncio.TimerHandle | None = None
        self.alive = True

    def send(self, frame: Frame) -> None:
        stdin = self.process.stdin
        if stdin is not None and not stdin.is_closing():
            with suppress(ConnectionError):  # its end is noticed by whoever reads from it
                stdin.write(pack(frame))

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """At most ``size`` processes.

    Args:
        engines: what `Play` jobs may start: command lines by name.
        niceness: by how much they are nicer than we.
        on_update, on_end: called with the job's id as it gets on and when it ends; not after `stop`.
    """

    def __init__(
        self,
        size: int,
        *,
        engines: dict[str, str] | None = None,
        niceness: int = 0,
        on_update: Callable[[str, Update], None] = lambda job, update: None,
        on_end: Callable[[str, Done | Broke], None] = lambda job, end: None,
    ) -> None:
        self.on_update = on_update
        self.on_end = on_end
        self._size = size
        self._engines = engines or {}
        self._niceness = niceness
        self._hands: list[Hand] = []
        self._starting = 0
        self._waiting: deque[Run] = deque()
        self._numbers = itertools.count(1)
        self._preparing: asyncio.Queue[Prepared | Broken] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def prepare(self, games: tuple[str, ...]) -> dict[str, Prepared | Broken]:
        """Load or compile the kernels of these games in one process, so that the others find them in the cache."""
        answers: dict[str, Prepared | Broken] = {}
        if not games:
            return answers
        self._preparing = asyncio.Queue()
        hand = await self._start()
        hand.send(Prepare(games=games))
        while len(answers) < len(games):
            answer = await self._preparing.get()
            if not answer.game:  # the process is gone
                for game in games:
                    answers.setdefault(game, answer)
            else:
                answers[answer.game] = answer
        self._preparing = None
        return answers

    def run(self, order: Run) -> None:
        """Begin a job, as soon as a process is free for it."""
        self._waiting.append(order)
        self._feed()

    def stop(self, job: str) -> None:
        """End a job; nothing more is heard of it."""
        for order in [order for order in self._waiting if order.job == job]:
            self._waiting.remove(order)
        for hand in self._hands:
            if hand.order is not None and hand.order.job == job:
                hand.order = None
                hand.send(Halt(number=hand.number))
                hand.halting = asyncio.get_running_loop().call_later(HALT_GRACE_S, hand.kill)

    async def close(self) -> None:
        """End all processes."""
        self._closed = True
        for hand in self._hands:
            if hand.process.stdin is not None:
                hand.process.stdin.close()  # by this they end themselves
        if self._tasks:
            _, slow = await asyncio.wait(self._tasks, timeout=2.0)
            for hand in self._hands:
                hand.kill()
            if slow:
                await asyncio.wait(slow)

    def _feed(self) -> None:
        """Give waiting jobs to idle processes, and start processes for the rest."""
        idle = [hand for hand in self._hands if hand.alive and hand.number == 0]
        while self._waiting and idle:
            hand, order = idle.pop(), self._waiting.popleft()
            hand.number, hand.order = next(self._numbers), order
            hand.send(
                Begin(
                    number=hand.number,
                    work=order.work,
                    threads=order.threads,
                    hash_mib=order.hash_mib,
                    engines=self._engines,
                )
            )
        for _ in range(min(len(self._waiting) - self._starting, self._size - len(self._hands) - self._starting)):
            self._starting += 1
            self._spawn(self._start_another())

    async def _start_another(self) -> None:
        try:
            await self._start()
        except OSError as error:
            if self._waiting:
                self.on_end(self._waiting.popleft().job, Broke(f"no process can be started: {error}"))
        finally:
            self._starting -= 1
        self._feed()

    async def _start(self) -> Hand:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "fanqi.jobs.child",
            str(self._niceness),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        hand = Hand(process)
        self._hands.append(hand)
        self._spawn(self._read(hand))
        return hand

    async def _read(self, hand: Hand) -> None:
        stdout = hand.process.stdout
        assert stdout is not None
        buffer = bytearray()
        while chunk := await stdout.read(65_536):
            buffer += chunk
            while (body := unpack_from(buffer)) is not None:
                self._on_frame(hand, DECODER.decode(body))
        hand.kill()
        code = await hand.process.wait()
        hand.alive = False
        self._hands.remove(hand)
        if hand.halting is not None:
            hand.halting.cancel()
        reason = f"its process ended: {describe(code)}"
        if self._preparing is not None:
            self._preparing.put_nowait(Broken(reason=reason))
        if hand.order is not None and not self._closed:
            self.on_end(hand.order.job, Broke(reason))
        if not self._closed:
            self._feed()

    def _on_frame(self, hand: Hand, frame: FromChild) -> None:
        if isinstance(frame, Prepared) or (isinstance(frame, Broken) and frame.game):
            if self._preparing is not None:
                self._preparing.put_nowait(frame)
            return
        if frame.number != hand.number:
            return
        order = hand.order
        if isinstance(frame, News):
            if order is not None:
                self.on_update(order.job, Update(frame.done, frame.total, frame.nodes, frame.nps, frame.line))
            return
        hand.number, hand.order = 0, None
        if hand.halting is not None:
            hand.halting.cancel()
            hand.halting = None
        if order is not None:
            if isinstance(frame, End):
                self.on_end(order.job, Done(frame.result, frame.nodes))
            else:
                self.on_end(order.job, Broke(frame.reason, frame.final))
        self._feed()

    def _spawn(self, coroutine: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def describe(code: int) -> str:
    """An exit code for people."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
