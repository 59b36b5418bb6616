"""What the service looks up: stored and archived matches, and tables for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanqi.ggs_wire.errors import WireError
from fanqi.ggs_wire.values import plain_zero

__all__ = ["Archive", "History", "HistoryEntry", "Listing", "Stored", "StoredEntry", "StoredNotice"]


@dataclass(frozen=True, slots=True)
class StoredNotice:
    """Players have come online with whom there are stored games."""

    players: tuple[str, ...]

    def body(self) -> list[str]:
        return [f"+ {player} stored" for player in self.players]


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A stored game: id, date, players, ``type:reason``."""

    id: str
    date: str
    names: tuple[str, str]
    info: str

    def text(self) -> str:
        return f"{self.id:<8} {self.date:<20} {self.names[0]:<8} {self.names[1]:<8} {self.info}"


@dataclass(frozen=True, slots=True)
class Stored:
    """Answer to ``stored``."""

    player: str
    entries: tuple[StoredEntry, ...]

    def body(self) -> list[str]:
        return [f"stored {len(self.entries)} {self.player}", *(entry.text() for entry in self.entries)]


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """An archived match; the result is from the view of the first name."""

    id: str
    date: str
    ratings: tuple[int, int]
    names: tuple[str, str]
    result: float
    info: str

    def text(self) -> str:
        (rating1, rating2), (name1, name2) = self.ratings, self.names
        players = f"{rating1:4d} {name1:<8} {rating2:4d} {name2:<8}"
        return f"{self.id:<8} {self.date:<20} {players} {self.result:+z6.1f} {self.info}"


@dataclass(frozen=True, slots=True)
class History:
    """Answer to ``history``: the latest matches, oldest first."""

    player: str
    entries: tuple[HistoryEntry, ...]

    def body(self) -> list[str]:
        return [f"history {len(self.entries)} {self.player}", *(entry.text() for entry in self.entries)]


@dataclass(frozen=True, slots=True)
class Archive:
    """Answer to ``look``: a GGF record, ``1 (;…;)`` or ``2 (;…;)(;…;)``."""

    records: tuple[str, ...]

    def body(self) -> list[str]:
        return ["look", *self.records]


LISTINGS = frozenset(
    ("who", "top", "rank", "finger", "assess", "watch", "notify", "track", "ignore", "help", "uptime", "comment")
)


@dataclass(frozen=True, slots=True)
class Listing:
    """A table for people: ``kind`` is its first word, ``rest`` what follows it in the first line."""

    kind: str
    rest: str
    rows: tuple[str, ...]

    def body(self) -> list[str]:
        return [f"{self.kind}{self.rest}", *self.rows]


NAME = re.compile(r"\+ (\S+) stored")
NOTICE = re.compile(rf"(?:{NAME.pattern})+\s*")  # the genuine server puts several names on one line, without a blank

DATE = r"(\d+ \S{3} \d{4} \d\d:\d\d:\d\d)"

STORED = re.compile(rf"(\.\d{{1,9}})\s+{DATE}\s+(\S+)\s+(\S+)\s+(\S+)\s*")

HISTORY = re.compile(rf"(\.\d{{1,9}})\s+{DATE}\s+(-?\d+) (\S+)\s+(-?\d+) (\S+)\s+([+-]?\d+\.\d+) (\S+)\s*")


def read_stored(body: Sequence[str]) -> StoredNotice | Stored | None:
    if all(NOTICE.fullmatch(line) for line in body):
        return StoredNotice(tuple(name for line in body for name in NAME.findall(line)))
    head = re.fullmatch(r"stored (\d+) (\S+)\s*", body[0])
    if head is None:
        return None
    entries = []
    for line in body[1:]:
        found = STORED.fullmatch(line)
        if found is None:
            raise WireError(line, "not a stored game")
        entries.append(StoredEntry(found[1], found[2], (found[3], found[4]), found[5]))
    return Stored(head[2], tuple(entries))


def read_history(body: Sequence[str]) -> History | None:
    head = re.fullmatch(r"history (\d+) (\S+)\s*", body[0])
    if head is None:
        return None
    entries = []
    for line in body[1:]:
        found = HISTORY.fullmatch(line)
        if found is None:
            raise WireError(line, "not an archived match")
        ratings, names = (int(found[3]), int(found[5])), (found[4], found[6])
        entries.append(HistoryEntry(found[1], found[2], ratings, names, plain_zero(found[7]), found[8]))
    return History(head[2], tuple(entries))


def read_archive(body: Sequence[str]) -> Archive | None:
    return Archive(tuple(body[1:])) if body[0].rstrip() == "look" else None


def read_listing(body: Sequence[str]) -> Listing | None:
    word = re.match(r"[a-z]+", body[0])
    if word is None or word[0] not in LISTINGS:
        return None
    return Listing(word[0], body[0][word.end() :], tuple(body[1:]))
