"""The database: accounts with hashed passwords, ratings, stored and archived matches.

One SQLite file, written as things happen, so that a killed server loses nothing that it has told anybody.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from fanqi.files import reason_of, require_regular
from fanqi.ggs_server.errors import StoreError
from fanqi.ggs_server.ratings import Rating

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Account", "MatchRecord", "Store", "check_password", "hash_password"]

SCHEMA = 1
TABLES = """
CREATE TABLE account(name TEXT PRIMARY KEY, password TEXT NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE rating(name TEXT, pool TEXT, data BLOB NOT NULL, PRIMARY KEY(name, pool)) STRICT;
CREATE TABLE match(
  id INTEGER PRIMARY KEY, state TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, info TEXT NOT NULL,
  date REAL NOT NULL, rating1 REAL, rating2 REAL, result REAL, ggf TEXT NOT NULL, resume BLOB) STRICT;
CREATE INDEX match_first ON match(first, state);
CREATE INDEX match_second ON match(second, state);
CREATE TABLE counter(next INTEGER NOT NULL) STRICT;
INSERT INTO counter VALUES(0);
"""

COST, BLOCK, LANES = 2**14, 8, 1


def hash_password(password: str) -> str:
    """A salted scrypt hash with its parameters. Takes some 50 ms on purpose."""
    salt = secrets.token_bytes(16)
    key = hashlib.scrypt(password.encode(), salt=salt, n=COST, r=BLOCK, p=LANES)
    return f"scrypt${COST}${BLOCK}${LANES}${salt.hex()}${key.hex()}"


def check_password(password: str, stored: str) -> bool:
    """Whether a password is the one that was hashed."""
    kind, cost, block, lanes, salt, key = stored.split("$")
    if kind != "scrypt":
        return False
    found = hashlib.scrypt(password.encode(), salt=bytes.fromhex(salt), n=int(cost), r=int(block), p=int(lanes))
    return hmac.compare_digest(found.hex(), key)


class Account(msgspec.Struct, omit_defaults=True):
    """Who somebody is, and everything he has set. Level 0 is a guest, 1 registered, 2 an administrator."""

    name: str
    level: int = 0
    real_name: str = ""
    email: str = ""
    info: str = ""
    last: float = 0.0

    # of the central server
    verbose: set[str] = msgspec.field(default_factory=lambda: {"news", "ack", "help", "faq"})
    bell: set[str] = msgspec.field(default_factory=set)
    vt100: bool = False
    hear: bool = True
    channels: set[str] = msgspec.field(default_factory=lambda: {".chat", ".help"})
    notify: set[str] = msgspec.field(default_factory=set)
    ignore: set[str] = msgspec.field(default_factory=set)

    # of the Othello service
    open: int = 0
    trust: bool = False
    rated: bool = False
    client: bool = False
    os_bell: set[str] = msgspec.field(default_factory=set)
    os_vt100: bool = False
    os_hear: bool = True
    os_notify: set[str] = msgspec.field(default_factory=set)
    os_ignore: set[str] = msgspec.field(default_factory=set)
    track: set[str] = msgspec.field(default_factory=set)
    stored_notices: bool = False
    request_notices: bool = False
    watch_notices: bool = False
    accept: str = ""
    decline: str = ""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A row of the match table.

    Attributes:
        state: ``stored`` or ``archived``.
        info: its type, with the komi, and ``:l`` behind when stored.
        ratings, result: of an archived match, from the view of the first name.
        ggf: the archive's line.
        resume: the state of a stored match.
    """

    id: int
    state: str
    names: tuple[str, str]
    info: str
    date: float
    ratings: tuple[float, float]
    result: float
    ggf: str
    resume: bytes = b""


class Store:
    """The database, for one thread.

    Args:
        path: None for one in memory.

    Raises:
        StoreError: the file cannot be opened, or is of something else.
    """

    def __init__(self, path: Path | None = None) -> None:
        where = ":memory:" if path is None else str(path)
        try:
            if path is not None:
                require_regular(path)
                path.touch(mode=0o600)  # hashed passwords are nobody else's business
            self._db = sqlite3.connect(where, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{where}: {reason_of(error)}") from error
        if version == 0 and not tables:
            self._db.executescript(f"BEGIN; {TABLES} PRAGMA user_version={SCHEMA}; COMMIT;")
        elif version != SCHEMA:
            raise StoreError(f"{where}: schema version {version}; this server reads version {SCHEMA}")

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several changes that hold all or not at all."""
        self._db.execute("BEGIN")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # on a full disk SQLite may have rolled back itself
                self._db.execute("ROLLBACK")
            raise

    def account(self, name: str) -> tuple[Account, str] | None:
        """An account and its hashed password."""
        row = self._db.execute("SELECT data, password FROM account WHERE name=?", (name,)).fetchone()
        return None if row is None else (msgspec.json.decode(row[0], type=Account), row[1])

    def save_account(self, account: Account, password: str | None = None) -> None:
        """Write an account, if anything has changed; ``password`` is a new hash, and needed the first time."""
        data = msgspec.json.encode(account, order="sorted")
        if password is None:
            self._db.execute("UPDATE account SET data=?2 WHERE name=?1 AND data!=?2", (account.name, data))
        else:
            self._db.execute(
                "INSERT INTO account VALUES(?,?,?) ON CONFLICT(name) DO UPDATE SET password=?2, data=?3",
                (account.name, password, data),
            )

    def size(self, name: str) -> int:
        """Bytes kept about somebody; 0 for a guest."""
        row = self._db.execute("SELECT length(data) FROM account WHERE name=?", (name,)).fetchone()
        return 0 if row is None else int(row[0])

    def recover(self) -> int:
        """Matches that ran when the last server died become stored ones; returns how many."""
        return self._db.execute("UPDATE match SET state='stored' WHERE state='running'").rowcount

    def rating(self, name: str, pool: str) -> Rating:
        """A rating; that of a newcomer when there is none."""
        row = self._db.execute("SELECT data FROM rating WHERE name=? AND pool=?", (name, pool)).fetchone()
        return Rating() if row is None else msgspec.json.decode(row[0], type=Rating)

    def ratings_of(self, name: str) -> dict[str, Rating]:
        """All ratings of a player, by pool."""
        rows = self._db.execute("SELECT pool, data FROM rating WHERE name=? ORDER BY pool", (name,))
        return {pool: msgspec.json.decode(data, type=Rating) for pool, data in rows}

    def ratings_in(self, pool: str) -> dict[str, Rating]:
        """All ratings of a pool, by player."""
        rows = self._db.execute("SELECT name, data FROM rating WHERE pool=?", (pool,))
        return {name: msgspec.json.decode(data, type=Rating) for name, data in rows}

    def save_rating(self, name: str, pool: str, rating: Rating) -> None:
        self._db.execute("REPLACE INTO rating VALUES(?,?,?)", (name, pool, msgspec.json.encode(rating)))

    def next_match(self) -> int:
        """A number that no match has had."""
        row = self._db.execute("UPDATE counter SET next=next+1 RETURNING next-1").fetchone()
        return int(row[0])

    def save_match(self, match: MatchRecord) -> None:
        self._db.execute(
            "REPLACE INTO match VALUES(?,?,?,?,?,?,?,?,?,?,?)",
            (
                match.id,
                match.state,
                *match.names,
                match.info,
                match.date,
                *match.ratings,
                match.result,
                match.ggf,
                match.resume,
            ),
        )

    def match(self, number: int) -> MatchRecord | None:
        row = self._db.execute("SELECT * FROM match WHERE id=?", (number,)).fetchone()
        return None if row is None else record(row)

    def matches_of(self, name: str, state: str, most: int = 1000) -> list[MatchRecord]:
        """The latest matches of a player, oldest first."""
        rows = self._db.execute(
            "SELECT * FROM match WHERE state=?1 AND (first=?2 OR second=?2) ORDER BY date DESC, id DESC LIMIT ?3",
            (state, name, most),
        )
        return [record(row) for row in rows][::-1]

    def count_matches(self, state: str) -> int:
        """How many matches there are in a state."""
        return int(self._db.execute("SELECT count(*) FROM match WHERE state=?", (state,)).fetchone()[0])

    def delete_match(self, number: int) -> None:
        self._db.execute("DELETE FROM match WHERE id=?", (number,))


def record(row: tuple[int, str, str, str, str, float, float, float, float, str, bytes]) -> MatchRecord:
    """A match from its row."""
    number, state, first, second, info, date, rating1, rating2, result, ggf, resume = row
    return MatchRecord(number, state, (first, second), info, date, (rating1, rating2), result, ggf, resume)
