"""Matches: their starts and ends, the list of those in progress, what they do to ratings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanqi.ggs_wire.errors import WireError
from fanqi.ggs_wire.values import GameId, GameType, plain_zero

__all__ = ["GameEnd", "MatchEnd", "MatchEntry", "MatchList", "MatchStart", "RatingChange", "RatingUpdate"]

NUMBER = r"(-?\d+(?:\.\d+)?)"


@dataclass(frozen=True, slots=True)
class MatchStart:
    """``+ match .2 2038 alice 1402 bob 8b U``. The first name is the one who asked, of whatever colour."""

    match: GameId
    ratings: tuple[int, int]
    names: tuple[str, str]
    type: GameType
    flag: str

    def body(self) -> list[str]:
        return [f"+ match {match_words(self)}"]


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """A match is over, aborted, or stored.

    Attributes:
        result: from the view of the first name; None when aborted or left.
        left: who left, when the match was broken off.
        archive: id under which a rated match is archived or stored.
    """

    match: GameId
    ratings: tuple[int, int]
    names: tuple[str, str]
    type: GameType
    flag: str
    result: float | None = None
    left: str | None = None
    archive: str | None = None

    def body(self) -> list[str]:
        if self.result is not None:
            end = f"{self.result:+z.2f} "
        else:
            end = "aborted" if self.left is None else f"{self.left} left"
        archive = "" if self.archive is None else f" {self.archive}"
        return [f"- match {match_words(self)} {end}{archive}".rstrip()]

    @property
    def aborted(self) -> bool:
        return self.result is None and self.left is None


def match_words(match: MatchStart | MatchEnd) -> str:
    """Id, ratings and names, type, flag."""
    (rating1, rating2), (name1, name2) = match.ratings, match.names
    return f"{match.match} {rating1} {name1} {rating2} {name2} {match.type} {match.flag}"


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """A line of ``match``."""

    match: GameId
    ratings: tuple[int, int]
    names: tuple[str, str]
    type: GameType
    flag: str
    watchers: int

    def text(self) -> str:
        (rating1, rating2), (name1, name2) = self.ratings, self.names
        players = f"{rating1:4d} {name1:<8} {rating2:4d} {name2:<8}"
        return f"{self.match!s:>4} {players} {self.type!s:>8}  {self.flag} {self.watchers}"


@dataclass(frozen=True, slots=True)
class MatchList:
    """Answer to ``match``: ``shown`` of ``total`` matches in progress, and what was asked for in vain."""

    shown: int
    total: int
    entries: tuple[MatchEntry, ...]
    missing: tuple[str, ...] = ()

    def body(self) -> list[str]:
        missing = [f"ERR not found: {' '.join(self.missing)}"] if self.missing else []
        return [f"match {self.shown}/{self.total}", *(entry.text() for entry in self.entries), *missing]


@dataclass(frozen=True, slots=True)
class GameEnd:
    """One game of a synchro match is over; the result is from the view of the first name."""

    game: GameId
    names: tuple[str, str]
    result: float | None = None
    left: str | None = None

    def body(self) -> list[str]:
        if self.result is not None:
            end = f"{self.result:+z.2f}"
        else:
            end = "aborted" if self.left is None else f"player {self.left} left"
        return [f"end {self.game} ( {self.names[0]} vs. {self.names[1]} ) {end}"]


@dataclass(frozen=True, slots=True)
class RatingChange:
    """A player's rating and its deviation before and after a match."""

    player: str
    before: float
    deviation_before: float
    change: float
    after: float
    deviation_after: float

    def text(self) -> str:
        before = f"{self.before:7.2f} @ {self.deviation_before:6.2f}"
        return f"{self.player:<8} {before}  {self.change:+z7.2f} -> {self.after:7.2f} @ {self.deviation_after:6.2f}"


@dataclass(frozen=True, slots=True)
class RatingUpdate:
    """Comes before the ``- match`` line of a rated match."""

    match: GameId
    changes: tuple[RatingChange, ...]

    def body(self) -> list[str]:
        return [f"rating_update {self.match}", *(change.text() for change in self.changes)]


NOT_FOUND = "ERR not found: "
MATCH = re.compile(r"([+-]) match (\S+) (-?\d+) (\S+) (-?\d+) (\S+) (\S+) ([RUT])(?: (.*))?\s*")

ENTRY = re.compile(r"\s*(\.\d+)\s+(-?\d+) (\S+)\s+(-?\d+) (\S+)\s+(\S+)\s+([RUT]) (\d+)\s*")

CHANGE = re.compile(rf"(\S+)\s+{NUMBER} @\s+{NUMBER}\s+([+-]?\d+\.\d+) ->\s+{NUMBER} @\s+{NUMBER}\s*")


def read_match(body: Sequence[str]) -> MatchStart | MatchEnd | None:
    found = MATCH.fullmatch(body[0]) if len(body) == 1 else None
    if found is None:
        return None
    match = GameId.parse(found[2])
    ratings, names = (int(found[3]), int(found[5])), (found[4], found[6])
    kind, flag = GameType.parse(found[7]), found[8]
    if found[1] == "+":
        return MatchStart(match, ratings, names, kind, flag)
    words = (found[9] or "").split()
    archive = words.pop() if words and words[-1].startswith(".") else None
    match words:
        case [result] if re.fullmatch(r"[+-]\d+(\.\d+)?", result):
            return MatchEnd(match, ratings, names, kind, flag, result=plain_zero(result), archive=archive)
        case ["aborted"]:
            return MatchEnd(match, ratings, names, kind, flag, archive=archive)
        case [player, "left"]:
            return MatchEnd(match, ratings, names, kind, flag, left=player, archive=archive)
    raise WireError(found[9] or "", "not an end of a match")


def read_match_list(body: Sequence[str]) -> MatchList | None:
    head = re.fullmatch(r"match (\d+)/(\d+)\s*", body[0])
    if head is None:
        return None
    entries = []
    missing: tuple[str, ...] = ()
    for line in body[1:]:
        if line.startswith(NOT_FOUND):
            missing = tuple(line.removeprefix(NOT_FOUND).split())
            continue
        found = ENTRY.fullmatch(line)
        if found is None:
            raise WireError(line, "not a match")
        ratings, names = (int(found[2]), int(found[4])), (found[3], found[5])
        entries.append(
            MatchEntry(GameId.parse(found[1]), ratings, names, GameType.parse(found[6]), found[7], int(found[8]))
        )
    return MatchList(int(head[1]), int(head[2]), tuple(entries), missing)


def read_game_end(body: Sequence[str]) -> GameEnd | None:
    found = re.fullmatch(r"end (\S+) \( (\S+) vs\. (\S+) \) (.+)", body[0])
    if found is None:
        return None
    game, names = GameId.parse(found[1]), (found[2], found[3])
    match found[4].split():
        case [result] if re.fullmatch(r"[+-]\d+(\.\d+)?", result):
            return GameEnd(game, names, result=plain_zero(result))
        case ["aborted"]:
            return GameEnd(game, names)
        case ["player", player, "left"]:
            return GameEnd(game, names, left=player)
    raise WireError(found[4], "not an end of a game")


def read_rating_update(body: Sequence[str]) -> RatingUpdate | None:
    head = re.fullmatch(r"rating_update (\S+)\s*", body[0])
    if head is None:
        return None
    changes = []
    for line in body[1:]:
        found = CHANGE.fullmatch(line)
        if found is None:
            raise WireError(line, "not a rating change")
        before, deviation, change, after, deviation_after = (float(found[at]) for at in range(2, 7))
        changes.append(RatingChange(found[1], before, deviation, change, after, deviation_after))
    return RatingUpdate(GameId.parse(head[1]), tuple(changes))
