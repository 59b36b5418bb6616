"""Cutting a stream of bytes into lines without ever keeping more than one line's worth of an endless one."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MAX_LINE", "LineSplitter", "LongLine"]

MAX_LINE = 65_536
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SHOWN_OF_LONG_LINE = 40


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line that was longer than allowed: its first bytes, for the error message; the rest has been skipped."""

    start: bytes


class LineSplitter:
    """Bytes in by `feed`, lines out by `pop`.

    A line ends at a line feed; a carriage return before it and a byte order mark at the very start are dropped. What is
    kept is at most ``max_line`` bytes beside the chunk fed last.
    """

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max_line = max_line
        self._buffer = bytearray()
        self._scanned = 0  # bytes of the buffer known to hold no line feed
        self._skipping = False
        self._at_start = True
        self._ended = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._buffer += data

    def end(self) -> None:
        """There will be no more bytes: what is left counts as a line."""
        self._ended = True

    @property
    def unfinished(self) -> bool:
        """Whether a line has begun whose end has not come; to be asked when `pop` has given None."""
        return self._skipping or bool(self._buffer)

    def pop(self) -> bytes | LongLine | None:
        """The next line, or None until more bytes come."""
        while True:
            stop = self._buffer.find(b"\n", self._scanned)
            if stop >= 0:
                line = self._take(stop, stop + 1)
            elif self._ended and self._buffer:
                line = self._take(len(self._buffer), len(self._buffer))
            else:
                return self._pop_unfinished()
            if self._skipping:
                self._skipping = False
                continue
            return self._checked(line)

    def _take(self, length: int, consumed: int) -> bytes:
        line = bytes(self._buffer[:length])
        del self._buffer[:consumed]
        self._scanned = 0
        return line

    def _pop_unfinished(self) -> LongLine | None:
        """What can be said of a line whose end has not come yet: nothing, unless it is too long already."""
        if self._skipping:
            self._buffer.clear()
        self._scanned = len(self._buffer)
        if len(self._buffer) <= self._max_line:
            return None
        start = self._take(SHOWN_OF_LONG_LINE, len(self._buffer))
        self._skipping = True
        return LongLine(start)

    def _checked(self, line: bytes) -> bytes | LongLine:
        if len(line) > self._max_line:
            return LongLine(line[:SHOWN_OF_LONG_LINE])
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(BYTE_ORDER_MARK)
        return line.removesuffix(b"\r")
