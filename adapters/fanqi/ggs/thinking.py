"""Searches for the games in progress, on threads, so that the connection is always attended to.

Every game has a mind of its own: an engine with its table. Searches share a number of slots and get them in order; a
search on the opponent's time only takes a slot that nobody wants, and gives it back as soon as somebody does.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fanqi.search import Control, Settings
from fanqi.search.memory import TableMemoryError, next_smaller
from fanqi.uci import SearchPool

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Game
    from fanqi.search import Engine, Info, Limits, SearchResult

__all__ = ["Mind", "Search", "Thinker", "Thought"]


@dataclass(frozen=True, slots=True)
class Thought:
    """What a search came to.

    Attributes:
        move: canonical.
        score: in discs from the mover's view, or None.
        reply: what the opponent is expected to answer.
        depth, nodes: of the last iteration.
        seconds: how long it took.
    """

    move: str
    score: float | None = None
    reply: str | None = None
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0


def thought_of(result: SearchResult, seconds: float) -> Thought | None:
    """A search result as a thought; None when the game was over."""
    if result.move is None:
        return None
    best = result.infos[0] if result.infos else None
    if best is None:
        return Thought(result.move, reply=result.ponder, seconds=seconds)
    score = None if best.score_cp is None else best.score_cp / 100
    return Thought(result.move, score, result.ponder, best.depth, best.nodes, seconds)


class Search:
    """One search, from its submission to its end.

    Args:
        limits: makes them when the search gets its slot.
        pondering: on the opponent's time.
    """

    def __init__(self, mind: Mind, position: Any, limits: Callable[[], Limits], pondering: bool) -> None:
        self.pondering = pondering
        self._mind, self._position, self._limits = mind, position, limits
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[Thought | None] = self._loop.create_future()
        self._lock = threading.Lock()
        self._control: Control | None = None
        self._stopped = False

    @property
    def done(self) -> bool:
        return self._future.done()

    @property
    def cut_short(self) -> bool:
        """Whether it was ended before it had come to what it wanted."""
        return self._stopped

    def stop(self) -> None:
        """End it as soon as can be; it still comes to something."""
        with self._lock:
            self._stopped = True
            if self._control is not None:
                self._control.stop()

    def hit(self) -> None:
        """The opponent played what was expected: from now on it is our time."""
        with self._lock:
            self.pondering = False
            if self._control is not None:
                self._control.ponderhit()

    async def result(self) -> Thought | None:
        """What it came to.

        Raises:
            Exception: whatever the engine raised.
        """
        return await asyncio.shield(self._future)

    def run(self) -> None:
        """The search itself; on a thread."""
        control = Control(pondering=self.pondering)
        with self._lock:
            self._control = control
            if self._stopped:
                control.stop()
            if not self.pondering:
                control.ponderhit()
        started = time.monotonic()
        try:
            result = self._mind.search(self._position, self._limits(), control)
        except Exception as error:
            self._tell(None, error)
        else:
            self._tell(thought_of(result, time.monotonic() - started), None)
        finally:
            control.close()

    def _tell(self, thought: Thought | None, error: Exception | None) -> None:
        def settle() -> None:
            if self._future.done():
                return
            if error is not None:
                self._future.set_exception(error)
                self._future.exception()  # it is looked at, or nobody waits any more
            else:
                self._future.set_result(thought)

        with contextlib.suppress(RuntimeError):  # the loop is closed: the process is ending
            self._loop.call_soon_threadsafe(settle)


def ignore_info(info: Info) -> None:
    """Nobody watches."""


class Mind:
    """An engine for one game."""

    def __init__(self, thinker: Thinker, engine: Engine) -> None:
        self._thinker = thinker
        self.engine = engine
        self._settings = Settings()
        self._most_mib: int | None = None  # the machine has turned out to have no more for the table
        self._shortage = ""
        self._last: Search | None = None

    def configure(self, settings: Settings) -> None:
        if self._most_mib is not None:
            settings = replace(settings, hash_mib=min(settings.hash_mib, self._most_mib))
        self._settings = settings
        self.engine.configure(settings)

    def search(self, position: Any, limits: Limits, control: Control) -> SearchResult:
        """Search, on a thread, with the largest table there is memory for: nobody is there who could choose another.

        Raises:
            TableMemoryError: there is none even for the smallest.
        """
        while True:
            try:
                return self.engine.search(position, limits, control, ignore_info)
            except TableMemoryError as error:
                smaller = next_smaller(self._settings.hash_mib)
                if not smaller:
                    raise
                self._shortage = self._shortage or str(error)
                self._most_mib = smaller
                self.configure(self._settings)

    def take_shortage(self) -> str:
        """What there is to tell, once, about memory that could not be had; between searches."""
        text, self._shortage = self._shortage, ""
        return f"{text}; it has {self._most_mib} MiB now" if text else ""

    async def settle(self) -> None:
        """End the last search, if there is one."""
        last = self._last
        if last is not None:
            self._last = None
            last.stop()
            try:
                await last.result()
            except Exception:
                return  # who wanted its result has been told

    async def think(self, position: Any, limits: Callable[[], Limits]) -> Search:
        """Search for our move."""
        await self.settle()
        self._last = self._thinker.submit(Search(self, position, limits, pondering=False))
        return self._last

    async def ponder(self, position: Any, limits: Callable[[], Limits]) -> Search | None:
        """Search on the opponent's time, if a slot is free."""
        await self.settle()
        search = Search(self, position, limits, pondering=True)
        if not self._thinker.submit_if_free(search):
            return None
        self._last = search
        return search


class Thinker:
    """All minds, and the slots that they share.

    Args:
        game: what is played; hands out engines.
        slots: searches at a time.
    """

    def __init__(self, game: Game, slots: int) -> None:
        self.game = game
        self.slots = slots
        self._pool = SearchPool(slots)
        self._submitted: set[Search] = set()
        self._free: list[Engine] = []

    async def prepare(self, settings: Settings) -> None:
        """Load or compile the kernels, and make an engine ready that is set up so; on a thread."""
        self._free.append(await asyncio.get_running_loop().run_in_executor(None, self._ready_engine, settings))

    def _ready_engine(self, settings: Settings) -> Engine:
        self.game.prepare()
        engine = self.game.engine()
        engine.configure(settings)
        with contextlib.suppress(TableMemoryError):  # the first search tells, and takes a smaller one
            engine.reserve()
        return engine

    def mind(self) -> Mind:
        """A mind for a new game."""
        engine = self._free.pop() if self._free else self.game.engine()
        engine.new_game()
        return Mind(self, engine)

    async def release(self, mind: Mind) -> None:
        """A game is over; its engine may serve the next."""
        await mind.settle()
        if len(self._free) < 2 * self.slots:
            self._free.append(mind.engine)

    def submit(self, search: Search) -> Search:
        """A search for a move; pondering makes room for it."""
        if len(self._running()) >= self.slots:
            for other in self._submitted:
                if other.pondering:
                    other.stop()
        self._start(search)
        return search

    def submit_if_free(self, search: Search) -> bool:
        """A search on the opponent's time; False when every slot is taken."""
        if len(self._running()) >= self.slots:
            return False
        self._start(search)
        return True

    def _start(self, search: Search) -> None:
        self._submitted.add(search)
        self._pool.submit(search.run)

    def _running(self) -> set[Search]:
        """Searches that have a slot or wait for one."""
        self._submitted = {search for search in self._submitted if not search.done}
        return self._submitted
