"""The book file: one MessagePack map, read and written as a whole. docs/book.md describes it for everybody.

Nothing in a file is believed before it is checked: sizes are known before memory is taken for them, the columns have a
checksum, and `fanqi.othello_book.columns.defect` looks at every position.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from fanqi.othello_book.columns import Columns, defect

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["BookError", "BookHead", "format_book", "parse_book", "read_book"]

FORMAT = "fanqi-othello-book"
VERSION = 1
MAX_FILE = 1 << 30
BEGINNING = b"\x88\xa6format" + bytes([0xA0 + len(FORMAT)]) + FORMAT.encode()
"""Of every book: a map of eight, the first entry its format."""
LAYOUT = (
    ("own", "<u8"),
    ("opponent", "<u8"),
    ("value", "<i2"),
    ("move", "u1"),
    ("score", "<i2"),
    ("depth", "u1"),
    ("selectivity", "u1"),
    ("count", "u1"),
)
POSITION_BYTES = sum(np.dtype(kind).itemsize for _, kind in LAYOUT)
ZLIB_RATIO = 1032
"""No zlib stream unpacks to more than this many times its length."""


class BookError(ValueError):
    """A file that is no book of this version, or a damaged one; the message says why."""


class BookHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a book says about itself.

    Attributes:
        error: stated error in discs: how far its scores are from those of a much deeper search, root mean square.
            None: it has not been measured.
        provenance: how it was made; see docs/book.md for the entries that `fanqi book` writes. Single values only: a
            list in a damaged file could announce more elements than there is memory.
    """

    error: float | None = None
    provenance: dict[str, str | int | float | bool | None] = msgspec.field(default_factory=dict)


class BookFile(msgspec.Struct, frozen=True, kw_only=True):
    """The map as it is in the file."""

    format: str
    version: int
    positions: int
    links: int
    error: float | None
    provenance: dict[str, str | int | float | bool | None]
    crc32: int
    columns: bytes


def planes(column: NDArray[Any], kind: str) -> bytes:
    """A column as bytes: the lowest bytes of all entries, then the next ones. Neighbours are alike: it packs well."""
    entries = np.ascontiguousarray(column, kind)
    return entries.view(np.uint8).reshape(len(entries), entries.itemsize).T.tobytes()


def from_planes(data: memoryview, count: int, kind: str) -> NDArray[Any]:
    """The column that `planes` made bytes of."""
    size = np.dtype(kind).itemsize
    entries = np.ascontiguousarray(np.frombuffer(data, np.uint8).reshape(size, count).T)
    return entries.reshape(-1).view(kind).astype(np.dtype(kind).newbyteorder("="), copy=False)


def format_book(head: BookHead, columns: Columns) -> bytes:
    """The bytes of a book file; `parse_book` reads them back."""
    payload = b"".join(planes(getattr(columns, name), kind) for name, kind in LAYOUT) + columns.links.tobytes()
    return msgspec.msgpack.encode(
        BookFile(
            format=FORMAT,
            version=VERSION,
            positions=len(columns),
            links=len(columns.links),
            error=head.error,
            provenance=head.provenance,
            crc32=zlib.crc32(payload),
            columns=zlib.compress(payload, 9),
        )
    )


def parse_book(data: bytes) -> tuple[BookHead, Columns]:
    """Read a book file.

    Raises:
        BookError: not such a file, of another version, or damaged.
    """
    if not data.startswith(BEGINNING):
        raise BookError(f"no book: it begins with {data[: len(BEGINNING)]!r}" if data else "no book: it is empty")
    try:
        file = msgspec.msgpack.decode(data, type=BookFile)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:  # ValueError: text that is not UTF-8
        raise BookError(f"damaged: {str(error)[:80]}") from None
    if file.version != VERSION:
        raise BookError(f"a book of version {file.version}; this program reads version {VERSION}")
    if file.error is not None and not 0 <= file.error <= 64:
        raise BookError(f"damaged: a stated error of {file.error} discs")
    payload = unpack(file)
    columns: dict[str, Any] = {}
    at = 0
    for name, kind in LAYOUT:
        end = at + file.positions * np.dtype(kind).itemsize
        columns[name] = from_planes(memoryview(payload)[at:end], file.positions, kind)
        at = end
    columns["links"] = np.frombuffer(payload, np.uint8, file.links, at)
    linked = int(columns["count"].sum(dtype=np.int64))
    if linked != file.links:
        raise BookError(f"damaged: its positions count {linked} links, the head says {file.links}")
    book = Columns(**columns)
    if (problem := defect(book)) is not None:
        raise BookError(f"damaged: {problem}")
    return BookHead(error=file.error, provenance=file.provenance), book


def unpack(file: BookFile) -> bytes:
    """The columns as bytes, of the length that the head announces.

    Raises:
        BookError: they have another length or checksum, or announce more than such a file can hold.
    """
    if file.positions < 0 or file.links < 0:
        raise BookError("damaged: a negative number of positions or links")
    size = POSITION_BYTES * file.positions + file.links
    if size > ZLIB_RATIO * len(file.columns):
        raise BookError(f"damaged: {file.positions} positions cannot be in {len(file.columns)} bytes")
    try:
        stream = zlib.decompressobj()
        payload = stream.decompress(file.columns, size + 1)
        whole = len(payload) == size and stream.eof and not stream.unused_data
    except zlib.error as error:
        raise BookError(f"damaged: {error}") from None
    if not whole:
        raise BookError(
            f"damaged: {file.positions} positions and {file.links} links take {size} bytes, not what is there"
        )
    if zlib.crc32(payload) != file.crc32:
        raise BookError("damaged: the checksum does not fit the contents")
    return payload


def read_book(path: Path) -> tuple[BookHead, Columns]:
    """`parse_book` of a file.

    Raises:
        BookError: it cannot be read; the message names it.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe might never end
            raise BookError("not a file")
        with path.open("rb") as file:
            data = file.read(len(BEGINNING))
            if data == BEGINNING:
                data += file.read(MAX_FILE)
        if len(data) > MAX_FILE:
            raise BookError("larger than 1 GiB")
        return parse_book(data)
    except OSError as error:
        raise BookError(f"book {path}: {error.strerror or error}") from None
    except ValueError as error:  # also a name that no file can have
        raise BookError(f"book {path}: {error}") from None
