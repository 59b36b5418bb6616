"""The formats by name: which one a file is in, reading it game by game, writing one."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

from fanqi.records.errors import RecordError
from fanqi.records.ggf import format_ggf, parse_ggf
from fanqi.records.jsonl import format_json, parse_json
from fanqi.records.obf import BOARD, format_obf, parse_obf
from fanqi.records.pgn import format_pgn, parse_pgn
from fanqi.records.sgf import format_sgf, parse_sgf
from fanqi.records.split import MAX_PIECE, Piece, split_ggf, split_lines, split_pgn, split_sgf, split_tcga
from fanqi.records.tcga import format_tcga, parse_tcga
from fanqi.records.transcript import format_transcript, is_transcript, parse_transcript
from fanqi.records.wthor import GAME, HEADER, parse_wthor
from fanqi.records.wthor_games import WthorWriter, wthor_games

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fanqi.records.game import GameRecord

__all__ = ["FORMATS", "Format", "TextWriter", "Writer", "detect", "format_for_suffix", "read_records"]

SNIFFED = 1 << 16


class Writer(Protocol):
    """Takes games and gives bytes."""

    def add(self, record: GameRecord) -> bytes:
        """What can be written now.

        Raises:
            RecordError: the format cannot hold this game; the writer goes on with the next one.
        """

    def finish(self) -> bytes:
        """What is left to be written after the last game."""


class TextWriter:
    """Writes each game as soon as it comes, UTF-8."""

    def __init__(self, format_game: Callable[[GameRecord], str], end: str) -> None:
        self._format_game, self._end = format_game, end

    def add(self, record: GameRecord) -> bytes:
        return (self._format_game(record) + self._end).encode()

    def finish(self) -> bytes:
        return b""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of game records.

    Attributes:
        name: as it is called on the command line.
        title: for people.
        suffixes: of file names, the first is the usual one.
        games: which games it can hold.
        split: cuts lines into games; None for a binary format.
        parse_game, format_game: between the text of one game and a record.
        end: what follows a game in a file.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    games: tuple[str, ...]
    split: Callable[[Iterable[str]], Iterator[Piece]] | None = None
    parse_game: Callable[[str], GameRecord] | None = None
    format_game: Callable[[GameRecord], str] | None = None
    end: str = "\n"

    def writer(self, today: tuple[int, int, int]) -> Writer:
        """A new file of this format; ``today`` is the date that goes into a WTHOR header."""
        if self.format_game is None:
            return WthorWriter(today)
        return TextWriter(self.format_game, self.end)


BOTH = ("othello", "banqi")

FORMATS = {
    entry.name: entry
    for entry in (
        Format(
            "ggf", "Generic Game Format", (".ggf",), ("othello",), split_ggf, parse_ggf, format_ggf
        ),
        Format("sgf", "Smart Game Format, game 2", (".sgf",), ("othello",), split_sgf, parse_sgf, format_sgf),
        Format("pgn", "PGN as of Edax and PlayOK", (".pgn",), ("othello",), split_pgn, parse_pgn, format_pgn),
        Format("wthor", "WTHOR tournament file", (".wtb",), ("othello",)),
        Format(
            "transcript",
            "one line of moves a game",
            (".txt", ".xot"),
            ("othello",),
            split_lines,
            parse_transcript,
            format_transcript,
        ),
        Format("obf", "one position a line", (".obf", ".scr"), ("othello",), split_lines, parse_obf, format_obf),
        Format("tcga", "TCGA banqi record", (".tcga",), ("banqi",), split_tcga, parse_tcga, format_tcga, ""),
        Format("json", "JSON lines", (".jsonl", ".json"), BOTH, split_lines, parse_json, format_json),
    )
}  # fmt: skip


def format_for_suffix(name: str) -> Format | None:
    """The format a file name asks for by its ending, or None."""
    lowered = name.lower()
    return next(
        (entry for entry in FORMATS.values() if lowered.endswith(entry.suffixes)),
        None,
    )


def detect(head: bytes, size: int | None = None) -> Format:
    """The format of a file by its first bytes.

    Args:
        head: the beginning, 64 KiB are plenty.
        size: of the whole file, if known; a WTHOR file is told by it.

    Raises:
        RecordError: it is none that Fanqi reads.
    """
    if is_wthor(head, len(head) if size is None else size):
        return FORMATS["wthor"]
    text = decode(head.removeprefix(b"\xef\xbb\xbf"))
    lines = [line.strip() for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "#%"]
    if not lines:
        raise RecordError("an empty file", line=1, column=1)
    first = lines[0]
    if first.startswith("{"):
        return FORMATS["json"]
    if re.match(r"[\s|\d]*\(\s*;", first):
        name = re.search(r"GM\s*\[\s*(\w*)", text)
        return FORMATS["sgf" if (name and name[1].isdecimal()) or re.search(r"\bFF\s*\[", text) else "ggf"]
    if re.match(r'\[\s*\w+\s+"', first) or re.match(r"1\s*\.+\s*[A-Ha-h][1-8]\s+[A-Ha-h][1-8]\b", first):
        return FORMATS["pgn"]
    if len(lines) > 2 and lines[1].startswith("*") and " vs " in lines[2]:
        return FORMATS["tcga"]
    # a first line may be a heading or damaged: the second then decides
    for line in lines[:2]:
        if is_transcript(line):
            return FORMATS["transcript"]
        if BOARD.match(line):
            return FORMATS["obf"]
    raise RecordError("no format that Fanqi reads", first, line=1, column=1)


def is_wthor(head: bytes, size: int) -> bool:
    """Whether the header announces as many games as the file holds, give or take damage at its end."""
    if len(head) < HEADER.size or head[0] not in (19, 20) or not 1 <= head[2] <= 12 or not 1 <= head[3] <= 31:
        return False
    games = int.from_bytes(head[4:8], "little", signed=True)
    return 0 <= games <= 1 << 24 and (size - HEADER.size) // GAME.itemsize <= games + 1


def decode(data: bytes) -> str:
    """UTF-8, or Latin-1 where it is not that."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_lines(stream: BinaryIO) -> Iterator[str]:
    """Lines with ``\\n`` at their end, whatever they ended with; lines without end are cut into lengths."""
    first = True
    while line := stream.readline(MAX_PIECE):
        if first:
            line, first = line.removeprefix(b"\xef\xbb\xbf"), False
        yield decode(line).replace("\r\n", "\n").replace("\r", "\n")


def read_records(
    stream: BinaryIO, kind: Format, players: Sequence[str] = (), tournaments: Sequence[str] = ()
) -> Iterator[GameRecord | RecordError]:
    """Every game of a file, or what is wrong with it and where; reading goes on after an error.

    Text is read as it is needed, so that a file may be larger than memory; a WTHOR file is read at once.

    Args:
        players, tournaments: WTHOR names by number.
    """
    if kind.split is None or kind.parse_game is None:
        try:
            yield from wthor_games(parse_wthor(stream.read()), players, tournaments)
        except RecordError as error:
            yield error
        return
    for piece in kind.split(read_lines(stream)):
        try:
            yield kind.parse_game(piece.text)
        except RecordError as error:
            yield error.moved(piece.line, piece.column)


def parse_records(data: bytes, kind: Format | None = None) -> Iterator[GameRecord | RecordError]:
    """`read_records` of bytes in memory, in the format given or detected.

    Raises:
        RecordError: no format was given and it is none that Fanqi reads.
    """
    return read_records(io.BytesIO(data), kind or detect(data[:SNIFFED], len(data)))
