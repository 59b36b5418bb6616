"""What the Othello service says, apart from boards: requests, matches, results, offers, errors, listings.

Every message has a recogniser (``read_…``) from its lines to a dataclass or None, and writes itself back by ``body``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanqi.ggs_wire.errors import WireError
from fanqi.ggs_wire.values import ClockSetting, GameId, GameType

__all__ = [
    "Archive",
    "CommandError",
    "GameEnd",
    "History",
    "HistoryEntry",
    "Kibitz",
    "Listing",
    "MatchEnd",
    "MatchEntry",
    "MatchList",
    "MatchStart",
    "Offer",
    "PlayError",
    "RatingChange",
    "RatingUpdate",
    "Refusal",
    "Request",
    "RequestChange",
    "RequestList",
    "ServiceError",
    "Stored",
    "StoredEntry",
    "StoredNotice",
    "Timeout",
    "TrustViolation",
]


@dataclass(frozen=True, slots=True)
class ServiceError:
    """``ERR …``: the last command was not carried out."""

    text: str

    def body(self) -> list[str]:
        return [f"ERR {self.text}"]


@dataclass(frozen=True, slots=True)
class CommandError:
    """``decline ERR not found: .9``: a part of a command was not carried out."""

    command: str
    text: str

    def body(self) -> list[str]:
        return [f"{self.command} ERR {self.text}"]


REFUSALS = (
    "random games must be komi or synchro",
    "synchro+komi not supported",
    "illegal board type",
    "only one color preference allowed",
    "missing or illegal rand-type",
    "no preferred color in komi or rand games",
    "no preferred color in komi games",
    "no preferred color in rand games",
    "different players in synchro games",
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A game type that is not played, in the service's words and without ``ERR``."""

    text: str

    def body(self) -> list[str]:
        return [self.text]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to play.

    Attributes:
        id: as ``.8``.
        rating, asker, clock, type: of the one who asks; the type is from the asker's view.
        flag: ``R`` rated, ``U`` unrated, ``S`` a stored game, ``T`` of a tournament.
        opponent_rating, opponent: None when anybody may accept.
        opponent_clock: where it differs.
        stored: id of the stored game to resume.
    """

    id: str
    rating: float
    asker: str
    clock: ClockSetting
    type: GameType
    flag: str
    opponent_rating: float | None = None
    opponent: str | None = None
    opponent_clock: ClockSetting | None = None
    stored: str | None = None

    def text(self) -> str:
        """One line, its last field padded as in listings."""
        if self.opponent is None or self.opponent_rating is None:
            against = "*      *       "
        else:
            against = f"{self.opponent_rating:6.1f} {self.opponent:<8}"
        clock = "" if self.opponent_clock is None else f" {self.opponent_clock}"
        stored = "" if self.stored is None else f" {self.stored}"
        return (
            f"{self.id:>4} {self.rating:6.1f} {self.asker:<8} {self.clock} {self.type!s:>8} {self.flag} "
            f"{against}{clock}{stored}"
        )


@dataclass(frozen=True, slots=True)
class RequestChange:
    """A request has come, or gone: accepted, declined, cancelled, impossible."""

    added: bool
    request: Request

    def body(self) -> list[str]:
        return [f"{'+' if self.added else '-'} {self.request.text()}"]


@dataclass(frozen=True, slots=True)
class RequestList:
    """Answer to ``request``.

    Attributes:
        counts: as ``glob(0/1) recv(0/0) send(2/2)``: how many fit, of how many.
        groups: ``glob``, ``recv``, ``sent`` with their requests, empty ones left out.
    """

    counts: str
    groups: tuple[tuple[str, tuple[Request, ...]], ...]

    def body(self) -> list[str]:
        lines = [f"request {self.counts}"]
        for name, requests in self.groups:
            lines += [f"{name} {len(requests)}", *(request.text() for request in requests)]
        return lines


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
            end = f"{self.result:+.2f} "
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
    """Answer to ``match``: ``shown`` of ``total`` matches in progress."""

    shown: int
    total: int
    entries: tuple[MatchEntry, ...]

    def body(self) -> list[str]:
        return [f"match {self.shown}/{self.total}", *(entry.text() for entry in self.entries)]


@dataclass(frozen=True, slots=True)
class PlayError:
    """``error .2 illegal move``: a move was not taken."""

    game: str
    text: str

    def body(self) -> list[str]:
        return [f"error {self.game} {self.text}"]


@dataclass(frozen=True, slots=True)
class TrustViolation:
    """A player stated less time than passed; the clock was charged with the time that passed."""

    game: GameId
    player: str
    colour: str
    grace: int
    excess: float

    def body(self) -> list[str]:
        place = f"{self.game} {self.player} ({self.colour})"
        return [f"trust-violation {place} delta= {self.grace} + {self.excess:.1f} secs"]


@dataclass(frozen=True, slots=True)
class Timeout:
    """A flag fell: the soft one (the game goes on, at best lost narrowly) or the hard one (the game is over)."""

    game: GameId
    player: str
    colour: str
    fatal: bool

    def body(self) -> list[str]:
        return [f"{'fatal-' if self.fatal else ''}timeout {self.game} {self.player} ({self.colour})"]


@dataclass(frozen=True, slots=True)
class Offer:
    """``undo``, ``abort`` or ``score`` is asked for; it takes effect when both have."""

    kind: str
    game: GameId
    player: str

    def body(self) -> list[str]:
        return [f"{self.kind} {self.game} {self.player} is {'offering' if self.kind == 'score' else 'asking'}"]


@dataclass(frozen=True, slots=True)
class GameEnd:
    """One game of a synchro match is over; the result is from the view of the first name."""

    game: GameId
    names: tuple[str, str]
    result: float | None = None
    left: str | None = None

    def body(self) -> list[str]:
        if self.result is not None:
            end = f"{self.result:+.2f}"
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
        return f"{self.player:<8} {before}  {self.change:+7.2f} -> {self.after:7.2f} @ {self.deviation_after:6.2f}"


@dataclass(frozen=True, slots=True)
class RatingUpdate:
    """Comes before the ``- match`` line of a rated match."""

    match: GameId
    changes: tuple[RatingChange, ...]

    def body(self) -> list[str]:
        return [f"rating_update {self.match}", *(change.text() for change in self.changes)]


@dataclass(frozen=True, slots=True)
class Kibitz:
    """Talk at a match, to ``A``ll, ``O``bservers or ``P``layers."""

    game: str
    audience: str
    rating: int
    player: str
    text: str

    def body(self) -> list[str]:
        return [f"{self.game} {self.audience} {self.rating:4d} {self.player}: {self.text}"]


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
        return f"{self.id:<8} {self.date:<20} {players} {self.result:+6.1f} {self.info}"


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


NUMBER = r"(-?\d+(?:\.\d+)?)"
REQUEST = re.compile(
    rf"\s*(\.\d+)\s+{NUMBER} (\S+)\s+(\S+)\s+(\S+) ([RUST]) \s*(?:{NUMBER} (\S+)|\*\s+\*)((?:\s+\S+){{0,2}})\s*"
)
MATCH = re.compile(r"([+-]) match (\S+) (-?\d+) (\S+) (-?\d+) (\S+) (\S+) ([RUT])(?: (.*))?\s*")
ENTRY = re.compile(r"\s*(\.\d+)\s+(-?\d+) (\S+)\s+(-?\d+) (\S+)\s+(\S+)\s+([RUT]) (\d+)\s*")
CHANGE = re.compile(rf"(\S+)\s+{NUMBER} @\s+{NUMBER}\s+([+-]?\d+\.\d+) ->\s+{NUMBER} @\s+{NUMBER}\s*")
DATE = r"(\d+ \S{3} \d{4} \d\d:\d\d:\d\d)"
STORED = re.compile(rf"(\.\d+)\s+{DATE}\s+(\S+)\s+(\S+)\s+(\S+)\s*")
HISTORY = re.compile(rf"(\.\d+)\s+{DATE}\s+(-?\d+) (\S+)\s+(-?\d+) (\S+)\s+([+-]?\d+\.\d+) (\S+)\s*")


def read_request(line: str) -> Request | None:
    """A request without the sign before it."""
    found = REQUEST.fullmatch(line)
    if found is None:
        return None
    clock = stored = None
    for word in found[9].split():
        if word.startswith("."):
            stored = word
        else:
            clock = ClockSetting.parse(word)
    return Request(
        found[1],
        float(found[2]),
        found[3],
        ClockSetting.parse(found[4]),
        GameType.parse(found[5]),
        found[6],
        None if found[7] is None else float(found[7]),
        found[8],
        clock,
        stored,
    )


def read_request_change(body: Sequence[str]) -> RequestChange | None:
    line = body[0]
    if len(body) != 1 or line[:2] not in ("+ ", "- "):
        return None
    request = read_request(line[2:])
    return None if request is None else RequestChange(line[0] == "+", request)


def read_request_list(body: Sequence[str]) -> RequestList | None:
    if not body[0].startswith("request glob("):
        return None
    groups: list[tuple[str, tuple[Request, ...]]] = []
    for line in body[1:]:
        if head := re.fullmatch(r"(glob|recv|sent) \d+\s*", line):
            groups.append((head[1], ()))
        elif groups and (request := read_request(line)):
            name, requests = groups[-1]
            groups[-1] = (name, (*requests, request))
        else:
            raise WireError(line, "not a line of a request list")
    return RequestList(body[0].removeprefix("request ").rstrip(), tuple(groups))


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
            return MatchEnd(match, ratings, names, kind, flag, result=float(result), archive=archive)
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
    for line in body[1:]:
        found = ENTRY.fullmatch(line)
        if found is None:
            raise WireError(line, "not a match")
        ratings, names = (int(found[2]), int(found[4])), (found[3], found[5])
        entries.append(
            MatchEntry(GameId.parse(found[1]), ratings, names, GameType.parse(found[6]), found[7], int(found[8]))
        )
    return MatchList(int(head[1]), int(head[2]), tuple(entries))


def read_error(body: Sequence[str]) -> ServiceError | CommandError | PlayError | Refusal | None:
    """Every way to say no."""
    line = body[0]
    if len(body) != 1:
        return None
    if line.startswith("ERR "):
        return ServiceError(line[4:])
    if found := re.fullmatch(r"error (\.\S+) (.+)", line):
        return PlayError(found[1], found[2])
    if found := re.fullmatch(r"([a-z]+(?: [+-])?) ERR (.*)", line):
        return CommandError(found[1], found[2])
    return Refusal(line) if line in REFUSALS else None


def read_clock_event(body: Sequence[str]) -> Timeout | TrustViolation | None:
    if found := re.fullmatch(r"(fatal-)?timeout (\S+) (\S+) \(([*O?])\)\s*", body[0]):
        return Timeout(GameId.parse(found[2]), found[3], found[4], found[1] is not None)
    found = re.fullmatch(r"trust-violation (\S+) (\S+) \(([*O?])\) delta= (\d+) \+ (-?\d+\.\d+) secs\s*", body[0])
    if found is None:
        return None
    return TrustViolation(GameId.parse(found[1]), found[2], found[3], int(found[4]), float(found[5]))


def read_offer(body: Sequence[str]) -> Offer | None:
    found = re.fullmatch(r"(undo|abort|score) (\S+) (\S+) is (?:asking|offering)\s*", body[0])
    return None if found is None else Offer(found[1], GameId.parse(found[2]), found[3])


def read_game_end(body: Sequence[str]) -> GameEnd | None:
    found = re.fullmatch(r"end (\S+) \( (\S+) vs\. (\S+) \) (.+)", body[0])
    if found is None:
        return None
    game, names = GameId.parse(found[1]), (found[2], found[3])
    match found[4].split():
        case [result] if re.fullmatch(r"[+-]\d+(\.\d+)?", result):
            return GameEnd(game, names, result=float(result))
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


def read_kibitz(body: Sequence[str]) -> Kibitz | None:
    found = re.fullmatch(r"(\.\d+(?:\.\d)?) ([AOP])\s+(-?\d+) (\S+): ?(.*)", body[0])
    return None if found is None else Kibitz(found[1], found[2], int(found[3]), found[4], found[5])


def read_stored(body: Sequence[str]) -> StoredNotice | Stored | None:
    if all(re.fullmatch(r"\+ \S+ stored\s*", line) for line in body):
        return StoredNotice(tuple(line.split()[1] for line in body))
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
        entries.append(HistoryEntry(found[1], found[2], ratings, names, float(found[7]), found[8]))
    return History(head[2], tuple(entries))


def read_archive(body: Sequence[str]) -> Archive | None:
    return Archive(tuple(body[1:])) if body[0].rstrip() == "look" else None


def read_listing(body: Sequence[str]) -> Listing | None:
    word = re.match(r"[a-z]+", body[0])
    if word is None or word[0] not in LISTINGS:
        return None
    return Listing(word[0], body[0][word.end() :], tuple(body[1:]))
