"""What is known of workers beside their jobs: answers that await confirmation, wrong ones, who is not believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.dispatch.database import Database

__all__ = ["OPINIONS_SCHEMA", "Opinion", "Opinions"]

OPINIONS_SCHEMA = """
CREATE TABLE opinions (
    seq INTEGER NOT NULL, worker TEXT NOT NULL, attempt INTEGER NOT NULL, seconds REAL NOT NULL, nodes INTEGER NOT
    NULL, body BLOB NOT NULL, PRIMARY KEY (seq, worker)
) WITHOUT ROWID;
CREATE TABLE workers (name TEXT PRIMARY KEY, bad INTEGER NOT NULL, distrusted TEXT) WITHOUT ROWID;
CREATE INDEX unconfirmed ON jobs (need, seq) WHERE state = 5;
"""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One worker's answer to a job that others are to confirm; ``body`` is msgpack."""

    worker: str
    attempt: int
    seconds: float
    nodes: int
    body: bytes


class Opinions:
    """The part of a ledger that is about workers. Changes become durable with the ledger's `commit`."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._distrusted = {name for (name,) in db.execute("SELECT name FROM workers WHERE distrusted IS NOT NULL")}

    @property
    def distrusted(self) -> frozenset[str]:
        """Workers that get no more work, and whose answers do not count."""
        return frozenset(self._distrusted)

    def reasons(self) -> list[tuple[str, str]]:
        """Those workers, and why each is not believed."""
        return self._db.execute("SELECT name, distrusted FROM workers WHERE distrusted IS NOT NULL").fetchall()

    def count_bad(self, worker: str) -> int:
        """One more answer of a worker that cannot be right; returns how many there are by now."""
        (bad,) = self._db.execute(
            "INSERT INTO workers VALUES (?, 1, NULL) ON CONFLICT (name) DO UPDATE SET bad = bad + 1 RETURNING bad",
            (worker,),
        ).fetchone()
        return int(bad)

    def distrust(self, worker: str, reason: str) -> None:
        """Believe a worker no more."""
        self._distrusted.add(worker)
        self._db.execute(
            "INSERT INTO workers VALUES (?, 0, ?) ON CONFLICT (name) DO UPDATE SET distrusted = excluded.distrusted",
            (worker, reason),
        )

    def of(self, seq: int) -> list[Opinion]:
        """The answers to a job that is not settled, in the order in which they were asked for."""
        rows = self._db.execute(
            "SELECT worker, attempt, seconds, nodes, body FROM opinions WHERE seq = ? ORDER BY attempt", (seq,)
        )
        return [Opinion(*row) for row in rows]

    def add(self, seq: int, opinion: Opinion) -> None:
        """Keep an answer."""
        self._db.execute(
            "INSERT INTO opinions VALUES (?, ?, ?, ?, ?, ?)",
            (seq, opinion.worker, opinion.attempt, opinion.seconds, opinion.nodes, opinion.body),
        )

    def settle(self, seq: int, agreeing: list[str]) -> None:
        """The answer of a job is found: who gave it stays known, what the others said is dropped."""
        for opinion in self.of(seq):
            if opinion.worker not in agreeing:
                self._db.execute("DELETE FROM opinions WHERE seq = ? AND worker = ?", (seq, opinion.worker))
        self._db.execute("UPDATE opinions SET body = x'' WHERE seq = ?", (seq,))

    def withdraw(self, worker: str) -> None:
        """Drop all answers of a worker that await confirmation."""
        self._db.execute(
            "DELETE FROM opinions WHERE worker = ? AND NOT EXISTS (SELECT 1 FROM answers WHERE seq = opinions.seq)",
            (worker,),
        )
