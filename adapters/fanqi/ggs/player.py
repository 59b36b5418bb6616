"""The player behind the connection: what the service says goes to those whom it concerns, see `Player`.

It hears messages and sends commands, and knows neither sockets nor when to connect; `fanqi.ggs.client` does that.
Everything but the games happens on one task, so nothing here waits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from fanqi.ggs.away import RESUME_EVERY_S, AwayLedger
from fanqi.ggs.desk import RequestDesk
from fanqi.ggs.matches import Matches
from fanqi.ggs.policy import judge_offer
from fanqi.ggs_wire import (
    Archive,
    CommandError,
    FromService,
    GameEnd,
    GameId,
    History,
    Join,
    JoinGgf,
    Kibitz,
    Listing,
    MatchEnd,
    MatchList,
    MatchStart,
    Offer,
    PlayError,
    RatingUpdate,
    Refusal,
    RequestChange,
    RequestList,
    ServiceError,
    Stored,
    StoredNotice,
    Timeout,
    TrustViolation,
    Update,
    UpdateGgf,
    WireError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.ggs.playing import Playing
    from fanqi.ggs.seat import Seat
    from fanqi.ggs_wire import GameType

__all__ = ["Player"]

CROSSED = re.compile(r"(request|match) '\.\d+' not found\.")
"""What is said when our answer crosses the end of what it was about."""
SETTINGS = (
    "vt100 -",
    "client -",
    "trust +",
    "bell -r -p -w -n -ns -nn -nt -ni -nr -nw -ta -to -tp",
    "aform",
    "dform",
    "stored +",
)


class Player:
    """Matches being played are `fanqi.ggs.matches`, requests for others `fanqi.ggs.desk`, what was missed while we were
    away `fanqi.ggs.away`; offers and the settings of the service are here.

    Args:
        seat: where we play.
        resume_every_s: how often to ask for adjourned matches.
    """

    def __init__(self, seat: Seat, resume_every_s: float = RESUME_EVERY_S) -> None:
        self._seat = seat
        self._config, self._status, self._logger = seat.config, seat.status, seat.logger
        self._matches = Matches(seat)
        self._away = AwayLedger(seat, resume_every_s)
        self._desk = RequestDesk(seat, lambda: len(self._matches), self._away.declined, self._away.wanted)
        self._ready = False  # the service is there and knows our settings

    # --- the connection

    def connected(self, send: Callable[[str], None]) -> None:
        """Logged in."""
        self._seat.take(send)

    def service_arrived(self) -> None:
        """The Othello service is there: tell it how we play."""
        if self._ready or not self._seat.taken:
            return
        self._ready = True
        accept = self._config.accept
        for setting in SETTINGS:
            self._seat.tell(setting)
        self._seat.tell(f"rated {'-' if accept.rated == 'no' else '+'}")
        self._seat.tell(f"request {'+' if accept.from_anybody else '-'}")
        self._seat.tell(f"open {0 if self.stopping else accept.games}")
        now = self._seat.clock()
        self._away.open(now)
        self._desk.open(now)

    def service_left(self) -> None:
        """The service is gone, and with it what we played."""
        self._ready = False
        self._matches.interrupt_all("the service is gone")

    def disconnected(self, reason: str) -> None:
        """The connection is lost; rated matches will be found again among the stored or the archived ones."""
        self._seat.leave()
        self._ready = False
        self._desk.clear()
        self._away.clear()
        self._matches.interrupt_all(reason)

    @property
    def idle(self) -> bool:
        """Nothing is played, and everything is written."""
        return self._matches.idle

    async def settle(self) -> None:
        """Wait until everything is written."""
        await self._matches.settle()

    @property
    def stopping(self) -> bool:
        return self._desk.stopping

    def no_more_requests(self) -> None:
        """Ask for no more matches; those that others ask for, and adjourned ones, are still played."""
        self._desk.asking = False

    def stop(self) -> None:
        """No new matches."""
        if not self._desk.stopping:
            self._desk.stopping = True
            self._seat.tell("open 0")

    def tick(self, now: float) -> None:
        """What is to be done from time to time; called about twice a second."""
        self._status.playing = len(self._matches)
        self._status.boards = self._matches.boards()
        stop = self._config.stop
        if stop.matches and self._status.finished >= stop.matches:
            self.stop()
        if stop.after_s and now - self._status.started >= stop.after_s:
            self.stop()
        if not self._ready or self._seat.must_wait(now):
            return
        room = 0 if self.stopping else self._config.accept.games - len(self._matches)
        if room > 0:
            self._away.tick(now, room, self._desk.stored_asked)
        self._desk.tick(now, may_ask=room > 0 and not self._away.holds_asks(now))

    # --- what the service says

    def hear(self, message: FromService) -> None:
        """A message of the service.

        Raises:
            ConnectionLostError: it sends more than can be looked at, or played.
        """
        self._seat.heard()
        match message:
            case Join() | Update():
                self._hear_board(message)
            case RequestChange():
                self._desk.hear(message)
            case MatchStart():
                if self._seat.me in message.names:
                    self._open(message.match, message.names, message.type, message.flag in ("R", "T"))
            case MatchEnd():
                if self._seat.me in message.names:
                    self._hear_end(message)
            case GameEnd():
                playing = self._matches.get(message.game.match)
                if playing is not None and message.game.game is not None and message.result is not None:
                    playing.result.results[message.game.game] = message.result
            case RatingUpdate():
                playing = self._matches.get(message.match.match)
                if playing is not None:
                    playing.result.changes = {change.player: change for change in message.changes}
            case Timeout():
                self._hear_flag(message)
            case Offer():
                self._hear_offer(message)
            case PlayError():
                self._hear_play_error(message)
            case Stored():
                self._away.hear_stored(message)
            case StoredNotice():
                self._away.opponents_here(message.players, self._seat.clock())
            case History():
                self._away.hear_history(message)
            case Archive():
                self._hear_archive(message)
            case ServiceError() | Refusal():
                if self._away.hear_refusal(message.text) or CROSSED.fullmatch(message.text):
                    self._logger.debug("the service refuses", text=message.text)
                else:
                    self._logger.warning("the service refuses", text=message.text)
                    self._desk.refused()
            case CommandError():
                self._logger.info("the service complains", command=message.command, text=message.text)
            case TrustViolation():
                self._logger.warning("trust violation", game=str(message.game), player=message.player)
            case Kibitz():
                self._logger.info("talk", game=message.game, player=message.player, text=message.text)
            case JoinGgf() | UpdateGgf():  # somebody has set us to client +
                self._seat.tell("client -")
                self._seat.tell(f"moves .{message.game.match}")
            case Listing() | MatchList() | RequestList():
                pass
            case _:
                assert_never(message)

    def _open(self, match: GameId, names: tuple[str, str], kind: GameType, rated: bool) -> Playing:
        """A match begins, or goes on."""
        clocks = self._desk.match_started(names, kind)
        before = self._matches.get(match.match)
        if before is not None:  # we have missed its end, but the archive has it
            self._matches.give_up(before)
            self._seat.tell("history")
        return self._matches.open(match.match, names, kind, rated, clocks)

    def _hear_board(self, message: Join | Update) -> None:
        first, second = (line.name for line in message.players)
        if self._seat.me not in (first, second):
            return
        playing = self._matches.get(message.game.match)
        if playing is None:
            playing = self._open(message.game, (first, second), message.type, rated=True)
        if message.type.board == 8:
            self._matches.show(playing, message)

    def _hear_flag(self, message: Timeout) -> None:
        playing = self._matches.get(message.game.match)
        if playing is None:
            return
        if message.player == self._seat.me:
            self._status.flags += 1
        task = playing.games.get(message.game.game or 0)
        if task is not None:
            task.tell(message)

    def _hear_offer(self, message: Offer) -> None:
        playing = self._matches.get(message.game.match)
        if playing is None or message.player == self._seat.me or (message.game.game or 0) > 0:
            return  # of a synchro match both games are named; one answer is for both
        verdict = judge_offer(message.kind, self._config.offers, playing.result.rated)
        event = "agreeing to an offer" if verdict.accept else "offer ignored"
        self._logger.info(event, kind=message.kind, match=playing.result.match, reason=verdict.reason)
        if verdict.accept and message.kind == "undo":
            self._matches.ask_undo(playing)
        elif verdict.accept:
            self._seat.tell(f"{message.kind} .{playing.number}")

    def _hear_play_error(self, message: PlayError) -> None:
        """A move was not taken: look at the board again."""
        self._status.refused += 1
        self._logger.warning("move refused", game=message.game, text=message.text)
        try:
            playing = self._matches.get(GameId.parse(message.game).match)
        except WireError:
            return
        if playing is not None:
            self._matches.look_again(playing)

    def _hear_archive(self, message: Archive) -> None:
        entries = self._away.hear_archive(message)
        results = [float(entry["our_result"]) for entry in entries if entry["our_result"] is not None]
        if results:
            self._status.recovered += 1
            self._matches.count(sum(results) / len(results))

    def _hear_end(self, message: MatchEnd) -> None:
        now = self._seat.clock()
        self._desk.match_ended(now)
        if message.archive is not None:
            if message.left is not None:
                self._away.adjourned(message.archive, message.left, now)
            else:
                self._away.over(message.archive)
        playing = self._matches.get(message.match.match)
        if playing is not None:
            self._matches.hear_end(playing, message)
