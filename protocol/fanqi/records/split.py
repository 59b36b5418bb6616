"""Cutting a file into games, line by line, without ever holding more than one of them.

A *piece* is the text of one game (or position) and the line and column where it begins. What stands between games is a
piece as well, so that the reader of the format refuses it by name instead of its being lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MAX_PIECE", "Piece", "split_ggf", "split_lines", "split_pgn", "split_sgf", "split_tcga"]

MAX_PIECE = 1 << 20
"""Characters after which a game that does not end is cut, so that a broken file cannot fill the memory."""


class Piece(NamedTuple):
    """The text of one game and where it begins, from 1."""

    text: str
    line: int
    column: int = 1


def split_lines(lines: Iterable[str]) -> Iterator[Piece]:
    """One game a line; blank lines and those that start with ``#`` or ``%`` hold none."""
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if text.strip() and text.lstrip()[0] not in "#%":
            yield Piece(text, number)


GGF_START = re.compile(r"\s*\d*\s*\(\s*;")
GGF_END = re.compile(r";\s*\)")


def split_ggf(lines: Iterable[str]) -> Iterator[Piece]:
    """From ``(;`` to ``;)``, over as many lines as it takes; one line may hold the two games of a synchro pair.

    A line that begins a game ends the one before it, whole or not.
    """
    pending, first_line, first_column = "", 1, 1
    for number, line in enumerate(lines, 1):
        if pending and (GGF_START.match(line) or len(pending) > MAX_PIECE):
            yield Piece(pending, first_line, first_column)
            pending, first_line, first_column = "", number, 1
        begin = 0
        while found := GGF_END.search(line, begin):
            yield Piece(pending + line[begin : found.end()], first_line, first_column)
            pending, begin = "", found.end()
            first_line, first_column = number, begin + 1
        rest = line[begin:]
        if pending or rest.strip(" \t\r\n|"):
            pending += rest
        else:
            first_line, first_column = number + 1, 1
    if pending.strip():
        yield Piece(pending, first_line, first_column)


def split_sgf(lines: Iterable[str]) -> Iterator[Piece]:
    """From a bracket to the one that closes it, brackets in values not counted."""
    pending, first_line, first_column = "", 1, 1
    depth, inside, escaped = 0, False, False
    for number, line in enumerate(lines, 1):
        begin = 0
        for at, character in enumerate(line):
            if escaped:
                escaped = False
            elif inside:
                escaped = character == "\\"
                inside = character != "]"
            elif character == "[":
                inside = True
            elif character == "(":
                depth += 1
            elif character == ")" and depth:
                depth -= 1
                if depth == 0:
                    yield Piece(pending + line[begin : at + 1], first_line, first_column)
                    pending, begin = "", at + 1
                    first_line, first_column = number, at + 2
        rest = line[begin:]
        if not pending and not rest.strip():
            first_line, first_column = number + 1, 1
            continue
        pending += rest
        if len(pending) > MAX_PIECE:
            yield Piece(pending, first_line, first_column)
            pending, depth, inside, escaped = "", 0, False, False
            first_line, first_column = number + 1, 1
    if pending.strip():
        yield Piece(pending, first_line, first_column)


def split_pgn(lines: Iterable[str]) -> Iterator[Piece]:
    """A game ends after its result, or before the first tag that follows its moves."""
    pending: list[str] = []
    first, size, in_moves, in_comment = 1, 0, False, False
    for number, line in enumerate(lines, 1):
        is_tag = line.lstrip().startswith("[") and not in_comment
        if is_tag and in_moves:
            yield Piece("".join(pending), first)
            pending, size, in_moves = [], 0, False
        if not pending:
            if not line.strip():
                continue
            first = number
        pending.append(line)
        size += len(line)
        bare, in_comment = without_comments(line, in_comment)
        in_moves = in_moves or (not is_tag and bool(line.strip()))
        if size > MAX_PIECE or (in_moves and not in_comment and PGN_RESULT.search(bare)):
            yield Piece("".join(pending), first)
            pending, size, in_moves, in_comment = [], 0, False, False
    if pending:
        yield Piece("".join(pending), first)


PGN_RESULT = re.compile(r"(?:^|\s)(?:1-0|0-1|1/2-1/2|\*)\s*$")


def without_comments(line: str, in_comment: bool) -> tuple[str, bool]:
    """A line of PGN without its comments in braces, and whether one of them goes on."""
    bare = ""
    while line:
        before, brace, line = line.partition("}" if in_comment else "{")
        if not in_comment:
            bare += before
        if brace:
            in_comment = not in_comment
    return bare, in_comment


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
