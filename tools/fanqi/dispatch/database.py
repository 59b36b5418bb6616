"""SQLite whose errors are sentences about the state file."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, TypeVar

from fanqi.dispatch.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Database"]

T = TypeVar("T")
PATIENCE_S = 1.0


class Database(sqlite3.Connection):
    """A connection whose methods raise `LedgerError`, with the name of the file, where SQLite cannot do what it should.

    Args:
        path: None for a database in memory.

    Raises:
        LedgerError: the file cannot be opened.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        # autocommit off: the first change begins a transaction, `commit` ends it
        self._told(super().__init__, ":memory:" if path is None else path, timeout=PATIENCE_S)

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        return self._told(super().execute, *arguments)

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        return self._told(super().executemany, *arguments)

    def executescript(self, *arguments: Any) -> sqlite3.Cursor:
        return self._told(super().executescript, *arguments)

    def commit(self) -> None:
        self._told(super().commit)

    def _told(self, work: Callable[..., T], *arguments: Any, **named: Any) -> T:
        try:
            return work(*arguments, **named)
        except sqlite3.Error as error:
            text = "another process has it open" if "locked" in str(error) else str(error)
            raise LedgerError(f"state file {str(self._path)!r}: {text}") from None
