"""The dispatcher's memory: one SQLite file that says of every job where it stands.

Whatever is committed survives a kill; whatever is not, a worker will say again. Nothing is held in memory but
counts, so a million queued jobs cost disk only. One process at a time: the file is locked while it is open.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from fanqi.dispatch.database import Database
from fanqi.dispatch.errors import LedgerError
from fanqi.dispatch.needs import Need
from fanqi.dispatch.opinions import OPINIONS_SCHEMA, Opinions
from fanqi.files import reason_of, require_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = ["Answer", "Counts", "Ledger", "NewJob", "OpenLease", "State", "StoredJob", "Try"]

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE needs (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, game TEXT, threads INTEGER NOT NULL, hash_mib INTEGER NOT
    NULL, engines TEXT NOT NULL
);
CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY, need INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, strikes INTEGER NOT NULL DEFAULT 0,
    at REAL NOT NULL, origin TEXT NOT NULL, lease_s REAL NOT NULL, work BLOB NOT NULL
);
CREATE INDEX ready ON jobs (need, seq) WHERE state = 0;
CREATE INDEX unsettled ON jobs (state) WHERE state IN (1, 3, 4);
CREATE TABLE tries (
    seq INTEGER NOT NULL, attempt INTEGER NOT NULL, worker TEXT NOT NULL, incarnation TEXT NOT NULL,
    at REAL NOT NULL, blame INTEGER NOT NULL DEFAULT 0, reason TEXT, PRIMARY KEY (seq, attempt)
) WITHOUT ROWID;
CREATE TABLE answers (
    arrival INTEGER PRIMARY KEY, seq INTEGER NOT NULL UNIQUE, good INTEGER NOT NULL, worker TEXT, attempt
    INTEGER, seconds REAL, nodes INTEGER, at REAL NOT NULL, body BLOB NOT NULL
);
PRAGMA application_id = 1179537993;
"""
APPLICATION_ID = 1179537993  # the bytes "FNQI"
VERSION = 2  # 1 has neither opinions nor distrusted workers, and gets them when it is opened
AGAIN = """CASE WHEN EXISTS (SELECT 1 FROM opinions WHERE opinions.seq = jobs.seq) THEN 5 ELSE 0 END"""
FORGOTTEN = "forgotten"  # the note of the highest number of a job that has been dropped


class State(IntEnum):
    """Where a job stands. The numbers are in the file."""

    READY = 0
    LEASED = 1
    DONE = 2
    FAILED = 3
    RESTING = 4  # waits before its next try; as good as READY after a restart
    UNCONFIRMED = 5  # has answers that another worker is to confirm, and waits for that one


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be stored.

    ``origin`` says where it came from, such as ``positions.obf:17``; ``work`` is msgpack.
    """

    origin: str
    need: Need
    lease_s: float
    work: bytes


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job as it stands in the ledger."""

    seq: int
    need: Need
    attempts: int
    strikes: int
    lease_s: float
    work: bytes


@dataclass(frozen=True, slots=True)
class OpenLease:
    """A lease that was open when the file was last written."""

    seq: int
    need: Need
    lease_s: float
    attempt: int
    worker: str
    incarnation: str


@dataclass(frozen=True, slots=True)
class Try:
    """One attempt at a job and what became of it. ``blame``: how much it counts."""

    attempt: int
    worker: str
    blame: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a job: a result (msgpack) or the reason why there is none in ``body``, what was asked in ``work``.

    ``confirmed``: other workers that came to the same result, with commas between them.
    """

    arrival: int
    seq: int
    origin: str
    good: bool
    worker: str | None
    attempt: int | None
    seconds: float | None
    nodes: int | None
    body: bytes
    work: bytes
    confirmed: str | None = None


@dataclass(slots=True)
class Counts:
    """How many jobs stand where; ``waiting`` is READY, RESTING and UNCONFIRMED."""

    waiting: int = 0
    leased: int = 0
    done: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        return self.waiting + self.leased + self.done + self.failed

    @property
    def answered(self) -> int:
        return self.done + self.failed


class Ledger:
    """Opens, or makes, the file at ``path`` (None: in memory). Changes become durable by `commit`.

    Raises:
        LedgerError: the file is in use by another process, is something else, or cannot be written. Every method raises
            it too, as on a full disk.
    """

    def __init__(self, path: Path | None, *, name: Callable[[], str], wall: Callable[[], float] = time.time) -> None:
        self._wall = wall
        self._path = path
        try:
            if path is not None:
                require_regular(path)
        except OSError as error:
            raise LedgerError(f"state file {str(path)!r}: {reason_of(error)}") from None
        self._db = Database(path)
        self._open(name)
        self.counts = self._count()
        self.opinions = Opinions(self._db)
        self._needs = {
            Need(kind, game, threads, hash_mib, tuple(engines.split("\n")) if engines else ()): number
            for number, kind, game, threads, hash_mib, engines in self._db.execute("SELECT * FROM needs")
        }

    def _open(self, name: Callable[[], str]) -> None:
        db = self._db
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA cache_size = -8192")
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if application == 0 and not db.execute("SELECT 1 FROM sqlite_master").fetchone():
            db.executescript("BEGIN;" + SCHEMA + OPINIONS_SCHEMA + f"PRAGMA user_version = {VERSION}; COMMIT;")
            self.write("dispatcher", name())
        elif application != APPLICATION_ID:
            raise LedgerError(f"state file {str(self._path)!r}: it is another program's database")
        elif version == 1:
            db.executescript("BEGIN;" + OPINIONS_SCHEMA + f"PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise LedgerError(f"state file {str(self._path)!r}: version {version}; this fanqi reads 1 and {VERSION}")
        db.execute(f"UPDATE jobs SET state = {AGAIN} WHERE state = 4")
        db.commit()
        self.dispatcher = self.read("dispatcher") or ""

    def close(self) -> None:
        """Commit and let go of the file."""
        try:
            self._db.commit()
        finally:
            self._db.close()

    def commit(self) -> None:
        """Make everything since the last commit durable."""
        self._db.commit()

    @property
    def path(self) -> Path | None:
        """The file; None where everything is in memory."""
        return self._path

    @property
    def lasting(self) -> bool:
        """Whether there is a file: else nobody can go on with it when the process has ended."""
        return self._path is not None

    def read(self, key: str) -> str | None:
        """A note kept beside the jobs."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def write(self, key: str, value: str) -> None:
        """Keep a note beside the jobs."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def needs(self) -> list[Need]:
        """Every need that any job ever had."""
        return list(self._needs)

    def add(self, jobs: Iterable[NewJob]) -> list[int]:
        """Store jobs, in order; returns their numbers."""
        last = self._db.execute("SELECT coalesce(max(seq), 0) FROM jobs").fetchone()[0]
        last = max(last, int(self.read(FORGOTTEN) or 0))
        now = self._wall()
        rows = [
            (last + index, self._need(job.need), now, job.origin, job.lease_s, job.work)
            for index, job in enumerate(jobs, 1)
        ]
        self._db.executemany("INSERT INTO jobs (seq, need, at, origin, lease_s, work) VALUES (?, ?, ?, ?, ?, ?)", rows)
        self.counts.waiting += len(rows)
        return [row[0] for row in rows]

    def ready(self, need: Need, limit: int) -> list[StoredJob]:
        """The next jobs of one need that may be given out, oldest first."""
        rows = self._db.execute(
            "SELECT seq, attempts, strikes, lease_s, work FROM jobs WHERE need = ? AND state = 0 ORDER BY seq LIMIT ?",
            (self._needs[need], limit),
        )
        return [StoredJob(seq, need, *rest) for seq, *rest in rows]

    def job(self, seq: int) -> StoredJob:
        """One job.

        Raises:
            KeyError: there is none with that number.
        """
        row = self._db.execute(
            "SELECT need, attempts, strikes, lease_s, work FROM jobs WHERE seq = ?", (seq,)
        ).fetchone()
        if row is None:
            raise KeyError(seq)
        return StoredJob(seq, self._numbered(row[0]), *row[1:])

    def lease(self, seq: int, worker: str, incarnation: str) -> int:
        """Give a READY job to a worker; returns the number of this attempt."""
        (attempt,) = self._db.execute(
            "UPDATE jobs SET state = 1, attempts = attempts + 1 WHERE seq = ? RETURNING attempts", (seq,)
        ).fetchone()
        self._db.execute(
            "INSERT INTO tries (seq, attempt, worker, incarnation, at) VALUES (?, ?, ?, ?, ?)",
            (seq, attempt, worker, incarnation, self._wall()),
        )
        self.counts.waiting -= 1
        self.counts.leased += 1
        return int(attempt)

    def release(self, seq: int, attempt: int, reason: str, blame: int, *, rest: bool) -> int:
        """Take a LEASED job back; returns the blame it has gathered by now.

        Args:
            blame: how much this try counts.
            rest: it waits as RESTING until `wake`, else it is READY at once.
        """
        state = str(int(State.RESTING)) if rest else AGAIN
        (strikes,) = self._db.execute(
            f"UPDATE jobs SET state = {state}, strikes = strikes + ? WHERE seq = ? RETURNING strikes",
            (int(blame), seq),
        ).fetchone()
        self._note(seq, attempt, reason, blame)
        self.counts.leased -= 1
        self.counts.waiting += 1
        return int(strikes)

    def wake(self, seq: int) -> None:
        """A RESTING job is READY again, or UNCONFIRMED."""
        self._db.execute(f"UPDATE jobs SET state = {AGAIN} WHERE seq = ? AND state = 4", (seq,))

    def unconfirmed(self, need: Need, worker: str, limit: int) -> list[StoredJob]:
        """The next jobs of one need that a worker could confirm: others have answered them, it has not."""
        rows = self._db.execute(
            "SELECT seq, attempts, strikes, lease_s, work FROM jobs WHERE need = ? AND state = 5 AND NOT EXISTS"
            " (SELECT 1 FROM opinions WHERE opinions.seq = jobs.seq AND worker = ?) ORDER BY seq LIMIT ?",
            (self._needs[need], worker, limit),
        )
        return [StoredJob(seq, need, *rest) for seq, *rest in rows]

    def unconfirmed_count(self) -> int:
        """How many jobs wait for another worker to confirm their answer."""
        return int(self._db.execute("SELECT count(*) FROM jobs WHERE state = 5").fetchone()[0])

    def await_confirmation(self, seq: int) -> None:
        """A job that has an answer, and is in no worker's hands now, waits for another worker's."""
        (before,) = self._db.execute("SELECT state FROM jobs WHERE seq = ?", (seq,)).fetchone()
        self._db.execute("UPDATE jobs SET state = 5 WHERE seq = ?", (seq,))
        if before == State.LEASED:
            self.counts.leased -= 1
            self.counts.waiting += 1

    def reopen(self, worker: str, *, after_seq: int = 0, after_arrival: int = 0) -> int:
        """Have everything done again that rests on one worker's word; returns how many answers that takes back.

        Args:
            after_seq, after_arrival: only answers of later jobs, and that came later.
        """
        rows = self._db.execute(
            "SELECT seq, good FROM answers WHERE worker = ? AND seq > ? AND arrival > ? AND NOT EXISTS"
            " (SELECT 1 FROM opinions WHERE opinions.seq = answers.seq AND opinions.worker != ?)",
            (worker, after_seq, after_arrival, worker),
        ).fetchall()
        for seq, _ in rows:
            self._db.execute("DELETE FROM answers WHERE seq = ?", (seq,))
        self.opinions.withdraw(worker)
        for seq, good in rows:
            self._db.execute(f"UPDATE jobs SET strikes = 0, state = {AGAIN} WHERE seq = ?", (seq,))
            if good:
                self.counts.done -= 1
            else:
                self.counts.failed -= 1
            self.counts.waiting += 1
        self._db.execute(f"UPDATE jobs SET state = {AGAIN} WHERE state = 5")
        return len(rows)

    def finish(self, seq: int, attempt: int, worker: str, seconds: float, nodes: int, result: bytes) -> bool:
        """Store a result; False, and nothing done, when the job has been answered before."""
        return self._answer(seq, State.DONE, (True, worker, attempt, seconds, nodes, self._wall(), result))

    def is_answered(self, seq: int) -> bool:
        """Whether a job has its answer, or none any more."""
        row = self._db.execute("SELECT state FROM jobs WHERE seq = ?", (seq,)).fetchone()
        return row is None or row[0] in (State.DONE, State.FAILED)

    def fail(self, seq: int, attempt: int | None, worker: str | None, reason: str) -> bool:
        """Give a job up; False when it has been answered before."""
        return self._answer(seq, State.FAILED, (False, worker, attempt, None, None, self._wall(), reason.encode()))

    def forget(self, seq: int) -> None:
        """Drop an answered job and its answer. Its number is not used again; an answer that still comes is nobody's."""
        self.write(FORGOTTEN, str(max(seq, int(self.read(FORGOTTEN) or 0))))
        for table in ("jobs", "tries", "answers", "opinions"):
            self._db.execute(f"DELETE FROM {table} WHERE seq = ?", (seq,))

    def retry_failed(self) -> int:
        """Make every FAILED job READY again with a clean record; returns how many there were."""
        failed = [row[0] for row in self._db.execute("SELECT seq FROM jobs WHERE state = 3")]
        self._db.execute("DELETE FROM answers WHERE good = 0")
        self._db.execute("UPDATE tries SET blame = 0 WHERE seq IN (SELECT seq FROM jobs WHERE state = 3)")
        self._db.execute("DELETE FROM opinions WHERE seq IN (SELECT seq FROM jobs WHERE state = 3)")
        self._db.execute("UPDATE jobs SET state = 0, strikes = 0 WHERE state = 3")
        self.counts.failed -= len(failed)
        self.counts.waiting += len(failed)
        return len(failed)

    def open_leases(self) -> list[OpenLease]:
        """Leases that were open when the last process ended."""
        rows = self._db.execute(
            "SELECT jobs.seq, need, lease_s, attempt, worker, incarnation FROM jobs JOIN tries"
            " ON tries.seq = jobs.seq AND tries.attempt = jobs.attempts WHERE state = 1 ORDER BY jobs.seq"
        )
        return [OpenLease(seq, self._numbered(need), *rest) for seq, need, *rest in rows]

    def tries(self, seq: int) -> list[Try]:
        """Every attempt at a job so far."""
        rows = self._db.execute("SELECT attempt, worker, blame, reason FROM tries WHERE seq = ?", (seq,))
        return [Try(*row) for row in rows]

    def ever_held(self, seq: int, attempt: int, worker: str) -> bool:
        """Whether this attempt at the job was given to that worker."""
        row = self._db.execute("SELECT worker FROM tries WHERE seq = ? AND attempt = ?", (seq, attempt)).fetchone()
        return row is not None and row[0] == worker

    def answers_by_seq(self, after: int, limit: int) -> list[Answer]:
        """Answers of the jobs that follow job ``after`` without a gap."""
        answers = self._answers("answers.seq > ? ORDER BY answers.seq", after, limit)
        return [answer for index, answer in enumerate(answers, after + 1) if answer.seq == index]

    def answers_by_arrival(self, after: int, limit: int) -> list[Answer]:
        """Answers in the order in which they came, after the one with arrival number ``after``."""
        return self._answers("arrival > ? ORDER BY arrival", after, limit)

    def last_arrival(self) -> int:
        """The highest arrival number of an answer that is kept, 0 if there is none. The next one follows it."""
        return int(self._db.execute("SELECT coalesce(max(arrival), 0) FROM answers").fetchone()[0])

    def failures(self, limit: int) -> Iterator[Answer]:
        """The first few jobs that were given up."""
        yield from self._answers("good = 0 AND answers.seq > ? ORDER BY answers.seq", 0, limit)

    def waiting(self, need: Need) -> bool:
        """Whether any job of this need may be given out."""
        query = "SELECT 1 FROM jobs WHERE need = ? AND state = 0 LIMIT 1"
        return self._db.execute(query, (self._needs[need],)).fetchone() is not None

    def waiting_since(self) -> float | None:
        """When the job that has waited longest was stored, in Unix seconds; None when none waits."""
        times = [
            row[0]
            for number in self._needs.values()
            for row in self._db.execute(
                "SELECT at FROM jobs WHERE need = ? AND state = 0 ORDER BY seq LIMIT 1", (number,)
            )
        ]
        return min(times, default=None)

    def _answers(self, where: str, after: int, limit: int) -> list[Answer]:
        rows = self._db.execute(
            "SELECT arrival, answers.seq, origin, good, worker, attempt, seconds, nodes, body, work,"
            " (SELECT group_concat(worker) FROM opinions WHERE seq = answers.seq AND worker != answers.worker)"
            f" FROM answers JOIN jobs ON jobs.seq = answers.seq WHERE {where} LIMIT ?",
            (after, limit),
        )
        return [Answer(arrival, seq, origin, bool(good), *rest) for arrival, seq, origin, good, *rest in rows]

    def _answer(self, seq: int, state: State, rest: tuple[object, ...]) -> bool:
        if self.is_answered(seq):
            return False
        row = self._db.execute("SELECT state FROM jobs WHERE seq = ?", (seq,)).fetchone()
        self._db.execute("UPDATE jobs SET state = ? WHERE seq = ?", (state, seq))
        columns = "seq, good, worker, attempt, seconds, nodes, at, body"
        self._db.execute(f"INSERT INTO answers ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (seq, *rest))
        if row[0] == State.LEASED:
            self.counts.leased -= 1
        else:
            self.counts.waiting -= 1
        if state is State.DONE:
            self.counts.done += 1
        else:
            self.counts.failed += 1
        return True

    def _note(self, seq: int, attempt: int, reason: str, blame: int) -> None:
        change = "UPDATE tries SET blame = ?, reason = ? WHERE seq = ? AND attempt = ?"
        self._db.execute(change, (int(blame), reason, seq, attempt))

    def _need(self, need: Need) -> int:
        number = self._needs.get(need)
        if number is None:
            number = len(self._needs) + 1
            self._db.execute(
                "INSERT INTO needs VALUES (?, ?, ?, ?, ?, ?)",
                (number, need.kind, need.game, need.threads, need.hash_mib, "\n".join(need.engines)),
            )
            self._needs[need] = number
        return number

    def _numbered(self, number: int) -> Need:
        return next(need for need, known in self._needs.items() if known == number)

    def _count(self) -> Counts:
        counts = dict(self._db.execute("SELECT state, count(*) FROM jobs GROUP BY state").fetchall())
        waiting = counts.get(State.READY, 0) + counts.get(State.UNCONFIRMED, 0)
        return Counts(waiting, *(counts.get(state, 0) for state in (State.LEASED, State.DONE, State.FAILED)))
