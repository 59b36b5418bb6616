"""The process in which jobs run: ``python -m fanqi.jobs.child``, orders on stdin, news and results on stdout.

It is a process of its own so that a worker keeps its heartbeat while numba compiles, survives a job that crashes, and
can end one that hangs. When its worker is gone, stdin ends, and it goes too, whatever it is doing.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from fanqi.jobs.frames import Begin, Broken, End, Frame, Halt, News, Prepare, Prepared, ToChild, pack, unpack_from

if TYPE_CHECKING:
    from fanqi.mqtt.work import Line

__all__ = ["main"]


class Child:
    """Reads orders on one thread, runs jobs on another."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders = orders
        self._answers = answers
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Prepare | Begin] = queue.SimpleQueue()
        self._number = self._halted = 0
        from fanqi.jobs.context import (
            Context,  # imports numpy; the parent, which imports this module's frames, does not
        )

        self._context = Context(self._report)

    def read(self) -> None:
        """Take orders until there are no more; then end the process, even in the middle of a job."""
        decoder = msgspec.msgpack.Decoder(ToChild)
        buffer = bytearray()
        while chunk := os.read(self._orders.fileno(), 65_536):
            buffer += chunk
            while (body := unpack_from(buffer)) is not None:
                order = decoder.decode(body)
                if isinstance(order, Halt):
                    self._halted = order.number
                    if self._number == order.number:
                        self._context.stop()
                else:
                    self._queue.put(order)
        os._exit(0)

    def work(self) -> None:
        """Carry out orders, one after another."""
        while True:
            order = self._queue.get()
            if isinstance(order, Prepare):
                for game in order.games:
                    self._send(prepare(game))
            else:
                self._send(self._run(order))

    def _run(self, order: Begin) -> End | Broken:
        from fanqi.jobs.context import JobError, Stopped
        from fanqi.jobs.run import run_job

        self._context.begin(order.threads, order.hash_mib)
        self._number = order.number
        if self._halted == order.number:
            self._context.stop()
        try:
            result = run_job(order.work, self._context, order.engines)
        except JobError as error:
            return Broken(number=order.number, reason=str(error), final=True)
        except Stopped:
            return Broken(number=order.number, reason="stopped")
        except MemoryError as error:
            return Broken(number=order.number, reason=str(error) or "out of memory")
        except Exception as error:
            return Broken(number=order.number, reason=f"{type(error).__name__}: {error}")
        return End(number=order.number, result=msgspec.msgpack.encode(result), nodes=self._context.nodes)

    def _report(self, done: int, total: int, nodes: int, nps: int, line: Line | None) -> None:
        self._send(News(number=self._number, done=done, total=total, nodes=nodes, nps=nps, line=line))

    def _send(self, frame: Frame) -> None:
        with self._lock:
            self._answers.write(pack(frame))
            self._answers.flush()


def prepare(game: str) -> Prepared | Broken:
    """Load a game with all its kernels."""
    started = time.monotonic()
    try:
        from fanqi.game import load_game

        steps = load_game(game).prepare()
    except Exception as error:
        return Broken(game=game, reason=f"{type(error).__name__}: {error}")
    compiled = sum(not step.cached for step in steps)
    return Prepared(game=game, seconds=time.monotonic() - started, compiled=compiled)


def main() -> None:
    """Serve until stdin ends. Whatever prints goes to stderr, not among the frames.

    The one argument is by how much to be nicer than the worker.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker, which tells us what to do about it
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    child = Child(sys.stdin.buffer, answers)
    threading.Thread(target=child.read, name="fanqi-orders", daemon=True).start()
    try:
        child.work()
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
