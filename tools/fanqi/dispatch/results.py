"""The file of results: one JSON line a job, in input order or as they come, exact to the line after any crash."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from fanqi.dispatch.errors import LedgerError
from fanqi.files import reason_of, require_regular, write_whole
from fanqi.mqtt.codec import decode_result, decode_work
from fanqi.mqtt.work import Result, Selfplay, SelfplayResult, Work

if TYPE_CHECKING:
    from fanqi.dispatch.ledger import Answer, Ledger

__all__ = ["ResultFile", "result_line"]

EVERY_S = 0.5
BATCH = 500


class Row(msgspec.Struct, omit_defaults=True):
    job: int
    origin: str = msgspec.field(name="from")
    work: Work | None = None
    result: Result | None = None
    error: str | None = None
    worker: str | None = None
    confirmed: str | None = None
    attempt: int | None = None
    seconds: float | None = None
    nodes: int | None = None


ENCODER = msgspec.json.Encoder()


def result_line(answer: Answer, records: Path | None = None) -> bytes:
    """One answer as a line of JSON.

    Args:
        records: folder for the records of self-play, one file a job, which are left out of the line then.
    """
    row = Row(answer.seq, answer.origin, worker=answer.worker, confirmed=answer.confirmed, attempt=answer.attempt)
    if answer.work:
        row.work = decode_work(answer.work)
    if answer.good:
        row.result = decode_result(answer.body)
        if isinstance(row.result, SelfplayResult) and isinstance(row.work, Selfplay) and records is not None:
            keep_records(records, row.work, row.result.records)
            row.result = msgspec.structs.replace(row.result, records=b"")
        row.seconds = None if answer.seconds is None else round(answer.seconds, 4)
        row.nodes = answer.nodes
    else:
        row.error = answer.body.decode(errors="replace")
    return ENCODER.encode(row) + b"\n"


def keep_records(folder: Path, work: Selfplay, records: bytes) -> None:
    """Write the games of one job; writing them again after a crash does no harm."""
    write_whole(folder / f"play-{work.seed}.{'msgpack' if work.game == 'othello' else 'jsonl'}", records)


class ResultFile:
    """Takes answers out of a ledger into a file.

    How far it got is in the ledger, as a number of bytes; what is beyond that in the file after a crash was written
    but not noted, and is cut off. A ledger that is in memory keeps no result that has been written.

    Args:
        path: None writes to ``stream`` alone.
        records: folder for the records of self-play; None leaves them in the lines.
        ordered: in the order of the input; else in that of arrival.

    Raises:
        LedgerError: the file has less in it than the ledger says, or cannot be written.
    """

    def __init__(
        self,
        ledger: Ledger,
        path: Path | None,
        *,
        ordered: bool,
        records: Path | None = None,
        stream: IO[bytes] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ledger = ledger
        self._ordered = ordered
        self._records = records
        self._clock = clock
        self._next_at = 0.0
        self._cursor = int(ledger.read("cursor") or 0)
        self._path = path
        self._synced = path is not None
        if path is None:
            assert stream is not None
            self._file = stream
            return
        written = int(ledger.read("written") or 0)
        try:
            require_regular(path)
            self._file = path.open("r+b" if path.exists() else "w+b")
            size = self._file.seek(0, os.SEEK_END)
            if size < written:
                self._file.close()
                raise LedgerError(f"results {str(path)!r}: {size} bytes are there, {written} were written before")
            self._file.truncate(written)
            self._file.seek(written)
        except OSError as error:
            raise LedgerError(f"results {str(path)!r}: {reason_of(error)}") from None

    def harvest(self, last: bool) -> None:
        """Write what has been answered since the last time; all of it if it is the ``last`` time.

        Raises:
            LedgerError: the file cannot be written.
        """
        now = self._clock()
        if not last and now < self._next_at:
            return
        self._next_at = now + EVERY_S
        try:
            self._write(last)
        except OSError as error:
            if self._path is None:  # of stdout: whoever made it says what is wrong with it
                raise
            where = error.filename or self._path  # perhaps it is the records that cannot
            raise LedgerError(f"results {str(where)!r}: {reason_of(error)}") from None
        if self._synced:
            self._ledger.write("written", str(self._file.tell()))
        self._ledger.write("cursor", str(self._cursor))

    def _write(self, last: bool) -> None:
        while answers := self._take():
            self._file.write(b"".join(result_line(answer, self._records) for answer in answers))
            if not self._ledger.lasting:
                self._forget(answers)
            if len(answers) < BATCH or not last:
                break
        self._file.flush()
        if self._synced:
            os.fsync(self._file.fileno())

    def recall(self, worker: str) -> int:
        """Have everything done again that rests on one worker's word; returns how many answers that takes back.

        A file is written anew. What a stream has stays there.
        """
        if self._synced:
            taken_back = self._ledger.reopen(worker)
            if taken_back:
                self._cursor = 0
                self._ledger.write("written", "0")
                self._ledger.write("cursor", "0")
                self._file.seek(0)
                self._file.truncate()
            return taken_back
        if self._ordered:
            return self._ledger.reopen(worker, after_seq=self._cursor)
        return self._ledger.reopen(worker, after_arrival=self._cursor)

    def _forget(self, answers: list[Answer]) -> None:
        """Drop what nobody asks for again; what was given up is told about at the end."""
        for answer in answers:
            if answer.good:
                self._ledger.forget(answer.seq)
        if not self._ordered:  # numbers of arrival that are free again are given out again
            self._cursor = min(self._cursor, self._ledger.last_arrival())

    def close(self) -> None:
        if self._synced:
            self._file.close()

    def _take(self) -> list[Answer]:
        if self._ordered:
            answers = self._ledger.answers_by_seq(self._cursor, BATCH)
            self._cursor += len(answers)
        else:
            answers = self._ledger.answers_by_arrival(self._cursor, BATCH)
            if answers:
                self._cursor = answers[-1].arrival
        return answers
