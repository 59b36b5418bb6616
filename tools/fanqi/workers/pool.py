"""The processes in which a worker's jobs run: started when needed, kept for the next job, replaced when they die."""

from __future__ import annotations

import asyncio
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from fanqi.files import reason_of
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
    from collections.abc import Callable

__all__ = ["Pool"]

CLOSE_GRACE_S = 2.0
HALT_GRACE_S = 5.0  # a search ends within milliseconds of being told to
DECODER = msgspec.msgpack.Decoder(FromChild)


class Hand:
    """One process, and the job it does.

    Its pipes are served by two threads: an event loop that can do that does not serve sockets as well everywhere
    (Windows), and a process that is stopped must not stop us when its pipe is full.

    Args:
        niceness: by how much it is nicer than we.
        on_frame: called on the event loop with each frame it sends.
        on_end: called on the event loop with its exit code when it is gone.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self, niceness: int, on_frame: Callable[[Hand, FromChild], None], on_end: Callable[[Hand, int], None]
    ) -> None:
        self.number = 0
        self.order: Run | None = None
        self.halting: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        command = [sys.executable, "-m", "fanqi.jobs.child", str(niceness)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for serve in (lambda: self._read(on_frame, on_end), self._write):
            threading.Thread(target=serve, name=f"fanqi-child-{self.process.pid}", daemon=True).start()

    def send(self, frame: Frame) -> None:
        """Queue a frame; it is lost if the process is gone, which is noticed elsewhere."""
        self._frames.put(frame)

    def end(self) -> None:
        """Let it end itself."""
        self._frames.put(None)

    def kill(self) -> None:
        """End it."""
        self.process.kill()

    def _write(self) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        with suppress(OSError), stdin:
            while (frame := self._frames.get()) is not None:
                stdin.write(pack(frame))
                stdin.flush()

    def _read(self, on_frame: Callable[[Hand, FromChild], None], on_end: Callable[[Hand, int], None]) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        buffer = bytearray()
        with stdout, suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
            with suppress(ValueError, msgspec.DecodeError):  # what is no frame: whoever says it is of no more use
                while chunk := os.read(stdout.fileno(), 65_536):
                    buffer += chunk
                    while (body := unpack_from(buffer)) is not None:
                        self._loop.call_soon_threadsafe(on_frame, self, DECODER.decode(body))
            self.end()
            self.process.kill()
            self._loop.call_soon_threadsafe(on_end, self, self.process.wait())


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
        self._waiting: deque[Run] = deque()
        self._numbers = itertools.count(1)
        self._preparing: asyncio.Queue[Prepared | Broken] | None = None
        self._gone = asyncio.Event()
        self._closed = False

    async def prepare(self, games: tuple[str, ...]) -> dict[str, Prepared | Broken]:
        """Load or compile the kernels of these games in one process, so that the others find them in the cache."""
        answers: dict[str, Prepared | Broken] = {}
        if not games:
            return answers
        self._preparing = asyncio.Queue()
        self._start().send(Prepare(games=games))
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
            hand.end()
        self._gone.set()
        until = time.monotonic() + CLOSE_GRACE_S
        while self._hands and time.monotonic() < until:
            self._gone.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._gone.wait(), 0.1)
        for hand in self._hands:
            hand.kill()
        while self._hands:
            self._gone.clear()
            await self._gone.wait()

    def _feed(self) -> None:
        """Give waiting jobs to idle processes, and to new ones as long as there may be more."""
        while self._waiting:
            hand = next((hand for hand in self._hands if hand.number == 0), None)
            if hand is None:
                if len(self._hands) >= self._size:
                    return
                try:
                    hand = self._start()
                except OSError as error:
                    self.on_end(self._waiting.popleft().job, Broke(f"no process can be started: {reason_of(error)}"))
                    continue
            order = self._waiting.popleft()
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

    def _start(self) -> Hand:
        hand = Hand(self._niceness, self._on_frame, self._on_gone)
        self._hands.append(hand)
        return hand

    def _on_gone(self, hand: Hand, code: int) -> None:
        self._hands.remove(hand)
        self._gone.set()
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


def describe(code: int) -> str:
    """An exit code for people."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
