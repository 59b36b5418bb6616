"""The bytes of a file as readers take them: unpacked, in an encoding that ASCII is part of, and cut into lines."""

from __future__ import annotations

import codecs
import importlib
import io
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from fanqi.records.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Buffer = Any

__all__ = ["MAX_PIECE", "SNIFFED", "UTF8_BOM", "after_blanks", "decode", "open_source", "read_lines"]

SNIFFED = 1 << 16
"""Bytes by which a format is told."""
MAX_PIECE = 1 << 20
"""Bytes or characters after which a line or a game that does not end is cut: a broken file cannot fill the memory."""

UTF8_BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
PACKED = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "lzma"))
"""What packed files begin with, and the module that unpacks them."""
FOREIGN = (
    (b"PK\x03\x04", "a zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd"),
    (b"\x1f\x9d", "packed by compress"),
)


class Readable(Protocol):
    """What the classes below read from."""

    def read(self, size: int, /) -> bytes: ...


class Rewound(io.RawIOBase):
    """A stream from its start again, after its first bytes were read."""

    def __init__(self, head: bytes, stream: Readable) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        data = self._head[: len(buffer)] or self._stream.read(len(buffer)) or b""
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


class Unpacked(io.RawIOBase):
    """What is in a packed file, as far as it can be unpacked.

    Args:
        file: gives the unpacked bytes.
        name: of the kind of packing.
        problems: takes what is wrong with it.
    """

    def __init__(self, file: Any, name: str, problems: list[RecordError]) -> None:
        self._file, self._name, self._problems = file, name, problems

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        try:
            data = self._file.read1(len(buffer))  # `read` would lose what it has when the end is missing
        except Exception as error:  # the modules have errors of their own: EOFError, BadGzipFile, LZMAError, zlib.error
            if isinstance(error, OSError) and error.errno is not None:  # the file itself cannot be read
                raise
            if not self._problems:
                reason = f"the {self._name} data is damaged or cut short, what comes before was read: {error}"
                self._problems.append(RecordError(reason, lost=False))
            return 0
        buffer[: len(data)] = data
        return len(data)


class Recoded(io.RawIOBase):
    """A text of two or four bytes a character as UTF-8; what is no character becomes U+FFFD."""

    def __init__(self, stream: Readable, encoding: str) -> None:
        self._stream = stream
        self._left = UTF8_BOM  # whoever reads on knows by it that this is UTF-8
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        while not self._left:
            data = self._stream.read(SNIFFED)
            self._left = self._decoder.decode(data, not data).encode("utf-8", "replace")
            if not data:
                break
        encoded, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(encoded)] = encoded
        return len(encoded)


def open_source(stream: Readable) -> tuple[io.BufferedReader, list[RecordError]]:
    """A file unpacked (gzip, bzip2, xz), and with UTF-16 and UTF-32 as UTF-8.

    Returns:
        It, and a list that takes what is found to be wrong with the packing while it is read.

    Raises:
        RecordError: it is packed in a way that Fanqi cannot unpack.
    """
    problems: list[RecordError] = []
    source = rewound(stream)
    head = source.peek(SNIFFED)
    for magic, what in FOREIGN:
        if head.startswith(magic):
            raise RecordError(f"{what}; unpack it first")
    for magic, name in PACKED:
        if head.startswith(magic):
            try:
                file = importlib.import_module(name).open(source)
            except ImportError:  # Python may be built without it
                raise RecordError(f"packed by {name}, which this Python cannot unpack") from None
            source = rewound(io.BufferedReader(Unpacked(file, name, problems), SNIFFED))
            head = source.peek(SNIFFED)
    if encoding := wide_encoding(head):
        source = rewound(io.BufferedReader(Recoded(source, encoding), SNIFFED))
    return source, problems


def rewound(stream: Readable) -> io.BufferedReader:
    """A stream whose first `SNIFFED` bytes can be seen at once: a pipe gives them in parts."""
    head = b""
    while len(head) < SNIFFED and (more := stream.read(SNIFFED - len(head))):
        head += more
    return io.BufferedReader(Rewound(head, stream), SNIFFED)


def after_blanks(source: io.BufferedReader) -> tuple[io.BufferedReader, int]:
    """A source without the blank lines it begins with, if they fill all that a format is told by.

    Returns:
        It, with its first `SNIFFED` bytes to be seen, and how many lines were left out.
    """
    lines = 0
    while (head := source.peek(SNIFFED)) and head.removeprefix(UTF8_BOM).isspace():
        lines += head.count(b"\n") or head.count(b"\r")
        source.read(len(head))
    return rewound(source), lines


def wide_encoding(head: bytes) -> str:
    """The encoding of a text of two or four bytes a character, by its mark or its zero bytes; else empty."""
    for mark, encoding in WIDE_BOMS:
        if head.startswith(mark):
            return encoding
    if len(head) >= 4:
        for encoding, first in (("utf-16-le", 0), ("utf-16-be", 1)):
            letters, zeros = head[first:4:2], head[1 - first : 4 : 2]
            if zeros == b"\0\0" and all(letter in b"\t\n\r" or 32 <= letter < 127 for letter in letters):
                return encoding
    return ""


def decode(data: bytes) -> str:
    """UTF-8, or Latin-1 where it is not that."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_lines(stream: BinaryIO, decoder: Callable[[bytes], str] = decode) -> Iterator[str]:
    """Lines with ``\\n`` at their end, whatever they ended with; lines without end are cut into lengths."""
    first = True
    while chunk := stream.readline(MAX_PIECE):
        if first:
            chunk, first = chunk.removeprefix(UTF8_BOM), False
        for line in chunk.splitlines(keepends=True):  # at \r, too: old Macs end lines so
            end = line.endswith((b"\n", b"\r"))
            yield decoder(line.rstrip(b"\r\n")) + "\n" * end
