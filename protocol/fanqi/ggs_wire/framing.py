"""Bytes to lines, lines to blocks: the part of the wire that does not care what is said.

The server ends lines with CR LF and replies with the word READY (ALERT when it is about to go down). A block is what
stands between two such words. What arrives unasked starts with an empty line. The two login prompts and the presence
lines of a login have no READY behind them, so they are blocks of their own.

Nothing here raises on any bytes, and memory is bounded whatever the other side sends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MAX_BLOCK", "MAX_BLOCK_LINES", "MAX_LINE", "Block", "BlockReader", "LineReader", "format_block"]

MAX_LINE = 64 * 1024
"""Bytes kept of one line: a synchro game on the largest board is archived in 7 KB."""

MAX_BLOCK_LINES = 5000
"""Lines kept of one block: the longest listing seen has a few hundred."""

MAX_BLOCK = 1024 * 1024
"""Characters kept of the lines of one block."""

ENDS = ("READY", "ALERT")
PROMPTS = (": Enter login", ": Enter your password")
PRESENCE = re.compile(r": [+-] \S+(?: -?\d+)?")
ERASE = "\x1b[2K\r"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class LineReader:
    """Cuts a byte stream into lines without their ends. Bytes beyond `MAX_LINE` of one line are dropped.

    Attributes:
        dropped: bytes that were dropped so far.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self.dropped = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that are complete now, as Latin-1 text without CR, bells and colours."""
        *whole, last = data.split(b"\n")
        for part in whole:
            self._keep(part)
            line = self._rest.decode("latin-1")
            self._rest.clear()
            yield from plain_lines(line)
        self._keep(last)

    def _keep(self, part: bytes) -> None:
        room = MAX_LINE - len(self._rest)
        self.dropped += max(0, len(part) - room)
        self._rest += part[:room]


def plain_lines(line: str) -> Iterator[str]:
    """A line without what is only for terminals; erasing the line stands for the empty line before a block."""
    if line.startswith(ERASE):
        yield ""
        line = line[len(ERASE) :]
    yield ESCAPE.sub("", line).replace("\r", "").replace("\a", "")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together.

    Attributes:
        lines: without the empty line before and the READY behind.
        unasked: an empty line came first.
        end: the word that ended it, or empty.
        truncated: lines were dropped, since there were too many, or too long ones.
    """

    lines: tuple[str, ...]
    unasked: bool = False
    end: str = ""
    truncated: bool = False


@dataclass(slots=True)
class BlockReader:
    """Gathers lines into blocks."""

    _lines: list[str] = field(default_factory=list)
    _size: int = 0  # characters in them
    _unasked: bool = False
    _truncated: bool = False

    def feed(self, lines: Iterable[str]) -> Iterator[Block]:
        """The blocks that are complete now."""
        for line in lines:
            if line in ENDS:
                yield self._take(line)
            elif not line:
                if self._lines or self._unasked:
                    yield self._take()
                self._unasked = True
            elif line.startswith(PROMPTS):
                if self._lines:
                    yield self._take()
                self._lines.append(line)
                yield self._take()
            elif not self._lines and PRESENCE.fullmatch(line):
                self._lines.append(line)
                yield self._take()
            elif len(self._lines) < MAX_BLOCK_LINES and self._size + len(line) <= MAX_BLOCK:
                self._lines.append(line)
                self._size += len(line)
            else:
                self._truncated = True

    def end(self) -> Block:
        """What has come of a block that will not be completed, since the connection is over."""
        return self._take()

    def _take(self, end: str = "") -> Block:
        block = Block(tuple(self._lines), self._unasked, end, self._truncated)
        self._lines, self._size, self._unasked, self._truncated = [], 0, False, False
        return block


def format_block(block: Block) -> bytes:
    """The bytes that a block was read from."""
    lines = ([""] if block.unasked else []) + list(block.lines) + ([block.end] if block.end else [])
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1")
