"""Cutting a file into games, line by line, without ever holding more than one of them.

A *piece* is the text of one game (or position) and the line and column where it begins. What stands between games is a
piece as well, so that the reader of the format refuses it by name instead of its being lost.

All patterns here and in the readers are linear in the length of what they read: repetitions that follow each other are
of different characters, or possessive (``*+``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fanqi.records.source import MAX_PIECE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Piece", "split_ggf", "split_lines", "split_pgn", "split_sgf", "split_tcga"]


class Piece(NamedTuple):
    """The text of one game and where it begins, from 1."""

    text: str
    line: int
    column: int = 1


class Pending:
    """The piece that is being collected.

    Attributes:
        size: characters of it.
    """

    def __init__(self, blanks: str = " \t\r\n") -> None:
        self._blanks = blanks
        self._parts: list[str] = []
        self._line = self._column = 1
        self.size = 0

    def add(self, text: str, line: int, column: int) -> None:
        """More text, which stands at this place; what is blank does not begin a piece."""
        if not self._parts:
            if not text.strip(self._blanks):
                return
            self._line, self._column = line, column
        self._parts.append(text)
        self.size += len(text)

    def take(self) -> Iterator[Piece]:
        """The piece, if there is one, which is then over."""
        if self._parts:
            yield Piece("".join(self._parts), self._line, self._column)
        self._parts, self.size = [], 0

    @property
    def text(self) -> str:
        return "".join(self._parts)


def split_lines(lines: Iterable[str]) -> Iterator[Piece]:
    """One game a line; blank lines and those that start with ``#`` or ``%`` hold none."""
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if text.strip() and text.lstrip()[0] not in "#%":
            yield Piece(text, number)


GGF_START = re.compile(r"\s*+\d*+\s*+\(\s*+;")
GGF_MARK = re.compile(r"\(\s*+;(?:\s*+GM\s*+\[)?|;[\s|]*+\)|[\[\]]")
NUMBER_OF_GAMES = re.compile(r"[\s|]*+\d*+[\s|]*+")


def split_ggf(lines: Iterable[str]) -> Iterator[Piece]:
    """From ``(;`` to ``;)``, over as many lines as it takes; one line may hold the two games of a synchro pair.

    A ``;)`` in a value ends nothing. A line that begins a game ends the one before it, whole or not; so does
    ``(;GM[`` anywhere, also in a value, which then was never closed.
    """
    pending = Pending(" \t\r\n|")
    inside = False
    for number, line in enumerate(lines, 1):
        if pending.size > MAX_PIECE or GGF_START.match(line):
            yield from pending.take()
            inside = False
        begin = 0
        for mark in GGF_MARK.finditer(line):
            sign = mark[0][0]
            if sign == "(" and (not inside or mark[0][-1] == "["):
                if not NUMBER_OF_GAMES.fullmatch(pending.text + line[begin : mark.start()]):
                    pending.add(line[begin : mark.start()], number, begin + 1)
                    yield from pending.take()
                    begin = mark.start()
                inside = mark[0][-1] == "["
            elif inside:
                inside = sign != "]"
            elif sign == "[":
                inside = True
            elif sign == ";":
                pending.add(line[begin : mark.end()], number, begin + 1)
                yield from pending.take()
                begin = mark.end()
        pending.add(line[begin:], number, begin + 1)
    yield from pending.take()


SGF_MARK = re.compile(r"\\.|[\[\]()]", re.DOTALL)
SGF_START = re.compile(r"\s*+\(\s*+;\s*+(?:FF|GM|CA|AP)\s*+\[")


def split_sgf(lines: Iterable[str]) -> Iterator[Piece]:
    """From a bracket to the one that closes it, brackets in values not counted.

    A line that begins with properties of a root begins a game, whether the one before it is whole or not.
    """
    pending = Pending()
    depth, inside = 0, False
    for number, line in enumerate(lines, 1):
        if pending.size > MAX_PIECE or ((depth or inside) and SGF_START.match(line)):
            yield from pending.take()
            depth, inside = 0, False
        begin = 0
        for mark in SGF_MARK.finditer(line):
            sign = mark[0]
            if inside:
                inside = sign != "]"
            elif sign == "[":
                inside = True
            elif sign == "(":
                if depth == 0:
                    pending.add(line[begin : mark.start()], number, begin + 1)
                    yield from pending.take()
                    begin = mark.start()
                depth += 1
            elif sign == ")" and depth:
                depth -= 1
                if depth == 0:
                    pending.add(line[begin : mark.end()], number, begin + 1)
                    yield from pending.take()
                    begin = mark.end()
        pending.add(line[begin:], number, begin + 1)
    yield from pending.take()


PGN_TAG = re.compile(r"\s*+\[\s*+(\w++)\s++\"(?:[^\"\\\n]|\\.)*+\"\s*+\]")
PGN_MARK = re.compile(
    r"[{;()]|(?<![^\s)}])(?P<result>1-0|0-1|1/2-1/2|\*)(?![^\s({;])|(?<![^\s)}])(?P<first>1\s*+\.(?!\.))|[^\s{;()]++"
)


def split_pgn(lines: Iterable[str]) -> Iterator[Piece]:
    """A game ends after its result, before a tag that follows its moves or comes again, and before a second move 1.

    Comments between games belong to none of them.
    """
    splitter = PgnSplitter()
    for number, line in enumerate(lines, 1):
        yield from splitter.feed(line, number)
    yield from splitter.end_game()


class PgnSplitter:
    """Where in a PGN file the reader is."""

    def __init__(self) -> None:
        self._begin_game()

    def _begin_game(self) -> None:
        self._pending = Pending()
        self._tags: set[str] = set()
        self._moves = self._in_comment = False
        self._depth = 0  # of variations

    def end_game(self) -> Iterator[Piece]:
        """The game so far, unless there is nothing but whole comments."""
        if self._moves or self._tags or self._in_comment:
            yield from self._pending.take()
        self._begin_game()

    def feed(self, line: str, number: int) -> Iterator[Piece]:
        """The games that end in a line."""
        # a comment that was never closed ends where the next game begins
        if self._pending.size > MAX_PIECE or (self._in_comment and line.startswith('[Event "')):
            yield from self.end_game()
        begin = 0
        at = len(line) if line.startswith("%") and not self._in_comment else 0
        while at < len(line):
            if self._in_comment:
                end = line.find("}", at)
                self._in_comment, at = end < 0, len(line) if end < 0 else end + 1
            elif tag := PGN_TAG.match(line, at):
                if self._moves or tag[1] in self._tags:
                    self._pending.add(line[begin:at], number, begin + 1)
                    yield from self.end_game()
                    begin = at
                self._tags.add(tag[1])
                at = tag.end()
            elif mark := PGN_MARK.search(line, at):
                if mark["first"] and self._moves and not self._depth:
                    self._pending.add(line[begin : mark.start()], number, begin + 1)
                    yield from self.end_game()
                    begin = mark.start()
                at = len(line) if mark[0] == ";" else mark.end()
                self._read_mark(mark[0])
                if mark["result"] and not self._depth:
                    self._pending.add(line[begin:at], number, begin + 1)
                    yield from self.end_game()
                    begin = at
            else:
                break
        self._pending.add(line[begin:], number, begin + 1)

    def _read_mark(self, sign: str) -> None:
        if sign == "{":
            self._in_comment = True
        elif sign == "(":
            self._depth += 1
        elif sign == ")":
            self._depth = max(self._depth - 1, 0)
        elif sign != ";":
            self._moves = True


def split_tcga(lines: Iterable[str]) -> Iterator[Piece]:
    """A record begins with a line without an asterisk that is followed by ``* date`` and ``* A vs B``."""
    pending: list[str] = []
    first, size = 1, 0
    for number, line in enumerate(lines, 1):
        pending.append(line)
        size += len(line)
        versus = line.startswith("*") and " vs " in line and number > 2
        if versus and len(pending) > 3 and pending[-2].startswith("*") and not pending[-3].startswith("*"):
            yield Piece("".join(pending[:-3]), first)
            pending, first = pending[-3:], number - 2
            size = sum(map(len, pending))
        if size > MAX_PIECE:
            yield Piece("".join(pending), first)
            pending, first, size = [], number + 1, 0
    if "".join(pending).strip():
        yield Piece("".join(pending), first)
