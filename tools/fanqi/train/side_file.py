"""A file beside a result that keeps what is done so far, so that an interrupted command goes on.

The first line is a JSON object, and says what the rows follow from::

    {"format": "fanqi-rows", "version": 1, "labels": "search", "depth": 8, …, "positions": "50000 rows 0123456789ab"}

After its line feed the rows come one after the other, all of one length; how far the file goes is the progress. Only
who asks for the very same goes on with it: rows of two kinds are never in one result.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.files import require_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BufferedRandom
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

__all__ = ["SideFile", "SideFileError"]

START = {"format": "fanqi-rows", "version": 1}
HEAD_MOST = 1 << 16
"""Bytes of a first line: no honest one is longer."""


class SideFileError(ValueError):
    """A file of what is done so far that was begun for something else; the message names it and the difference."""


class SideFile:
    """The rows that are there already, and the place for more.

    Args:
        path: of the file; it need not exist.
        origin: what its rows follow from, by name.
        row: type of one row.
        most: rows that there are to be.

    Attributes:
        rows: that are whole.

    Raises:
        SideFileError: its rows follow from something else, or are too many.
        OSError: it is no regular file, or cannot be read.
    """

    def __init__(self, path: Path, origin: Mapping[str, str | int], row: DTypeLike, most: int) -> None:
        require_regular(path)
        self._path = path
        self._row = np.dtype(row)
        self._head = json.dumps(START | dict(origin)).encode() + b"\n"
        self._is_begun = False
        self.rows = 0
        if path.exists():
            with path.open("rb") as file:
                found = file.readline(HEAD_MOST)
            if self._head.startswith(found) and found != self._head:
                return  # empty, or interrupted in its first line
            self._check(found, origin)
            self._head, self._is_begun = found, True
            self.rows = (path.stat().st_size - len(self._head)) // self._row.itemsize
            if self.rows > most:
                raise SideFileError(f"{path}: {self.rows} rows, but there are only {most} positions")

    @contextlib.contextmanager
    def appending(self, after: int) -> Iterator[BufferedRandom]:
        """The file, opened to write rows after the first ``after``; what was behind those is gone."""
        with self._path.open("r+b" if self._path.exists() else "w+b") as file:
            if not self._is_begun:
                file.write(self._head)
                self._is_begun = True
            end = len(self._head) + after * self._row.itemsize
            file.truncate(end)
            file.seek(end)
            yield file

    def read(self) -> NDArray[Any]:
        """All rows."""
        return np.fromfile(self._path, self._row, offset=len(self._head))

    def _check(self, line: bytes, origin: Mapping[str, str | int]) -> None:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):  # brackets in brackets without end
            found = None
        if not isinstance(found, dict) or any(found.get(name) != value for name, value in START.items()):
            raise SideFileError(
                f"{self._path}: its first line does not say what its rows were made with, as this version has it; "
                "remove the file to begin anew"
            )
        wanted = START | dict(origin)
        other = [name for name in wanted | found if wanted.get(name) != found.get(name)]
        if other:
            before, now = (", ".join(f"{name} {one.get(name, 'none')}" for name in other) for one in (found, wanted))
            raise SideFileError(
                f"{self._path}: begun with {before}, but this is {now}; "
                "ask for the same as before to go on, or remove the file to begin anew"
            )
