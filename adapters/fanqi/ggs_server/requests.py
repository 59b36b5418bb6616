"""Requests to play: asked, shown, matched with their mirror images, accepted by hand or by formula, dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.ggs_server.archive import restore
from fanqi.ggs_server.errors import RuleError
from fanqi.ggs_server.formula import Facts, parse_formula
from fanqi.ggs_server.ids import IdPool, number_of
from fanqi.ggs_wire import ClockSetting, GameType, Refusal, Request, RequestChange, ServiceError, WireError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.ggs_server.hall import Session
    from fanqi.ggs_server.match import Match
    from fanqi.ggs_server.service import Service
    from fanqi.ggs_wire import FromService

__all__ = ["Pending", "RefusedError", "Requests"]

MOST_STORED = 64
MOST_PENDING = 64
UNFIT = "your request doesn't fit the opponent's formula."
PENDING = "match with same parameters is already pending."
OPPOSITE = {"b": "w", "w": "b", "": ""}


class RefusedError(RuleError):
    """A request that cannot be; carries what the asker is told."""

    def __init__(self, message: FromService) -> None:
        super().__init__(message.body()[0])
        self.message = message


@dataclass(frozen=True, slots=True)
class Pending:
    """A request.

    Attributes:
        number: its id; -1 before it has one.
        asker, opponent: names; no opponent means anybody.
        clocks: the asker's and the opponent's.
        stored: counter of the stored match to resume.
    """

    asker: str
    opponent: str | None
    type: GameType
    clocks: tuple[ClockSetting, ClockSetting]
    rated: bool
    stored: int | None = None
    number: int = -1

    @property
    def id(self) -> str:
        return f".{self.number}"

    def mirrors(self, other: Pending) -> bool:
        """Whether two requests ask for the same match from either side."""
        return (
            (self.opponent in (None, other.asker))
            and (other.opponent in (None, self.asker))
            and self.asker != other.asker
            and self.rated == other.rated
            and self.stored == other.stored
            and self.clocks == other.clocks[::-1]
            and self._kind() == other._kind()
            and OPPOSITE[self.type.colour] == other.type.colour
        )

    def same(self, other: Pending) -> bool:
        """Whether two requests of one player ask for the same."""
        return (self.asker, self.opponent, self.type, self.clocks, self.rated, self.stored) == (
            other.asker,
            other.opponent,
            other.type,
            other.clocks,
            other.rated,
            other.stored,
        )

    def _kind(self) -> tuple[int, bool, bool, int | None, bool]:
        return self.type.board, self.type.synchro, self.type.komi, self.type.random, self.type.anti


class Requests:
    """All pending requests."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._ids = IdPool()
        self._pending: dict[int, Pending] = {}

    def __iter__(self) -> Iterator[Pending]:
        return iter(self._pending.values())

    def find(self, text: str) -> Pending | None:
        """A request by its id such as ``.8``."""
        number = number_of(text)
        return None if number is None else self._pending.get(number)

    def ask(self, session: Session, text: str) -> None:
        """A player asks; a match may start at once.

        Raises:
            RefusedError: it cannot be.
        """
        request = self.read(session, text)
        self.offer(session, request)

    # --- reading

    def read(self, session: Session, text: str) -> Pending:
        """``TYPE [CLOCK [CLOCK]] [OPPONENT]`` or ``.STORED``."""
        words = text.split()
        if words[0].startswith("."):
            return self.read_stored(session, words[0])
        try:
            kind = GameType.parse(words[0])
        except WireError as error:
            raise RefusedError(Refusal(error.reason)) from None
        clocks: list[ClockSetting] = []
        rest = words[1:]
        while rest and len(clocks) < 2:
            try:
                clocks.append(ClockSetting.parse(rest[0]))
            except WireError:
                break
            rest = rest[1:]
        own = clocks[0] if clocks else ClockSetting()
        opponent = " ".join(rest) or None
        rated = session.me.rated
        if opponent is not None:
            if self._service.hall[opponent] is None:
                raise RefusedError(ServiceError(f"user '{opponent}' not found."))
            if opponent == session.name:
                rated = False
                if kind.synchro:
                    raise RefusedError(Refusal("different players in synchro games"))
        return Pending(session.name, opponent, kind, (own, clocks[1] if len(clocks) > 1 else own), rated)

    def read_stored(self, session: Session, text: str) -> Pending:
        """A request to go on with a stored match."""
        number = number_of(text)
        record = None if number is None else self._service.store.match(number)
        if record is None or record.state != "stored" or session.name not in record.names:
            raise RefusedError(ServiceError(f"no archived match '{text}' found."))
        first, second = record.names
        opponent = second if session.name == first else first
        if self._service.hall[opponent] is None:
            raise RefusedError(ServiceError(f"no opponent present for archived match '{text}'."))
        kind, clocks, _ = restore(record.resume, self._service.dealer.source)
        if session.name != first:
            clocks = clocks[1], clocks[0]
        return Pending(session.name, opponent, kind, clocks, rated=True, stored=record.id)

    # --- matching

    def offer(self, session: Session, request: Pending) -> None:
        """Start a match that was waiting for this request, or let it wait.

        Raises:
            RefusedError: somebody does not want it.
        """
        mine = len(self._service.store.matches_of(session.name, "stored"))
        if request.rated and request.stored is None and mine >= MOST_STORED:
            raise RefusedError(ServiceError("you have too many stored matches."))
        opponent = None if request.opponent is None else self._service.hall[request.opponent]
        if opponent is not None:
            self.check_opponent(session, opponent, request)
            if opponent is not session and self.fits(opponent.me.accept, request, opponent):
                self.begin(request)
                return
        if any(request.same(other) for other in self):
            raise RefusedError(ServiceError(PENDING))
        for other in self:
            if request.mirrors(other) and not self._declined_by_either(request, other):
                self.begin(other, request.asker)
                return
        if opponent is session:
            self.begin(request)
            return
        if opponent is None:
            for listener in self.listeners(request):
                if self.fits(listener.me.accept, request, listener):
                    self.begin(request, listener.name)
                    return
        if sum(other.asker == session.name for other in self) >= MOST_PENDING:
            raise RefusedError(ServiceError("you have too many pending requests."))
        waiting = Pending(
            request.asker,
            request.opponent,
            request.type,
            request.clocks,
            request.rated,
            request.stored,
            self._ids.take(),
        )
        self._pending[waiting.number] = waiting
        self.announce(waiting, added=True)

    def check_opponent(self, session: Session, opponent: Session, request: Pending) -> None:
        """Raises RefusedError if the opponent cannot or will not."""
        too_many = len(self._service.store.matches_of(opponent.name, "stored")) >= MOST_STORED
        if request.rated and request.stored is None and too_many:
            raise RefusedError(ServiceError("the opponent has too many stored matches."))
        if session.name in opponent.me.os_ignore:
            raise RefusedError(ServiceError("the opponent is ignoring you."))
        if opponent.name in session.me.os_ignore:
            raise RefusedError(ServiceError("you are ignoring the opponent."))
        if session.me.rated and not opponent.me.rated:
            raise RefusedError(ServiceError("rated variable mismatch."))
        if opponent.me.open <= len(opponent.matches):
            raise RefusedError(ServiceError("Player is not accepting new matches."))
        if self.fits(opponent.me.decline, request, opponent):
            raise RefusedError(ServiceError(UNFIT))

    def _declined_by_either(self, first: Pending, second: Pending) -> bool:
        """Whether a request without an opponent meets a formula that declines it."""
        for request, other in ((first, second), (second, first)):
            session = self._service.hall[request.asker]
            if session is None or (request.opponent is None and self.fits(session.me.decline, other, session)):
                return True
        return False

    def accept(self, session: Session, request: Pending) -> None:
        """A player takes up a request.

        Raises:
            RefusedError: it is not for him, or does not fit.
        """
        if request.asker == session.name:
            raise RefusedError(ServiceError("you cannot accept your own match request."))
        if request.opponent not in (None, session.name):
            raise RefusedError(ServiceError(f"request '{request.id}' not found."))
        asker = self._service.hall[request.asker]
        if request.opponent is None and asker is not None and self.fits(asker.me.decline, request, asker, session):
            raise RefusedError(ServiceError(UNFIT))
        self.begin(request, session.name)

    def begin(self, request: Pending, opponent: str | None = None) -> Match:
        """Start the match, then take away the request and those that have become impossible."""
        service = self._service
        other = opponent or request.opponent or request.asker
        if request.stored is None:
            match = service.new_match(request.type, (request.asker, other), request.clocks, request.rated)
        else:
            match = self._resume(request.stored)
        if request.number in self._pending:
            self.drop(request)
        for pending in list(self):
            if request.stored is not None and pending.stored == request.stored:
                self.drop(pending)
        for name in dict.fromkeys(match.names):
            session = service.hall[name]
            if session is not None and session.me.open <= len(session.matches):
                self.drop_all(name)
        return match

    def _resume(self, counter: int) -> Match:
        record = self._service.store.match(counter)
        if record is None:
            raise RefusedError(ServiceError(f"no archived match '.{counter}' found."))
        kind, clocks, games = restore(record.resume, self._service.dealer.source)
        return self._service.open_match(kind, record.names, clocks, True, games, counter)

    # --- showing and dropping

    def listeners(self, request: Pending) -> list[Session]:
        """Who hears of a request to anybody: who asked for such news, has time, and would not decline it."""
        asker = self._service.hall[request.asker]
        if asker is None:
            return []
        return [
            session
            for session in self._service.hall
            if session is not asker
            and session.me.request_notices
            and session.name not in asker.me.os_ignore
            and asker.name not in session.me.os_ignore
            and session.me.rated == request.rated
            and session.me.open > len(session.matches)
            and not self.fits(session.me.decline, request, session)
            and not self.fits(asker.me.decline, request, asker, session)
        ]

    def wire(self, request: Pending) -> Request:
        """A request as it is shown."""
        pool = request.type.pool
        store = self._service.store
        theirs = None if request.opponent is None else store.rating(request.opponent, pool).rating
        return Request(
            request.id,
            store.rating(request.asker, pool).rating,
            request.asker,
            request.clocks[0],
            request.type,
            "S" if request.stored is not None else "R" if request.rated else "U",
            theirs,
            request.opponent,
            request.clocks[1] if request.clocks[1] != request.clocks[0] else None,
            None if request.stored is None else f".{request.stored}",
        )

    def announce(self, request: Pending, added: bool) -> None:
        """Tell both parties, or everybody who listens."""
        names = [request.asker] if request.opponent is None else [request.asker, request.opponent]
        heard = self._service.hall.present(names)
        if request.opponent is None:
            heard += self.listeners(request)
        change = RequestChange(added, self.wire(request))
        for session in heard:
            session.hear(change)

    def drop(self, request: Pending) -> None:
        """A request is accepted, declined, cancelled or impossible."""
        del self._pending[request.number]
        self._ids.give_back(request.number)
        self.announce(request, added=False)

    def drop_all(self, name: str) -> None:
        """All requests by or to a player, the latest first."""
        for request in list(self)[::-1]:
            if name in (request.asker, request.opponent):
                self.drop(request)

    # --- formulas

    def fits(self, formula: str, request: Pending, mine: Session, against: Session | None = None) -> bool:
        """Whether a request fits a formula of one of its players."""
        return bool(formula) and parse_formula(formula).fits(self.facts(request, mine, against))

    def facts(self, request: Pending, mine: Session, against: Session | None) -> Facts:
        """What a formula may ask about a request, from the view of ``mine``."""
        asking = mine.name == request.asker
        other = against.name if against is not None else request.opponent if asking else request.asker
        own, theirs = request.clocks if asking else request.clocks[::-1]
        colour = request.type.colour.upper() or "?"
        opposite = OPPOSITE[request.type.colour].upper() or "?"
        store, pool = self._service.store, request.type.pool
        stored = [match for match in store.matches_of(mine.name, "stored") if other in match.names]
        random = [match for match in mine.matches if match.type.random is not None]
        facts: dict[str, bool | float | str] = {
            "saved": request.stored is not None,
            "rated": request.rated,
            "rand": request.type.random is not None,
            "synchro": request.type.synchro,
            "komi": request.type.komi,
            "anti": request.type.anti,
            "discs": request.type.random or 0,
            "size": request.type.board,
            "stored": len(stored),
            "mr": store.rating(mine.name, pool).rating,
            "or": store.rating(other, pool).rating if other else 0.0,
            "mc": colour if asking else opposite,
            "oc": opposite if asking else colour,
            "playing_rand": len(random),
            "playing_other": len(mine.matches) - len(random),
        }
        for letter, clock in (("m", own), ("o", theirs)):
            facts |= {
                f"{letter}t1": clock.initial,
                f"{letter}m1": clock.initial_moves,
                f"{letter}l1": clock.initial_loses,
                f"{letter}t2": clock.increment,
                f"{letter}m2": clock.increment_moves,
                f"{letter}a2": clock.increment_adds,
                f"{letter}t3": clock.extension,
                f"{letter}m3": clock.extension_moves,
                f"{letter}a3": clock.extension_adds,
            }
        return facts
