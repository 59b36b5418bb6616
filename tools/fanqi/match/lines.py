"""Bytes to lines, with a bound on what an engine can make us store."""

from __future__ import annotations

__all__ = ["MAX_LINE", "LineBuffer", "tidy_line"]

MAX_LINE = 1 << 16
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What some programs on Windows write before their first line."""


def tidy_line(line: bytes) -> bytes:
    """A line without its end, without a byte order mark, with one blank between its words and none around them.

    All protocols that engines speak allow more blanks, and tabs, between words.
    """
    return b" ".join(line.removeprefix(BYTE_ORDER_MARK).split())


class LineBuffer:
    """Splits a byte stream at line feeds. A line of more than `MAX_LINE` bytes is dropped without being
    stored.

    Attributes:
        overlong: how many lines were dropped so far.
    """

    def __init__(self) -> None:
        self.overlong = 0
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines completed by ``data`` (up to CR LF or LF), each as `tidy_line` leaves it."""
        if b"\n" not in data:
            self._keep(data)
            return []
        lines = (self._rest + data).split(b"\n")
        self._rest = b""
        last = lines.pop()
        if self._skipping:
            self._skipping = False
            del lines[0]
        if any(len(line) > MAX_LINE for line in lines):
            self.overlong += sum(len(line) > MAX_LINE for line in lines)
            lines = [line for line in lines if len(line) <= MAX_LINE]
        self._keep(last)
        return [tidy_line(line) for line in lines]

    def _keep(self, data: bytes) -> None:
        if self._skipping:
            return
        if len(self._rest) + len(data) > MAX_LINE:
            self.overlong += 1
            self._skipping = True
            self._rest = b""
        else:
            self._rest += data
