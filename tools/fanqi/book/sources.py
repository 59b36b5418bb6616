"""Lines to be imported, from game records of any kind."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from fanqi.book.errors import BuildError
from fanqi.game import quoted
from fanqi.othello.notation import parse_move
from fanqi.records import FORMATS, RecordError, detect, numbered, parse_records, parse_transcript
from fanqi.records.source import SNIFFED, after_blanks, open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fanqi.records import GameRecord

__all__ = ["read_lines"]


def read_lines(path: Path, after: str, complain: Callable[[str], None]) -> list[tuple[int, ...]]:
    """The games of a file as lines from the start position, every pass among the moves.

    Args:
        path: of GGF, SGF, PGN, WTHOR, transcripts or JSON lines.
        after: moves to put before every line of a file of transcripts, which then need not be one by itself.
        complain: told about every game that cannot be used; the others are read.

    Raises:
        BuildError: the file is none of these, or ``after`` is no line.
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    lines = []
    try:
        for number, record in numbered(after_all(data, after) if after else parse_records(data)):
            if isinstance(record, RecordError):
                complain(f"{path}: {record}")
            elif record.game != "othello" or record.start is not None or record.rules:
                complain(f"{path}: game {number}: it does not begin at the start position of Othello")
            else:
                lines.append(tuple(parse_move(played.move) for played in record.moves))
    except RecordError as error:
        raise BuildError(f"{path}: {error}") from None
    return lines


def after_all(data: bytes, after: str) -> Iterator[GameRecord | RecordError]:
    """The transcripts of a file, each after some moves."""
    try:
        first = "".join(played.move for played in parse_transcript(after).moves)
    except RecordError as error:
        raise BuildError(f"the moves {quoted(after)}: {error}") from None
    source, _ = open_source(io.BytesIO(data))
    source, _ = after_blanks(source)
    data = source.read()
    kind = detect(data[:SNIFFED], len(data))
    if kind is not FORMATS["transcript"]:
        raise BuildError(f"moves can be put before transcripts only, not before {kind.title}")
    # split as `read_records` does, but with the moves in front
    return parse_records(with_prefix(data, first.encode()), kind)


def with_prefix(data: bytes, prefix: bytes) -> bytes:
    """Every line that is neither blank nor a comment, with something in front."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    return b"\n".join(
        prefix + line.strip() if line.strip() and not line.lstrip().startswith((b"#", b"%")) else line for line in lines
    )
