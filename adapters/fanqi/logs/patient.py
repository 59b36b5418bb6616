"""A stream that is written by a thread of its own, so that nobody waits for whoever reads the log."""

from __future__ import annotations

import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["PatientStream"]

MAX_UNREAD = 10_000
FLUSH_SECONDS = 2.0


class PatientStream:
    """What `fanqi.logs.Logger` needs of a stream, in front of one that may block.

    When the reader is so far behind that ``most`` pieces wait, new ones are lost; the next one that is written says
    how many. Used as a context manager, which gives the reader `FLUSH_SECONDS` at the end.

    Args:
        stream: where to write; stderr by default.
        most: pieces that may wait.
    """

    def __init__(self, stream: TextIO | None = None, most: int = MAX_UNREAD) -> None:
        self._stream = stream or sys.stderr
        self._most = most
        self._waiting: deque[str] = deque()
        self._lost = 0
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write_all, name="fanqi-log", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(FLUSH_SECONDS)

    def isatty(self) -> bool:
        """Whether people read it."""
        return self._stream.isatty()

    def write(self, text: str) -> int:
        """Have it written soon."""
        with self._changed:
            if len(self._waiting) >= self._most:
                self._lost += 1
            else:
                self._waiting.append(text)
                self._changed.notify()
        return len(text)

    def flush(self) -> None:
        """Nothing: the thread flushes."""

    def _write_all(self) -> None:
        while (text := self._next()) is not None:
            try:
                self._stream.write(text)
                self._stream.flush()
            except (OSError, ValueError):  # nobody reads any more, or it is closed
                pass

    def _next(self) -> str | None:
        """All that waits, or None at the end."""
        with self._changed:
            while not self._waiting and not self._closing:
                self._changed.wait()
            if not self._waiting:
                return None
            text = "".join(self._waiting)
            if self._lost:
                text += f'{{"event": "log lines lost", "level": "warning", "lines": {self._lost}}}\n'
            self._waiting.clear()
            self._lost = 0
            return text
