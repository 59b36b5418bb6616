"""Writing to a pipe from a thread of its own, so that no search ever waits for a host that does not read."""

from __future__ import annotations

import os
import queue
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Outbox"]

MAX_UNREAD_THOUGHTS = 1_000


class Outbox:
    """Lines in order to a file descriptor; implements `fanqi.uci.Output`.

    Args:
        descriptor: of stdout.
        on_end: the session has said everything.
        on_broken: nobody can read any more. Called once, from the writing thread.
    """

    def __init__(self, descriptor: int, on_end: Callable[[], None], on_broken: Callable[[OSError], None]) -> None:
        self._descriptor = descriptor
        self._on_end = on_end
        self._on_broken = on_broken
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="fanqi-stdout", daemon=True)
        self._thread.start()

    def answer(self, line: str) -> None:
        self._lines.put(line)

    def thought(self, line: str) -> None:
        if self._lines.qsize() < MAX_UNREAD_THOUGHTS:
            self._lines.put(line)

    def ended(self) -> None:
        self._on_end()

    def close(self, timeout: float) -> bool:
        """Write what is left; False when the reader has not taken it within ``timeout`` seconds."""
        self._lines.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _write_all(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                write(self._descriptor, f"{line}\n".encode("utf-8", "backslashreplace"))
            except OSError as error:
                self._on_broken(error)
                return


def write(descriptor: int, data: bytes) -> None:
    """All of ``data``, however little a pipe takes at a time."""
    while data:
        data = data[os.write(descriptor, data) :]
