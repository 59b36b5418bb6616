"""Every line to and from one engine, in a file, with the time."""

from __future__ import annotations

import time
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["IoLog"]

MAX_BYTES = 256 << 20


class IoLog:
    """Writes ``seconds > line`` for what we say and ``seconds < line`` for what the engine says.

    Args:
        path: appended to; made when the first line comes. When it cannot be written, the match goes on without it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._left = MAX_BYTES

    def sent(self, text: str) -> None:
        for line in text.split("\n"):
            self._write(b">", line.encode())

    def heard(self, line: bytes) -> None:
        self._write(b"<", line)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, direction: bytes, line: bytes) -> None:
        if self._left <= 0:
            return
        try:
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("ab", buffering=0)  # whoever reads along sees every line
            self._left -= len(line) + 20
            self._file.write(b"%.6f %s %s\n" % (time.monotonic(), direction, line))
        except OSError:  # a full disk: this is called while an engine's clock runs
            self._left = 0
