"""One game: what the service shows of it, what we answer, what is kept of it.

A game has one task. The connection hands it messages; it hands back commands. It always plays from the last board and
the last clock that it was shown, so it does not matter whether it saw the beginning, an undo, or a resumed game.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fanqi.game import GameError
from fanqi.ggs.clocks import deadline_s, limits_for
from fanqi.ggs.thinking import Mind, Search, Thinker, Thought
from fanqi.ggs_wire import ClockState, GameId, Join, Move, PlayerLine, Timeout, Update
from fanqi.search import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.ggs.config import Config
    from fanqi.ggs_wire import Diagram, GameType
    from fanqi.logs import Logger

__all__ = ["GameState", "GameTask", "took_back_ours"]

STOP_EARLY_S = 0.2
LAST_RESORT_S = 1.0
UNDO_S = 20.0
UNDO_SHARE = 0.1


@dataclass(slots=True)
class GameState:
    """What is known of a game.

    Attributes:
        start: the board before the first move.
        moves: by their numbers from 1.
        thoughts: ours, by the numbers of the moves.
        clocks: the clocks as given, by player.
        flagged: players whose soft flag fell; ``lost_on_time`` those whose hard one did.
    """

    id: GameId
    type: GameType
    me: str
    players: tuple[PlayerLine, PlayerLine] | None = None
    start: Diagram | None = None
    board: Diagram | None = None
    komi: float | None = None
    number: int = 0
    moves: dict[int, Move] = field(default_factory=dict)
    thoughts: dict[int, Thought] = field(default_factory=dict)
    clocks: dict[str, str] = field(default_factory=dict)
    flagged: set[str] = field(default_factory=set)
    lost_on_time: set[str] = field(default_factory=set)

    def take(self, message: Join | Update) -> None:
        """Take over what a board message says."""
        self.komi, self.number, self.board = message.komi, message.number, message.board
        self.players = message.players
        if isinstance(message, Join):
            self.start = message.start or message.board
            self.moves = dict(enumerate(message.moves, 1))
            self.thoughts = {number: each for number, each in self.thoughts.items() if number <= message.number}
            for player in message.settings or ():
                self.clocks[player.name] = str(player.clock)
        else:
            self.moves[message.number] = message.move

    @property
    def colour(self) -> str:
        """Ours: ``*``, ``O``, or ``?`` before a komi is settled."""
        mine = self.line(self.me)
        return "?" if mine is None else mine.colour

    def line(self, name: str) -> PlayerLine | None:
        """What is shown above the board of a player."""
        return next((player for player in self.players or () if player.name == name), None)

    @property
    def bidding(self) -> bool:
        """Whether our first move of a komi game, with a bid, is wanted."""
        return self.type.komi and self.colour == "?" and self.number == 0

    @property
    def my_turn(self) -> bool:
        return self.board is not None and (self.bidding or self.board.turn == self.colour)

    @property
    def my_clock(self) -> ClockState | None:
        mine = self.line(self.me)
        return mine.clock if mine is not None and isinstance(mine.clock, ClockState) else None


def took_back_ours(message: Join | Update, before: int, me: str) -> bool:
    """Whether a board is that of an undo which took back our move, and the opponent's move can be taken back too.

    Args:
        before: number of moves on the board that was shown before.
    """
    first = 2 if message.type.komi else 1  # bids are not taken back
    ours = any(line.name == me and line.colour == message.board.turn for line in message.players)
    return isinstance(message, Join) and first <= message.number < before and ours


class GameTask:
    """Plays a game.

    Args:
        state: of the game, to be kept up to date here.
        config: how to play.
        thinker: where minds come from.
        send: takes a command for the service.
        share: matches for each search at a time.
        logger: for events of this game.
        fault: told when the engine failed.
    """

    def __init__(
        self,
        state: GameState,
        config: Config,
        thinker: Thinker,
        send: Callable[[str], None],
        share: Callable[[], float],
        logger: Logger,
        fault: Callable[[str], None],
    ) -> None:
        self.state = state
        self._config, self._thinker, self._send, self._share = config, thinker, send, share
        self._logger, self._fault = logger, fault
        self._loop = asyncio.get_running_loop()
        self._inbox: asyncio.Queue[tuple[Join | Update | Timeout | None, float]] = asyncio.Queue()
        self._mind: Mind | None = None
        self._thinking: asyncio.Task[None] | None = None
        self._ponder: Search | None = None
        self._expected: str | None = None  # the cells of the board that is pondered
        self._answered = -1  # the number of the position that we have answered
        self._hopeless = 0
        self.used_s = 0.0

    def tell(self, message: Join | Update | Timeout) -> None:
        """Something about this game; from the connection."""
        self._inbox.put_nowait((message, self._loop.time()))

    def end(self) -> None:
        """The game is over, or shown no more: `run` returns once it has looked at all that came before."""
        self._inbox.put_nowait((None, self._loop.time()))

    @property
    def waiting(self) -> int:
        """Messages not looked at yet."""
        return self._inbox.qsize()

    async def run(self) -> None:
        """Play until `end`, or until cancelled."""
        self._mind = self._thinker.mind()
        try:
            while True:
                message, came = await self._inbox.get()
                if message is None:
                    return
                if isinstance(message, Timeout):
                    self._hear_flag(message)
                else:
                    await self._look(message, came)
        finally:
            await self._drop_thinking()
            if self._mind is not None:
                await self._thinker.release(self._mind)

    def _hear_flag(self, message: Timeout) -> None:
        self.state.flagged.add(message.player)
        if message.fatal:
            self.state.lost_on_time.add(message.player)
        if message.player == self.state.me:
            self._logger.warning("our flag fell", fatal=message.fatal)

    async def _look(self, message: Join | Update, came: float) -> None:
        """A new position: think, ponder, or wait."""
        before = self.state.number
        undone = took_back_ours(message, before, self.state.me)
        self.state.take(message)
        if isinstance(message, Join):
            self._answered = -1
        elif message.number <= before and self._answered >= message.number:
            return  # an echo that comes twice
        if not self.state.my_turn:
            await self._drop_thinking()
            await self._start_pondering()
            return
        if self._answered == self.state.number:
            return
        hit = await self._meet_expectation()
        await self._drop_thinking()
        self._thinking = asyncio.create_task(self._answer(came, hit, undone), name=f"answer {self.state.id}")

    async def _meet_expectation(self) -> Search | None:
        """The search on the opponent's time, if he has played what it expected; else it is ended."""
        search, self._ponder = self._ponder, None
        board = self.state.board
        if search is None or board is None:
            return None
        if board.cells == self._expected and not search.cut_short:
            search.hit()
            return search
        search.stop()
        return None

    async def _drop_thinking(self) -> None:
        thinking, self._thinking = self._thinking, None
        if thinking is not None and not thinking.done():
            thinking.cancel()
            await asyncio.gather(thinking, return_exceptions=True)

    # --- our move

    def _position(self) -> Any:
        """The last board as a position of our rules."""
        board = self.state.board
        assert board is not None
        return self._thinker.game.parse(f"{board.cells} {board.turn}")

    def _settings(self) -> Settings:
        engine = self._config.engine
        return Settings(
            hash_mib=engine.hash_mib,
            threads=engine.threads,
            skill_level=engine.skill_level,
            limit_strength=engine.elo > 0,
            elo=engine.elo,
            preset=engine.preset,
            contempt=engine.contempt,
            objective="fewest" if self.state.type.anti else "most",
            draw_line=self.state.komi or 0.0,
            own_book=engine.book,
            book_path=engine.book_file,
            book_variety=engine.book_variety,
            seed=zlib.crc32(str(self.state.id).encode()) >> 1,  # every game draws its own lots
        )

    async def _answer(self, came: float, hit: Search | None, undone: bool) -> None:
        """Find our move and send it; if ``undone``, leave the opponent time to take back another move before that."""
        number = self.state.number
        try:
            position = self._position()
        except GameError as error:
            self._fault(f"a board that cannot be: {error}")
            return
        legal = position.legal_moves()
        if not legal:
            return  # the game is over, the service says so next
        if legal == ("pass",):
            thought: Thought | None = Thought("pass")
        elif hit is not None:
            thought = await self._await(hit, came, legal)
        else:
            thought = await self._search(position, came, legal)
        if thought is None or self.state.number != number:
            return
        if thought.move not in legal:
            self._fault(f"the engine chose {thought.move}, which is not legal")
            thought = Thought(legal[0])
        if undone and (clock := self.state.my_clock) is not None:
            wait_s = min(UNDO_S, UNDO_SHARE * clock.left.seconds)
            await asyncio.sleep(came + wait_s - self._loop.time())
        self._play(thought, came)

    async def _search(self, position: Any, came: float, legal: tuple[str, ...]) -> Thought | None:
        assert self._mind is not None
        clock = self.state.my_clock
        engine = self._config.engine
        await self._mind.settle()
        try:
            self._mind.configure(self._settings())
        except Exception as error:  # a bug: the clock runs all the same
            self._fault(f"the engine failed: {error!r}")
            return Thought(legal[0])

        came_at = time.monotonic() - (self._loop.time() - came)  # threads cannot ask the loop for the time

        def limits() -> Limits:
            if len(legal) == 1 and not self.state.bidding:
                return Limits(depth=4)  # for the evaluation, and to have something to ponder
            if clock is None:
                return Limits(movetime_ms=1000)
            waited = time.monotonic() - came_at
            return limits_for(clock, waited, self._share(), engine.overhead_s, engine.move_time_s)

        mind = self._mind
        search = await mind.think(position, limits)
        thought = await self._await(search, came, legal)
        if search.done and (shortage := mind.take_shortage()):
            self._logger.warning("a smaller table", reason=shortage)
        return thought

    async def _await(self, search: Search, came: float, legal: tuple[str, ...]) -> Thought | None:
        """The result of a search, in time whatever happens."""
        clock = self.state.my_clock
        deadline = 10.0 if clock is None else deadline_s(clock, self._config.engine.overhead_s)
        try:
            async with asyncio.timeout_at(came + deadline - STOP_EARLY_S):
                return await search.result()
        except TimeoutError:
            search.stop()
        except Exception as error:
            self._fault(f"the engine failed: {error!r}")
            return Thought(legal[0])
        try:
            async with asyncio.timeout(LAST_RESORT_S):
                return await search.result()
        except TimeoutError:
            self._fault("the engine does not stop")
            assert self._mind is not None
            self._mind = self._thinker.mind()
        except Exception as error:
            self._fault(f"the engine failed: {error!r}")
        return Thought(legal[0])

    def _play(self, thought: Thought, came: float) -> None:
        """Send a move with what we think of it and the time it took."""
        seconds = self._loop.time() - came
        self.used_s += seconds
        square = "pa" if thought.move == "pass" else thought.move
        score = min(max(thought.score or 0.0, -999.0), 999.0)
        self._answered = self.state.number
        self.state.thoughts[self.state.number + 1] = thought
        if self._gives_up(thought):
            self._send(f"resign .{self.state.id.match}")
            return
        self._send(f"play {self.state.id} {square}/{score:z.2f}/{seconds:.2f}")

    def _gives_up(self, thought: Thought) -> bool:
        """Whether to resign; never in a synchro game, where both games would be lost."""
        offers = self._config.offers
        if thought.score is not None:
            self._hopeless = self._hopeless + 1 if thought.score <= -offers.resign_discs else 0
        return offers.resign and not self.state.type.synchro and self._hopeless >= offers.resign_moves

    # --- the opponent's time

    async def _start_pondering(self) -> None:
        """Think about the reply that we expect."""
        last = self.state.thoughts.get(self.state.number)
        clock = self.state.my_clock
        if not self._config.engine.ponder or last is None or last.reply is None or clock is None:
            return
        try:
            position = self._position().play(last.reply)
        except GameError:
            return
        if len(position.legal_moves()) < 2:
            return
        engine = self._config.engine

        def limits() -> Limits:
            found = limits_for(clock, 0.0, self._share(), engine.overhead_s, engine.move_time_s)
            return Limits(clock=found.clock, movetime_ms=found.movetime_ms, ponder=True)

        assert self._mind is not None
        self._expected = position.fen().split()[0].replace("X", "*")
        self._ponder = await self._mind.ponder(position, limits)
