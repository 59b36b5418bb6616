"""The player behind the connection: requests, matches, offers, adjourned games, and what is asked for.

It hears messages and sends commands, and knows neither sockets nor when to connect; `fanqi.ggs.client` does that.
Everything but the games happens on one task, so nothing here waits.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import msgspec

from fanqi.ggs.errors import ConnectionLostError
from fanqi.ggs.game import GameState, GameTask
from fanqi.ggs.policy import judge_offer, judge_request
from fanqi.ggs.records import MatchResult, archived_games
from fanqi.ggs_wire import (
    Archive,
    ClockState,
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
    format_duration,
)

if TYPE_CHECKING:
    from fanqi.ggs.config import AskConfig, Config
    from fanqi.ggs.records import RecordBook
    from fanqi.ggs.status import Status
    from fanqi.ggs.thinking import Thinker, Thought
    from fanqi.ggs_wire import GameType, Request, StoredEntry
    from fanqi.logs import Logger

__all__ = ["Player"]

RESUME_EVERY_S = 20.0
HOLD_FOR_RESUME_S = 15.0
YIELD_TO_OTHER_S = 5.0
MOST_WAITING = 1000
MOST_REQUESTS = 1000
MOST_ERRORS = 3
SETTINGS = (
    "vt100 -",
    "client -",
    "trust +",
    "bell -r -p -w -n -ns -nn -nt -ni -nr -nw -ta -to -tp",
    "aform",
    "dform",
    "stored +",
)


@dataclass(slots=True)
class Playing:
    """A match in progress.

    Attributes:
        games: by their numbers; 0 for the only one.
        tasks: that run them.
        clocks: as given, by player, where that is known.
        errors: boards that had to be asked for again.
    """

    number: int
    result: MatchResult
    games: dict[int, GameTask] = field(default_factory=dict)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    clocks: dict[str, str] = field(default_factory=dict)
    errors: int = 0


class Player:
    """See the module.

    Args:
        config: what to do.
        thinker: thinks.
        book: keeps finished games.
        status: counts.
        logger: for events.
        resume_every_s: how often to ask for adjourned games.
    """

    def __init__(
        self,
        config: Config,
        thinker: Thinker,
        book: RecordBook,
        status: Status,
        logger: Logger,
        resume_every_s: float = RESUME_EVERY_S,
    ) -> None:
        self._config, self._thinker, self._book, self._status = config, thinker, book, status
        self._logger = logger
        self._resume_every_s = resume_every_s
        self.me = config.server.name
        self.stopping = False
        self._asking = True
        self._send_line: Callable[[str], None] | None = None
        self._ready = False  # the service is there and knows our settings
        self._matches: dict[int, Playing] = {}
        self._endings: set[asyncio.Task[None]] = set()
        self._requests: dict[str, tuple[Request, float]] = {}
        self._stored: dict[str, StoredEntry] = {}
        self._ever_stored: set[str] = set()
        self._looking: deque[str] = deque()
        self._thoughts: dict[tuple[tuple[str, str], str], dict[int, dict[int, Thought]]] = {}
        self._next_ask = 0
        self._ask_after = 0.0
        self._asked: float | None = None  # when a request was sent that has not shown up yet
        self._resume_after = 0.0
        self._hold_asks_until = 0.0
        self._baseline_file = book.folder / "baseline.json"
        self._baseline = read_baseline(self._baseline_file, book.server)

    # --- the connection

    def connected(self, send: Callable[[str], None]) -> None:
        """Logged in."""
        self._send_line = send

    def service_arrived(self) -> None:
        """The Othello service is there: tell it how we play."""
        if self._ready or self._send_line is None:
            return
        self._ready = True
        rated = {"yes": "+", "no": "-", "any": "+"}[self._config.accept.rated]
        for setting in (*SETTINGS, f"rated {rated}", f"request {'+' if self._config.accept.from_anybody else '-'}"):
            self._tell(setting)
        self._tell(f"open {0 if self.stopping else self._config.accept.games}")
        self._tell("stored")
        self._tell("history")
        now = time.monotonic()
        self._resume_after = now
        self._ask_after = now + 1.0 if self._config.ask else now
        self._hold_asks_until = now + HOLD_FOR_RESUME_S

    def service_left(self) -> None:
        """The service is gone, and with it what we played."""
        self._ready = False
        self._drop_matches("the service is gone")

    def disconnected(self, reason: str) -> None:
        """The connection is lost; rated matches will be found again among the stored or the archived ones."""
        self._send_line = None
        self._ready = False
        self._requests.clear()
        self._looking.clear()
        self._asked = None
        self._drop_matches(reason)

    def _drop_matches(self, reason: str) -> None:
        for playing in list(self._matches.values()):
            self._logger.warning("match interrupted", match=playing.result.match, reason=reason)
            self._keep_thoughts(playing)
            self._end(playing, write=not playing.result.rated)
            self._status.matches["adjourned" if playing.result.rated else "lost"] += 1

    def _tell(self, command: str) -> None:
        """A command for the service."""
        if self._send_line is not None:
            self._send_line(f"tell /os {command}")

    @property
    def playing(self) -> int:
        return len(self._matches)

    @property
    def idle(self) -> bool:
        """Nothing is played, and everything is written."""
        return not self._matches and not self._endings

    async def settle(self) -> None:
        """Wait until everything is written."""
        while self._endings:
            await asyncio.gather(*self._endings, return_exceptions=True)

    def no_more_requests(self) -> None:
        """Ask for no more matches; those that others ask for, and adjourned ones, are still played."""
        self._asking = False

    def stop(self) -> None:
        """No new matches."""
        if not self.stopping:
            self.stopping = True
            self._tell("open 0")

    # --- what is to be done from time to time

    def tick(self, now: float) -> None:
        """Called about twice a second."""
        self._status.playing = len(self._matches)
        self._status.boards = tuple(self._boards())
        stop = self._config.stop
        if stop.matches and self._status.finished >= stop.matches:
            self.stop()
        if stop.after_s and now - self._status.started >= stop.after_s:
            self.stop()
        if not self._ready:
            return
        self._tend_requests(now)
        room = len(self._matches) < self._config.accept.games
        if self.stopping or not room:
            return
        if self._config.accept.resume and self._stored and now >= self._resume_after:
            self._resume_after = now + self._resume_every_s
            self._tell("continue")
        self._ask(now)

    def _tend_requests(self, now: float) -> None:
        """Withdraw our old requests; take up requests for stored games that the other side leaves to us."""
        asks = self._config.ask
        for name, (request, since) in list(self._requests.items()):
            if request.asker == self.me and request.flag != "S" and asks:
                give_up_s = asks[(self._next_ask - 1) % len(asks)].give_up_s
                if now - since > give_up_s:
                    self._logger.info("request withdrawn", request=name, after_s=round(give_up_s))
                    self._requests[name] = (request, now)
                    self._tell(f"cancel {name}")
            elif request.flag == "S" and request.opponent == self.me and now - since > YIELD_TO_OTHER_S:
                self._requests[name] = (request, now)
                self._consider(request)

    def _ask(self, now: float) -> None:
        """Make the next of our own requests, unless one is open."""
        asks = self._config.ask
        if not asks or not self._asking or now < self._ask_after or (self._stored and now < self._hold_asks_until):
            return
        if any(request.asker == self.me and request.flag != "S" for request, _ in self._requests.values()):
            return
        if self._asked is not None and now - self._asked < 10.0:
            return
        ask: AskConfig = asks[self._next_ask % len(asks)]
        self._next_ask += 1
        self._asked = now
        self._logger.info("asking", type=ask.type, clock=ask.clock, opponent=ask.opponent or "anybody")
        self._tell(f"ask {ask.type} {ask.clock} {ask.opponent}".rstrip())

    def _boards(self) -> list[str]:
        """Games in progress, for people."""
        shown = []
        for playing in self._matches.values():
            for task in playing.games.values():
                state = task.state
                clocks = [
                    format_duration(line.clock.left.seconds)
                    for line in sorted(state.players or (), key=lambda line: line.name != self.me)
                    if isinstance(line.clock, ClockState)
                ]
                last = max(state.thoughts, default=None)
                score = None if last is None else state.thoughts[last].score
                rival = next((name for name in playing.result.names if name != self.me), self.me)
                told = "" if score is None else f" {score:+.1f}"
                shown.append(f"{state.id} {state.type} {rival} {'-'.join(clocks)} #{state.number}{told}")
        return shown

    # --- what the service says

    def hear(self, message: FromService) -> None:
        """A message of the service.

        Raises:
            ConnectionLostError: it sends more than can be looked at.
        """
        match message:
            case Join() | Update():
                self._hear_board(message)
            case RequestChange():
                self._hear_request(message)
            case MatchStart():
                self._hear_start(message)
            case MatchEnd():
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
                if message.player == self.me:
                    self._stored = {entry.id: entry for entry in message.entries}
                    self._ever_stored |= set(self._stored)
            case StoredNotice():
                self._resume_after = 0.0
                self._hold_asks_until = time.monotonic() + HOLD_FOR_RESUME_S
                self._tell("stored")
            case History():
                if message.player == self.me:
                    self._hear_history(message)
            case Archive():
                self._hear_archive(message)
            case ServiceError() | Refusal():
                self._asked = None
                self._ask_after = max(self._ask_after, time.monotonic() + 2.0)
                self._logger.warning("the service refuses", text=message.text)
                if self._looking and "archived match" in message.text:
                    self._looking.popleft()
            case CommandError():
                self._logger.info("the service complains", command=message.command, text=message.text)
            case TrustViolation():
                self._logger.warning("trust violation", game=str(message.game), player=message.player)
            case Kibitz():
                self._logger.info("talk", game=message.game, player=message.player, text=message.text)
            case JoinGgf() | UpdateGgf():
                self._tell("client -")
                self._tell(f"moves .{message.game.match}")
            case Listing() | MatchList() | RequestList():
                pass
            case _:
                assert_never(message)

    # --- requests

    def _hear_request(self, message: RequestChange) -> None:
        request = message.request
        if not message.added:
            self._requests.pop(request.id, None)
            return
        if self.me not in (request.asker, request.opponent) and request.opponent is not None:
            return
        if len(self._requests) < MOST_REQUESTS:
            self._requests[request.id] = (request, time.monotonic())
        if request.asker == self.me:
            self._asked = None
            return
        if request.flag == "S" and self._ours_for(request.stored) is not None and self.me > request.asker:
            return  # both ask at once: the name that sorts first accepts; if it does not, we do later
        self._consider(request)

    def _ours_for(self, stored: str | None) -> str | None:
        """The id of our own request for a stored game."""
        for name, (request, _) in self._requests.items():
            if request.asker == self.me and request.stored is not None and request.stored == stored:
                return name
        return None

    def _consider(self, request: Request) -> None:
        """Accept or decline a request, and say why in the log."""
        verdict = judge_request(request, self._config.accept, self.me, len(self._matches), self.stopping)
        if verdict.silent:
            return
        self._logger.info(
            "request accepted" if verdict.accept else "request declined",
            request=request.id,
            type=str(request.type),
            clock=str(request.clock),
            flag=request.flag,
            asker=request.asker,
            reason=verdict.reason,
        )
        if verdict.accept:
            self._status.accepted += 1
            self._tell(f"accept {request.id}")
        else:
            self._status.declined += 1
            self._tell(f"decline {request.id}")

    # --- matches

    def _hear_start(self, message: MatchStart) -> None:
        if self.me not in message.names:
            return
        self._asked = None
        self._open(message.match, message.names, message.type, message.flag in ("R", "T"))

    def _open(self, match: GameId, names: tuple[str, str], kind: GameType, rated: bool) -> Playing:
        before = self._matches.get(match.match)
        if before is not None:  # we have missed its end
            self._end(before, write=False)
        number = match.match
        self._logger.info("match", match=f".{number}", type=str(kind), players=list(names), rated=rated)
        playing = Playing(number, MatchResult(f".{number}", names, kind, rated))
        for request, _ in self._requests.values():
            if (request.asker, request.type) == (names[0], kind) and request.opponent in (None, names[1]):
                playing.clocks = {names[0]: str(request.clock), names[1]: str(request.opponent_clock or request.clock)}
        self._matches[number] = playing
        if kind.board != 8:
            self._logger.warning("a board that is not played", type=str(kind))
            self._tell(f"abort .{number}")
        return playing

    def _hear_board(self, message: Join | Update) -> None:
        names = tuple(line.name for line in message.players)
        if self.me not in names:
            return
        playing = self._matches.get(message.game.match)
        if playing is None:
            first, second = names
            playing = self._open(message.game, (first, second), message.type, rated=True)
        if message.type.board != 8:
            return
        index = message.game.game or 0
        task = playing.games.get(index)
        if task is None:
            task = self._new_game(playing, message, index)
        if task.waiting > MOST_WAITING:
            raise ConnectionLostError(f"more messages than can be looked at in game {message.game}")
        task.tell(message)

    def _new_game(self, playing: Playing, message: Join | Update, index: int) -> GameTask:
        state = GameState(message.game, message.type, self.me)
        state.clocks.update(playing.clocks)
        kept = self._thoughts.get((playing.result.names, str(message.type)), {})
        if isinstance(message, Join) and message.number:
            state.thoughts.update(kept.get(index, {}))
        task = GameTask(
            state,
            self._config,
            self._thinker,
            self._tell_move,
            lambda: max(len(self._matches) / self._thinker.slots, 1.0),
            self._logger.bind(game=str(message.game)),
            self._fault,
        )
        playing.games[index] = task
        runner = asyncio.create_task(task.run(), name=f"game {message.game}")
        runner.add_done_callback(lambda done: self._game_stopped(playing, index, done))
        playing.tasks.append(runner)
        return task

    def _tell_move(self, command: str) -> None:
        if command.startswith("play "):
            self._status.moves += 1
            self._status.thinking_s += float(command.rpartition("/")[2])
        self._tell(command)

    def _fault(self, text: str) -> None:
        self._status.faults += 1
        self._logger.error("fault", what=text)

    def _game_stopped(self, playing: Playing, index: int, done: asyncio.Task[None]) -> None:
        """A game's task has ended; when by a bug, another one takes the game up from the next board."""
        if done.cancelled() or done.exception() is None:
            return
        self._status.faults += 1
        self._logger.error("a game failed", error=done.exception(), match=playing.result.match)
        if self._matches.get(playing.number) is playing and playing.games.pop(index, None) is not None:
            playing.errors += 1
            if playing.errors <= MOST_ERRORS:
                self._tell(f"moves .{playing.number}")

    def _hear_flag(self, message: Timeout) -> None:
        playing = self._matches.get(message.game.match)
        if playing is None:
            return
        if message.player == self.me:
            self._status.flags += 1
        task = playing.games.get(message.game.game or 0)
        if task is not None:
            task.tell(message)

    def _hear_offer(self, message: Offer) -> None:
        playing = self._matches.get(message.game.match)
        if playing is None or message.player == self.me or (message.game.game or 0) > 0:
            return
        verdict = judge_offer(message.kind, self._config.offers, playing.result.rated)
        event = "offer accepted" if verdict.accept else "offer ignored"
        self._logger.info(event, kind=message.kind, match=playing.result.match, reason=verdict.reason)
        if verdict.accept:
            self._tell(f"{message.kind} .{playing.number}")

    def _hear_play_error(self, message: PlayError) -> None:
        """A move was not taken: look at the board again."""
        self._status.refused += 1
        self._logger.warning("move refused", game=message.game, text=message.text)
        try:
            playing = self._matches.get(GameId.parse(message.game).match)
        except ValueError:
            return
        if playing is not None:
            playing.errors += 1
            if playing.errors <= MOST_ERRORS:
                self._tell(f"moves .{playing.number}")

    def _hear_end(self, message: MatchEnd) -> None:
        if self.me not in message.names:
            return
        playing = self._matches.get(message.match.match)
        if message.archive is not None and message.left is not None:
            self._ever_stored.add(message.archive)
            self._tell("stored")
        elif message.archive is not None:
            self._stored.pop(message.archive, None)
        if playing is None:
            return
        result = playing.result
        result.result, result.archive, result.aborted = message.result, message.archive, message.aborted
        now = time.monotonic()
        asks = self._config.ask
        self._ask_after = now + (asks[(self._next_ask - 1) % len(asks)].pause_s if asks else 0.0)
        if message.left is not None:
            self._logger.info("match adjourned", match=result.match, left=message.left, stored=message.archive)
            self._keep_thoughts(playing)
            self._status.matches["adjourned"] += 1
            self._resume_after = min(self._resume_after, now + 1.0)
            self._end(playing, write=False)
            return
        self._thoughts.pop((result.names, str(result.type)), None)
        if message.aborted:
            self._status.matches["aborted"] += 1
        elif message.result is not None:
            ours = message.result if message.names[0] == self.me else -message.result
            self._count(ours)
            change = result.changes.get(self.me)
            if change is not None:
                self._status.rating = change.after
            self._logger.info(
                "match over",
                match=result.match,
                result=ours,
                change=None if change is None else round(change.change, 2),
            )
        self._end(playing, write=message.result is not None)

    def _count(self, ours: float) -> None:
        self._status.matches["win" if ours > 0 else "loss" if ours < 0 else "draw"] += 1

    def _end(self, playing: Playing, write: bool) -> None:
        """Forget a match; its games look at what has come for them, then it is written."""
        if self._matches.get(playing.number) is playing:
            del self._matches[playing.number]
        for task in playing.games.values():
            task.end()
        ending = asyncio.create_task(self._finish(playing, write), name=f"end of {playing.result.match}")
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    async def _finish(self, playing: Playing, write: bool) -> None:
        await asyncio.gather(*playing.tasks, return_exceptions=True)
        if not write:
            return
        games = [(task.state, task.used_s) for _, task in sorted(playing.games.items())]
        try:
            self._book.write(playing.result, games)
        except OSError as error:
            self._logger.error("a record could not be written", match=playing.result.match, reason=str(error))

    def _keep_thoughts(self, playing: Playing) -> None:
        """What we thought in a match that may go on later."""
        key = playing.result.names, str(playing.result.type)
        self._thoughts[key] = {index: dict(task.state.thoughts) for index, task in playing.games.items()}
        while len(self._thoughts) > MOST_REQUESTS:
            self._thoughts.pop(next(iter(self._thoughts)))

    # --- what ended while we were away

    def _hear_history(self, message: History) -> None:
        """Fetch the archived matches that are not written yet."""
        numbers = {entry.id: int(entry.id[1:]) for entry in message.entries}
        if self._baseline is None:
            self._baseline = max((*numbers.values(), *(int(each[1:]) for each in self._stored)), default=-1)
            write_baseline(self._baseline_file, self._book.server, self._baseline)
        for archive, number in numbers.items():
            wanted = number > self._baseline or archive in self._ever_stored
            if wanted and archive not in self._book.known and archive not in self._looking:
                self._looking.append(archive)
                self._tell(f"look {archive}")

    def _hear_archive(self, message: Archive) -> None:
        if not self._looking:
            return
        archive = self._looking.popleft()
        try:
            entries = self._book.write_archived(archive, self.me, archived_games(message.records))
        except OSError as error:
            self._logger.error("a record could not be written", archive=archive, reason=str(error))
            return
        if entries:
            self._status.recovered += 1
            results = [entry["our_result"] for entry in entries if entry["our_result"] is not None]
            if results:
                self._count(sum(results) / len(results))
            self._logger.info("match recorded from the archive", archive=archive, games=len(entries))


def read_baseline(path: Path, server: str) -> int | None:
    """The newest archive id when we first came to this server: what is older is not ours to record."""
    try:
        known = msgspec.json.decode(path.read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        return None
    return known.get(server)


def write_baseline(path: Path, server: str, baseline: int) -> None:
    try:
        known = msgspec.json.decode(path.read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        known = {}
    path.write_bytes(msgspec.json.encode(known | {server: baseline}))
