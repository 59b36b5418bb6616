"""The formats by name: which one a file is in, reading it game by game, writing one."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fanqi.records.charsets import CharsetDecoder
from fanqi.records.errors import RecordError
from fanqi.records.ggf import format_ggf, parse_ggf
from fanqi.records.jsonl import format_json, parse_json
from fanqi.records.obf import BOARD, format_obf, parse_obf
from fanqi.records.pgn import format_pgn, parse_pgn
from fanqi.records.sgf import format_sgf, parse_sgf
from fanqi.records.source import SNIFFED, UTF8_BOM, after_blanks, decode, open_source, read_lines
from fanqi.records.split import Piece, split_ggf, split_lines, split_pgn, split_sgf, split_tcga
from fanqi.records.tcga import format_tcga, parse_tcga
from fanqi.records.transcript import format_transcript, is_transcript, parse_transcript
from fanqi.records.wthor import GAME, HEADER
from fanqi.records.wthor_games import WthorWriter, read_wthor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fanqi.records.game import GameRecord
    from fanqi.records.source import Readable

    Names = tuple[Sequence[str], Sequence[str], Sequence[RecordError]]
    """Players and tournaments by number, and what is wrong with the files they come from."""

__all__ = [
    "FORMATS",
    "Format",
    "TextWriter",
    "Writer",
    "detect",
    "format_for_suffix",
    "numbered",
    "parse_records",
    "read_records",
]


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


JSON_START = re.compile(r"\{\s*+[\"}]")
TREE_START = re.compile(r"[\s|\d]*+\(\s*+;")
SGF_SIGN = re.compile(r"\bFF\s*+\[|GM\s*+\[\s*+[0-9]")
GGF_SIGN = re.compile(r"GM\s*+\[\s*+[A-Za-z]", re.IGNORECASE)
PGN_START = re.compile(r"\[\s*+\w++\s++\"|[{;]|1\s*+\.++\s*+(?:P?@)?[a-h][1-8](?=[\s{(;$!?]|$)", re.IGNORECASE)


def detect(head: bytes, size: int | None = None) -> Format:
    """The format of a file by its first bytes.

    Args:
        head: the beginning, 64 KiB are plenty; unpacked, and no UTF-16: see `fanqi.records.source.open_source`.
        size: of the whole file, if known; a WTHOR file is told by it.

    Raises:
        RecordError: Fanqi does not read this format.
    """
    if is_wthor(head, size):
        return FORMATS["wthor"]
    text = decode(head.removeprefix(UTF8_BOM))
    lines = [line.strip() for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "#%"]
    if not lines:
        raise RecordError("an empty file", line=1, column=1)
    first = lines[0]
    if JSON_START.match(first):
        return FORMATS["json"]
    if TREE_START.match(first):
        return FORMATS["sgf" if SGF_SIGN.search(text) and not GGF_SIGN.search(text) else "ggf"]
    if PGN_START.match(first):
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


def is_wthor(head: bytes, size: int | None) -> bool:
    """Whether there is a header of WTHOR, and behind it as many games as it says, or a first one that looks like it."""
    if len(head) < HEADER.size or head[0] not in (19, 20) or not 1 <= head[2] <= 12 or not 1 <= head[3] <= 31:
        return False
    games = int.from_bytes(head[4:8], "little", signed=True)
    if size is not None and size == HEADER.size + games * GAME.itemsize:
        return True
    moves = head[HEADER.size + 8 : HEADER.size + GAME.itemsize].rstrip(b"\0")
    return len(moves) > 3 and all(11 <= code <= 88 and 1 <= code % 10 <= 8 for code in moves)


def read_records(
    stream: Readable,
    kind: Format | None = None,
    *,
    size: int | None = None,
    names: Callable[[], Names] | None = None,
) -> Iterator[GameRecord | RecordError]:
    """Every game of a file, or what is wrong with it and where; reading goes on after an error.

    A file packed by gzip, bzip2 or xz is unpacked, UTF-16 and UTF-32 are understood. It is read as it is needed, so
    that it may be larger than memory. A game that is there but for something beside its moves comes behind the error.

    Args:
        kind: the format; None to detect it from the content.
        size: of the file, if known; see `detect`.
        names: gives the names of a WTHOR file; called for such a file only.

    Raises:
        RecordError: no format was given, and Fanqi reads neither the one found nor its packing.
    """
    try:
        source, problems = open_source(stream)
    except RecordError as error:
        if kind is None:
            raise
        yield error
        return
    mark = UTF8_BOM if source.peek(SNIFFED).startswith(UTF8_BOM) else b""
    source, blank = after_blanks(source)
    head = source.peek(SNIFFED)
    kind = kind or detect(head, None if problems else size)
    if kind.split is None or kind.parse_game is None:
        players, tournaments, errors = names() if names else ((), (), ())
        yield from errors
        try:
            yield from read_wthor(source, players, tournaments)
        except RecordError as error:
            yield error
    else:
        decoder = CharsetDecoder(mark + head.removeprefix(mark)) if kind.name == "sgf" else decode
        for piece in kind.split(read_lines(source, decoder)):
            try:
                yield kind.parse_game(piece.text)
            except RecordError as error:
                yield error.moved(blank + piece.line, piece.column)
                if error.record is not None:
                    yield error.record
    yield from problems


def parse_records(data: bytes, kind: Format | None = None) -> Iterator[GameRecord | RecordError]:
    """`read_records` of bytes in memory.

    Raises:
        RecordError: no format was given, and Fanqi does not read the one found.
    """
    return read_records(io.BytesIO(data), kind, size=len(data))


def numbered(items: Iterable[GameRecord | RecordError]) -> Iterator[tuple[int, GameRecord | RecordError]]:
    """What `read_records` gives, with the number of the game, from 1: a game that cannot be read has one, too.

    Another error has the number of the game behind it.
    """
    games = 0
    for item in items:
        counts = not isinstance(item, RecordError) or item.lost
        games += counts
        yield games + (not counts), item
