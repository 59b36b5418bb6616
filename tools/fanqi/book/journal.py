"""Answers of searches that are not in the book file yet: what a build that is killed does not lose.

The journal lies beside the book (``NAME.journal``). Its first line is JSON and says by which settings and weights the
answers were found; then come records of `RECORD_BYTES`, little-endian::

    own, opponent      uint64 each   the canonical position
    moves              uint64        the squares that were allowed; 0 for the pass
    score              int16
    move, depth, selectivity         one byte each
    check              3 bytes       of the CRC-32 of the rest

An answer is looked up by its question, so it does no harm when it is in the book already. A record cut short at the end
is dropped.
"""

from __future__ import annotations

import json
import os
import struct
import threading
import zlib
from typing import TYPE_CHECKING, Any

from fanqi.book.errors import BuildError
from fanqi.book.graph import Verdict
from fanqi.files import described, require_regular
from fanqi.othello_book import PASS

if TYPE_CHECKING:
    from pathlib import Path

    from fanqi.book.judge import Question

__all__ = ["Journal"]

RECORD = struct.Struct("<QQQhBBB3s")
RECORD_BYTES = RECORD.size
MAX_HEAD = 4096


class Journal:
    """One build's journal; only one process at a time can have it open.

    Args:
        path: created if missing.
        terms: settings and weights of this build. Answers found by others are dropped.

    Raises:
        BuildError: another process builds this book, or the file is none.
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, terms: dict[str, Any]) -> None:
        self._path = path
        self._head = json.dumps(terms, sort_keys=True).encode() + b"\n"
        self._lock = threading.Lock()
        try:
            require_regular(path)
        except OSError as error:
            raise BuildError(described(error, path)) from None
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        try:
            lock(self._file.fileno())
        except OSError:
            self._file.close()
            raise BuildError(f"{path}: another process is building this book") from None
        self._answers: dict[tuple[int, int, int], Verdict] = {}
        whole = self._load()
        if whole:
            self._file.truncate(whole)
            self._file.seek(whole)
        else:
            self._begin()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, question: Question) -> Verdict | None:
        """The answer to a question, if it is known."""
        return self._answers.get(name_of(question))

    def put(self, question: Question, verdict: Verdict) -> None:
        """Keep an answer. May be called from any thread."""
        with self._lock:
            name = name_of(question)
            self._answers[name] = verdict
            self._file.write(encode(name, verdict))

    def clear(self) -> None:
        """Forget all answers: they are in the book file."""
        with self._lock:
            self._answers.clear()
            self._begin()

    def close(self, *, remove: bool = False) -> None:
        """Let go of the file; ``remove`` it if nothing in it is needed."""
        if remove:
            self._path.unlink(missing_ok=True)
        self._file.close()

    def _begin(self) -> None:
        self._file.seek(0)
        self._file.truncate(0)
        self._file.write(self._head)

    def _load(self) -> int:
        """Read the answers; returns the bytes that are whole, 0 where the file is another build's."""
        if self._file.readline(MAX_HEAD) != self._head:
            return 0
        whole = len(self._head)
        while len(data := self._file.read(RECORD_BYTES)) == RECORD_BYTES:
            record = decode(data)
            if record is None:
                break
            self._answers[record[0]] = record[1]
            whole += RECORD_BYTES
        return whole


def name_of(question: Question) -> tuple[int, int, int]:
    """What an answer is looked up by."""
    return question.own, question.opponent, sum(1 << move for move in question.moves if move != PASS)


def encode(name: tuple[int, int, int], verdict: Verdict) -> bytes:
    """The record of an answer."""
    data = RECORD.pack(*name, verdict.score, verdict.move, verdict.depth, verdict.selectivity, b"\0\0\0")[:-3]
    return data + check_of(data)


def decode(data: bytes) -> tuple[tuple[int, int, int], Verdict] | None:
    """(question, answer) of a record; None if it is damaged."""
    own, opponent, moves, score, move, depth, selectivity, check = RECORD.unpack(data)
    if check != check_of(data[:-3]):
        return None
    return (own, opponent, moves), Verdict(move, score, depth, selectivity)


def check_of(data: bytes) -> bytes:
    """Three bytes that change with any of the data."""
    return zlib.crc32(data).to_bytes(4, "little")[:3]


def lock(descriptor: int) -> None:
    """Keep other processes out; raises OSError if one is in."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
