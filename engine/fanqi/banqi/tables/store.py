"""Endgame tables on disk and in memory.

A file is ``fanqi banqi endgames 1\\n`` and then, for each class, a header of four bytes (men of the first side, men of
the second, cannons, 0), the takes bits and the length of what follows as 32-bit little-endian numbers, and the kept
table compressed with LZMA. The classes of two to four men come to 3.9 MB, 40 MB in memory.
"""

from __future__ import annotations

import lzma
import struct
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.tables.classes import EndgameClass, classes, endgames
from fanqi.banqi.tables.retrograde import kept_size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["EndgameTables", "TableError", "TableFile", "pack", "read_tables", "shipped_tables"]

MAGIC = b"fanqi banqi endgames 1\n"
HEADER = struct.Struct("<BBBBII")
SHIPPED = "data/endgames.bin"
MAX_FILE = 64 << 20
"""No file of all classes is near so large, however badly it was compressed."""
PACK_MEMORY = 128 << 20
"""What unpacking may take; `pack` makes it take half of this."""


class TableError(ValueError):
    """A table file that cannot be used; the message names it and says why."""


class EndgameTables:
    """Kept tables in one block of memory, and the index by which kernels find them.

    Attributes:
        index: one row for each endgame, sorted by signature: the signature as in the state's `LIVE` word, the
            address of the table, and the order of the men (see `fanqi.banqi.tables.probe`).
        men: the most men of any table.
        kept: the tables themselves, each a part of the block.
    """

    def __init__(self, kept: dict[EndgameClass, NDArray[np.uint8]]) -> None:
        self._block = np.concatenate(list(kept.values())) if kept else np.zeros(0, np.uint8)
        ends = np.cumsum([len(table) for table in kept.values()])
        self.kept = dict(zip(kept, np.split(self._block, ends[:-1]), strict=True)) if kept else {}
        address = {kind: table.ctypes.data for kind, table in self.kept.items()}
        rows = []
        self.men = max((kind.men for kind in kept), default=0)
        for men in range(2, self.men + 1):
            for endgame in endgames(men):
                if endgame.kind not in kept:
                    continue
                signature = sum(1 << (4 * piece) for piece in endgame.order)
                order = sum(piece << (4 * place) for place, piece in enumerate(endgame.order))
                rows.append((signature, address[endgame.kind], order | men << 16 | endgame.order[0] // 7 << 20))
        self.index = np.array(sorted(rows), np.int64).reshape(-1, 3)


class TableFile:
    """A table file being written, class by class, under the name of the file with ``.partial`` behind it.

    What an earlier attempt has left there is taken over, so a build that was broken off goes on where it was.

    Attributes:
        kept: the classes that are in it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._partial = path.with_name(path.name + ".partial")
        self.kept: dict[EndgameClass, NDArray[np.uint8]] = {}
        whole = len(MAGIC)
        try:
            data = _read(self._partial)
            for kind, table, end in _entries(data, str(self._partial)):
                self.kept[kind] = table
                whole = end
        except TableError:
            pass  # nothing there, or broken off in the middle of a class: the file is cut there
        self._file = self._partial.open("r+b" if self.kept else "wb")
        if not self.kept:
            self._file.write(MAGIC)
        self._file.truncate(whole)
        self._file.seek(whole)

    def add(self, kind: EndgameClass, kept: NDArray[np.uint8], packed: bytes) -> None:
        """Append a class: its kept table, which `pack` has compressed."""
        self._file.write(HEADER.pack(kind.first, kind.second, kind.cannons, 0, kind.takes, len(packed)) + packed)
        self._file.flush()
        self.kept[kind] = kept

    def close(self) -> None:
        """Keep what is there for another attempt."""
        self._file.close()

    def finish(self) -> None:
        """Give the file its name, in place of what had it before."""
        self._file.close()
        self._partial.replace(self._path)

    def discard(self) -> None:
        """Throw the file away."""
        self._file.close()
        self._partial.unlink()


def pack(kept: NDArray[np.uint8]) -> bytes:
    """A kept table as it stands in the file."""
    return lzma.compress(kept.tobytes(), preset=9)


def _entries(data: bytes, name: str) -> Iterator[tuple[EndgameClass, NDArray[np.uint8], int]]:
    """The classes in a file's bytes, each with the place where it ends. None takes more memory than it should."""
    if not data.startswith(MAGIC):
        raise TableError(f"{name}: no endgame tables (it does not begin with {MAGIC!r})")
    place = len(MAGIC)
    missing = {kind for men in (2, 3, 4) for kind in classes(men)}
    while place < len(data):
        try:
            first, second, cannons, _, takes, length = HEADER.unpack_from(data, place)
            place += HEADER.size
            kind = EndgameClass(first, second, cannons, takes)
            if kind not in missing:
                raise TableError(f"{name}: unknown class, or one that was there before: {kind} before byte {place}")
            kept = _unpack(data[place : place + length], kept_size(kind.men))
        except (struct.error, lzma.LZMAError) as error:
            raise TableError(f"{name}: damaged at byte {place}: {error}") from error
        missing.remove(kind)
        place += length
        yield kind, kept, place


def _unpack(packed: bytes, size: int) -> NDArray[np.uint8]:
    """A kept table of ``size`` bytes from what `pack` made of it.

    Raises:
        lzma.LZMAError: it is something else.
    """
    stream = lzma.LZMADecompressor(memlimit=PACK_MEMORY)
    kept = stream.decompress(packed, size)
    end = b"" if stream.eof else stream.decompress(b"", 1)  # the mark of the end may still be to come
    if len(kept) != size or end or not stream.eof or stream.unused_data:
        raise lzma.LZMAError(f"it does not hold a table of {size} positions")
    return np.frombuffer(kept, np.uint8)


def _read(path: Path) -> bytes:
    """The bytes of a file that can be one of tables.

    Raises:
        TableError: it cannot be read, or it can be none.
    """
    if path.exists() and not path.is_file():  # a pipe or a device might never end
        raise TableError(f"{path}: not a file")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # a name that no file can have
        raise TableError(f"{path}: {error}") from error
    if len(data) > MAX_FILE:
        raise TableError(f"{path}: no endgame tables (larger than {MAX_FILE >> 20} MiB)")
    return data


def read_tables(path: Path) -> EndgameTables:
    """The tables of a file.

    Raises:
        TableError: it cannot be read, is none, or is damaged.
    """
    return _tables(_read(path), str(path))


def _tables(data: bytes, name: str) -> EndgameTables:
    kept = {kind: table for kind, table, _ in _entries(data, name)}
    if not kept:
        raise TableError(f"{name}: there are no tables in it")
    men = max(kind.men for kind in kept)
    # captures lead to the tables of fewer men, which whoever follows them takes to be there
    if lacking := sum(kind not in kept for count in range(2, men + 1) for kind in classes(count)):
        raise TableError(f"{name}: {lacking} of the tables of 2 to {men} men are not in it")
    return EndgameTables(kept)


@cache
def shipped_tables() -> EndgameTables:
    """The tables that come with the package, loaded once a process."""
    data = resources.files("fanqi.banqi").joinpath(SHIPPED).read_bytes()
    return _tables(data, SHIPPED)
