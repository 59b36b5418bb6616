"""The matches that are being played: their games, how they end, and what is written and counted then."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fanqi.files import reason_of
from fanqi.ggs.errors import ConnectionLostError
from fanqi.ggs.game import GameState, GameTask, took_back_ours
from fanqi.ggs.playing import Memory, Playing
from fanqi.ggs.records import MatchResult, seen_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fanqi.ggs.seat import Seat
    from fanqi.ggs_wire import GameType, Join, MatchEnd, Update

__all__ = ["Matches"]

MOST_MATCHES = 256
MOST_WAITING = 1000
MOST_ERRORS = 3


class Matches:
    """Our matches by their numbers.

    Args:
        seat: where we play.
    """

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._status, self._logger = seat.status, seat.logger
        self._playing: dict[int, Playing] = {}
        self._endings: set[asyncio.Task[None]] = set()
        self._memory = Memory()

    def __len__(self) -> int:
        return len(self._playing)

    def get(self, number: int) -> Playing | None:
        """The match of that number, if it is one of ours."""
        return self._playing.get(number)

    def boards(self) -> tuple[str, ...]:
        """All games, for people."""
        return tuple(board for playing in self._playing.values() for board in playing.boards(self._seat.me))

    @property
    def idle(self) -> bool:
        """Nothing is played, and everything is written."""
        return not self._playing and not self._endings

    async def settle(self) -> None:
        """Wait until everything is written."""
        while self._endings:
            await asyncio.gather(*self._endings, return_exceptions=True)

    # --- beginnings

    def open(
        self, number: int, names: tuple[str, str], kind: GameType, rated: bool, clocks: Mapping[str, str]
    ) -> Playing:
        """A match begins, or goes on.

        Raises:
            ConnectionLostError: there are more than anybody could want to play.
        """
        if len(self._playing) >= MOST_MATCHES:
            raise ConnectionLostError(f"more than {MOST_MATCHES} matches at a time")
        name = f".{number}"
        self._logger.info("match", match=name, type=str(kind), players=list(names), rated=rated)
        playing = Playing(number, MatchResult(name, names, kind, rated), clocks=dict(clocks))
        self._playing[number] = playing
        if kind.board != 8:
            self._logger.warning("a board that is not played", type=str(kind))
            self._seat.tell(f"abort {name}")
        return playing

    def show(self, playing: Playing, message: Join | Update) -> None:
        """A board of a match; the game is begun with its first one.

        Raises:
            ConnectionLostError: there are more than can be looked at.
        """
        index = message.game.game or 0
        task = playing.games.get(index) or self._new_game(playing, message, index)
        if task.waiting > MOST_WAITING:
            raise ConnectionLostError(f"more messages than can be looked at in game {message.game}")
        task.tell(message)
        self._look_for_undo(playing, message)

    def ask_undo(self, playing: Playing) -> None:
        """Ask to take back the last move, once for each position; it is done when the opponent asks as well."""
        if not playing.undo_asked:
            playing.undo_asked = True
            self._seat.tell(f"undo .{playing.number}")

    def _look_for_undo(self, playing: Playing, message: Join | Update) -> None:
        """An undo takes back one move. Where that was ours, ask for another: the opponent wants his own back."""
        before, playing.shown, playing.undo_asked = playing.shown, message.number, False
        if took_back_ours(message, before, self._seat.me):
            self.ask_undo(playing)

    def look_again(self, playing: Playing) -> None:
        """Ask for the board of a match, a few times at most."""
        playing.errors += 1
        if playing.errors <= MOST_ERRORS:
            self._seat.tell(f"moves .{playing.number}")

    def _new_game(self, playing: Playing, message: Join | Update, index: int) -> GameTask:
        state = GameState(message.game, message.type, self._seat.me)
        state.clocks.update(playing.clocks)
        if message.number:
            state.thoughts.update(self._memory.thoughts(playing, index))
        task = GameTask(
            state,
            self._seat.config,
            self._seat.thinker,
            self._tell_move,
            lambda: max(len(self._playing) / self._seat.thinker.slots, 1.0),
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
        self._seat.tell(command)

    def _fault(self, text: str) -> None:
        self._status.faults += 1
        self._logger.error("fault", what=text)

    def _game_stopped(self, playing: Playing, index: int, done: asyncio.Task[None]) -> None:
        """A game's task has ended; when by a bug, another one takes the game up from the next board."""
        if done.cancelled() or (error := done.exception()) is None:
            return
        self._status.faults += 1
        self._logger.error("a game failed", error=error, match=playing.result.match)
        if self._playing.get(playing.number) is playing and playing.games.pop(index, None) is not None:
            self.look_again(playing)

    # --- ends

    def interrupt_all(self, reason: str) -> None:
        """The connection or the service is gone: rated matches will go on later."""
        for playing in list(self._playing.values()):
            rated = playing.result.rated
            self._logger.warning("match interrupted", match=playing.result.match, reason=reason)
            self._memory.remember(playing)
            self._status.matches["adjourned" if rated else "lost"] += 1
            self._end(playing, write=not rated)

    def give_up(self, playing: Playing) -> None:
        """Forget a match whose end we have missed; the archive has it."""
        self._end(playing, write=False)

    def hear_end(self, playing: Playing, message: MatchEnd) -> None:
        """A match is over, or adjourned."""
        result = playing.result
        result.result, result.archive, result.aborted = message.result, message.archive, message.aborted
        if message.left is None:
            self._memory.forget(playing)
            self._conclude(result)
        elif message.archive is None:
            self._logger.info("match lost", match=result.match, left=message.left)
            self._status.matches["lost"] += 1
        else:
            self._logger.info("match adjourned", match=result.match, left=message.left, stored=message.archive)
            self._status.matches["adjourned"] += 1
            self._memory.remember(playing)
        broken_off = message.left is not None and not result.rated
        self._end(playing, write=message.result is not None or broken_off)

    def count(self, ours: float) -> None:
        """A match has ended with this result for us."""
        self._status.matches["win" if ours > 0 else "loss" if ours < 0 else "draw"] += 1

    def _conclude(self, result: MatchResult) -> None:
        """Count and log a match that was not adjourned."""
        if result.result is None:
            self._status.matches["aborted"] += 1
            self._logger.info("match aborted", match=result.match)
            return
        ours = seen_from(result.names[0] == self._seat.me, result.result)
        assert ours is not None  # it has a result
        self.count(ours)
        change = result.changes.get(self._seat.me)
        if change is not None:
            self._status.rating = change.after
        rated_by = None if change is None else round(change.change, 2)
        self._logger.info("match over", match=result.match, result=ours, change=rated_by)

    def _end(self, playing: Playing, write: bool) -> None:
        """Forget a match; its games look at what has come for them, then it is written."""
        if self._playing.get(playing.number) is playing:
            del self._playing[playing.number]
        for task in playing.games.values():
            task.end()
        ending = asyncio.create_task(self._finish(playing, write), name=f"end of {playing.result.match}")
        self._endings.add(ending)
        ending.add_done_callback(self._written)

    def _written(self, ending: asyncio.Task[None]) -> None:
        """A match has been written, or was not by a bug: nobody else asks that task."""
        self._endings.discard(ending)
        if not ending.cancelled() and (error := ending.exception()) is not None:
            self._status.faults += 1
            self._logger.error("a record could not be written", error=error, task=ending.get_name())

    async def _finish(self, playing: Playing, write: bool) -> None:
        await asyncio.gather(*playing.tasks, return_exceptions=True)
        if not write:
            return
        games = [(task.state, task.used_s) for _, task in sorted(playing.games.items())]
        try:
            self._seat.book.write(playing.result, games)
        except OSError as error:
            self._logger.error("a record could not be written", match=playing.result.match, reason=reason_of(error))
