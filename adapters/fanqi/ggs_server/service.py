"""The Othello service: requests, matches, clocks, ratings, archive. Its commands are in the modules beside it.

No sockets and no clock of its own: whoever runs it hands in lines and the time, and calls `tick` when `next_event`
comes. So a whole evening of play can be replayed in a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fanqi.ggs_server.clock import GRACE
from fanqi.ggs_server.errors import RuleError
from fanqi.ggs_server.game import Game
from fanqi.ggs_server.ids import IdPool
from fanqi.ggs_server.match import Match, Said, join_of, player_lines, update_of
from fanqi.ggs_server.registry import Registry
from fanqi.ggs_server.requests import Requests
from fanqi.ggs_server.rules import BLACK, WHITE
from fanqi.ggs_wire import (
    ClockSetting,
    FromService,
    GameEnd,
    GameId,
    GameType,
    MatchEnd,
    MatchStart,
    Move,
    PlayError,
    StoredNotice,
    Timeout,
    TrustViolation,
    WireError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from fanqi.ggs_server.dealer import Dealer
    from fanqi.ggs_server.hall import Hall, Session
    from fanqi.ggs_server.ratings import Rating
    from fanqi.ggs_server.store import Store

__all__ = ["Service", "Surroundings"]


class Surroundings(Protocol):
    """What the service needs from outside."""

    def now(self) -> float:
        """Monotonic seconds."""

    def date(self) -> datetime:
        """The time of day, UTC."""


class Service:
    """State and rules of ``/os``.

    Args:
        store: the database.
        hall: who is here.
        surroundings: clocks.
        dealer: chance.
        archived: told each archived match as GGF, one line. Must not raise.
        report: told about finished matches, one line each, for the log.
    """

    def __init__(
        self,
        store: Store,
        hall: Hall,
        surroundings: Surroundings,
        dealer: Dealer,
        archived: Callable[[str], None] = lambda line: None,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.store, self.hall, self.dealer = store, hall, dealer
        self.surroundings, self.report = surroundings, report
        self._registry = Registry(store, surroundings.date, archived)
        self.matches: dict[int, Match] = {}
        self.match_ids = IdPool()
        self.requests = Requests(self)
        self.played = 0
        self.started = surroundings.date()

    # --- time

    def now(self) -> float:
        return self.surroundings.now()

    def unix(self) -> float:
        return self.surroundings.date().timestamp()

    def next_event(self) -> float | None:
        """When the next flag is to be looked at, in monotonic seconds."""
        return min((due for due, *_ in self._running()), default=None)

    def tick(self) -> None:
        """Look at the flags that are due."""
        now = self.now()
        for due, match, index, seat in sorted(self._running(), key=lambda event: event[0]):
            if due <= now and self.matches.get(match.number) is match:
                match.games[index].seats[seat].clock.event(now)
                self._after_event(match, index, seat)

    def _running(self) -> Iterable[tuple[float, Match, int, int]]:
        for match in self.matches.values():
            for index, game in enumerate(match.games):
                for number, seat in enumerate(game.seats):
                    if seat.clock.running and not game.finished:
                        yield seat.clock.due(), match, index, number

    def _after_event(self, match: Match, index: int, seat: int) -> None:
        self.to_all(match, self._flags(match, index, seat))
        if not match.games[index].finished:
            return
        if match.type.synchro:
            self.to_all(match, [self._game_end(match, index)])
            match.held[index].moved = True
            self._catch_up(match)
        elif match.finished:
            self.close(match)

    # --- talking

    def rating(self, name: str, pool: str) -> Rating:
        return self._registry.rating(name, pool)

    def ratings(self, match: Match) -> tuple[float, float]:
        """The ratings of both players in the pool of a match."""
        return self._registry.ratings(match)

    def audience(self, match: Match) -> list[Session]:
        """Players and watchers."""
        return self.hall.present([*match.names, *sorted(match.watchers)])

    def to_all(self, match: Match, said: Iterable[Said]) -> None:
        for each in said:
            for session in self.audience(match):
                session.hear(each.to(session.me.client))

    def tell_all(self, match: Match, message: FromService) -> None:
        """Something that is the same for everybody."""
        self.to_all(match, [Said(message)])

    def match(self, text: str) -> Match | None:
        """A running match by an id such as ``.7``."""
        try:
            return self.matches.get(GameId.parse(text).match)
        except WireError:
            return None

    def join(self, session: Session, match: Match) -> None:
        """Show a match to somebody, without a move that is held back from him."""
        ahead = match.ahead()
        for index in range(len(match.games)):
            hide = index == ahead and match.held[index].mover != session.name
            said = join_of(match, index, self.ratings(match), self.now(), self.surroundings.date(), hide)
            session.hear(said.to(session.me.client))

    # --- the life of a match

    def new_match(
        self, kind: GameType, names: tuple[str, str], clocks: tuple[ClockSetting, ClockSetting], rated: bool
    ) -> Match:
        """Start a match; its players must be here."""
        start = self.dealer.start(kind)
        if kind.komi:
            colour = ""
        elif kind.colour:
            colour = BLACK if kind.colour == "b" else WHITE
        elif kind.random is not None or kind.synchro:
            colour = BLACK
        else:
            colour = BLACK if self.dealer.black_first() else WHITE
        games = [Game.new(kind, start, clocks, colour, self.dealer.source)]
        if kind.synchro:
            games.append(Game.new(kind, start, clocks, WHITE if colour == BLACK else BLACK, self.dealer.source))
        return self.open_match(kind, names, clocks, rated, games, self.store.next_match())

    def open_match(
        self,
        kind: GameType,
        names: tuple[str, str],
        clocks: tuple[ClockSetting, ClockSetting],
        rated: bool,
        games: list[Game],
        counter: int,
    ) -> Match:
        """Announce a match, show it to its players and to those who track them, start its clocks."""
        match = Match(self.match_ids.take(), counter, kind, names, clocks, rated, games)
        self.matches[match.number] = match
        for session in self.hall.present(names):
            session.matches.append(match)
        for game in games:
            game.start_clocks(self.now())
        start = MatchStart(match.id, self._rounded(match), names, kind, match.flag)
        trackers = [session for session in self.hall if session.me.track & {*names, "*"} and session.name not in names]
        for session in self.hall.present([*names, *(each.name for each in self._interested(match))]):
            session.hear(start)
        for session in trackers:
            match.watchers.add(session.name)
            session.watching.append(match)
        for session in [*self.hall.present(names), *trackers]:
            self.join(session, match)
        self._registry.keep(match)
        return match

    def _rounded(self, match: Match) -> tuple[int, int]:
        first, second = self.ratings(match)
        return round(first), round(second)

    def _interested(self, match: Match) -> list[Session]:
        """Who wants to know about starts and ends of this match."""
        wanted = {*match.names, "*"}
        return [session for session in self.hall if (session.me.os_notify | session.me.track) & wanted]

    def play(self, match: Match, index: int, session: Session, move: Move) -> FromService | None:
        """A player's move; returns what is wrong with it, or None."""
        game, where, now = match.games[index], match.game_id(index), self.now()
        seats = match.seats(session.name, index)
        if match.type.synchro and not any(game.seats[seat].clock.running for seat in seats):
            return PlayError(str(where), "wrong game!")
        seat = next((seat for seat in seats if game.seats[seat].clock.running), seats[0])
        try:
            game.check(seat, move)
        except RuleError as error:
            return PlayError(str(where), str(error))
        match.aborting.clear()  # an offer is for the position in which it was made
        before = player_lines(match, index, self.ratings(match), now)
        said = []
        seconds, violation = self._charged(match, index, seat, session, move)
        if violation is not None:
            said.append(Said(violation))
        bidding = game.bidding
        if game.play(seat, Move(move.square, move.evaluation, seconds)):
            if bidding:
                said.append(join_of(match, index, self.ratings(match), now, self.surroundings.date()))
            else:
                said.append(update_of(match, index, self.ratings(match), now))
        said += self._flags(match, index, seat)
        if match.type.synchro:
            held = match.held[index]
            held.moved, held.mover, held.said = True, session.name, said
            held.players = before
            if game.finished:
                said.append(self._game_end(match, index))
            for each in said:
                session.hear(each.to(session.me.client))
            self._catch_up(match)
            return None
        self.to_all(match, said)
        if game.finished:
            self.close(match)
        else:
            game.start_clocks(now)
            if match.selfplay and game.bidding:
                return self.play(match, index, session, move)
            self._registry.keep(match)
        return None

    def _charged(
        self, match: Match, index: int, seat: int, session: Session, move: Move
    ) -> tuple[float, TrustViolation | None]:
        """Seconds to charge: what passed, or what a trusted player states if that can be."""
        passed = max(match.games[index].seats[seat].clock.elapsed(self.now()), 0.0)
        if not session.me.trust:
            return passed, None
        if move.seconds >= passed - GRACE:
            return move.seconds, None
        colour = match.games[index].seats[seat].colour or "?"
        excess = passed - GRACE - move.seconds + 0.1
        return passed, TrustViolation(match.game_id(index), session.name, colour, GRACE, excess)

    def _flags(self, match: Match, index: int, seat: int) -> list[Said]:
        game = match.games[index]
        colour = game.seats[seat].colour or "?"
        return [
            Said(Timeout(match.game_id(index), match.names[seat], colour, fatal)) for fatal in game.look_at_flags(seat)
        ]

    def _game_end(self, match: Match, index: int) -> Said:
        return Said(GameEnd(match.game_id(index), match.names, match.games[index].result()))

    def _catch_up(self, match: Match) -> None:
        """When both games of a pair have their move: tell everybody the rest, start the next ply."""
        if not all(held.moved for held in match.held):
            return
        for game, held in zip(match.games, match.held, strict=True):
            held.moved = game.finished
            if not game.finished:
                game.start_clocks(self.now())
        for held in match.held:
            said, held.said = held.said, []
            for each in said:
                for session in self.audience(match):
                    if session.name != held.mover:
                        session.hear(each.to(session.me.client))
        if match.finished:
            self.close(match)
        else:
            self._registry.keep(match)

    def adjourn(self, match: Match, name: str) -> None:
        """A player leaves: a rated match is stored, another is lost."""
        if match.type.synchro:
            ends = [Said(GameEnd(match.game_id(index), match.names, left=name)) for index in (0, 1)]
            self.to_all(match, ends)
        self.close(match, left=name)

    def take_back(self, match: Match) -> None:
        """Both agree that the last move of a match of one game was not made."""
        (game,) = match.games
        game.take_back()
        self.to_all(match, [join_of(match, 0, self.ratings(match), self.now(), self.surroundings.date())])
        game.start_clocks(self.now())
        self._registry.keep(match)

    def abort(self, match: Match) -> None:
        """Both agree that there was no match."""
        if match.type.synchro:
            self.to_all(match, [Said(GameEnd(match.game_id(index), match.names)) for index in (0, 1)])
        self.close(match, aborted=True)

    def resign(self, match: Match, name: str) -> None:
        for game in match.games:
            game.seats[match.seats(name)[0]].resigned = True
        if match.type.synchro:
            self.to_all(match, [self._game_end(match, index) for index in (0, 1)])
        self.close(match)

    def close(self, match: Match, left: str | None = None, aborted: bool = False) -> None:
        """Archive or store a match, rate it, announce its end, forget it."""
        ahead = match.ahead()
        if ahead is not None and not match.finished:
            match.games[ahead].take_back()
        result = match.result() if match.finished else None
        listeners = self.hall.present(
            [*match.names, *(each.name for each in self._interested(match)), *sorted(match.watchers)]
        )
        rated = self._registry.settle(match, result, aborted=aborted)
        if rated is not None:
            self.tell_all(match, rated)
        archive = match.archive_id if self._registry.counts(match) and not aborted else None
        ratings = self._rounded(match)
        end = MatchEnd(match.id, ratings, match.names, match.type, match.flag, result, left, archive)
        del self.matches[match.number]
        for session in self.hall.present([*match.names, *match.watchers]):
            session.matches = [other for other in session.matches if other is not match]
            session.watching = [other for other in session.watching if other is not match]
        self.match_ids.give_back(match.number)
        self.played += 1
        for session in listeners:
            session.hear(end)
        self.report(end.body()[0])

    # --- presence

    def arrived(self, session: Session) -> None:
        """Somebody has logged in: tell those who share stored games with him."""
        shared = [match.names for match in self.store.matches_of(session.name, "stored")]
        names = {second if first == session.name else first for first, second in shared} - {session.name}
        others = self.hall.present(sorted(names))
        if others and session.me.stored_notices:
            session.hear(StoredNotice(tuple(other.name for other in others)))
        for other in others:
            if other.me.stored_notices:
                other.hear(StoredNotice((session.name,)))

    def left(self, session: Session) -> None:
        """Somebody is gone: adjourn what he plays, take him off what he watches."""
        for match in list(session.matches):
            self.adjourn(match, session.name)
        self.requests.drop_all(session.name)
        for match in session.watching:
            match.watchers.discard(session.name)
        session.watching = []
