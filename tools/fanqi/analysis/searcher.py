"""The engines of a process and the one search that runs in it, which another thread may end."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.game import load_game
from fanqi.search import Control

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Position
    from fanqi.search import Engine, Info, Limits, SearchResult, Settings

__all__ = ["Searcher", "Stopped", "refined"]


class Stopped(Exception):  # noqa: N818 - not an error
    """The work was told to end."""


class Searcher:
    """Searches, one after another, on one thread; `stop` may come from any other.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._engines: dict[str, Engine] = {}
        self._control: Control | None = None
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether the work was told to end."""
        return self._stopped

    def resume(self) -> None:
        """New work begins: an earlier `stop` was not meant for it."""
        self._stopped = False

    def stop(self) -> None:
        """End the running search, and refuse every later one until `resume`."""
        self._stopped = True
        control = self._control
        if control is not None:
            control.stop()

    def engine(self, game: str) -> Engine:
        """The engine of a game, with whatever it remembers.

        Raises:
            KeyError: there is no such game.
        """
        if game not in self._engines:
            self._engines[game] = load_game(game).engine()
        return self._engines[game]

    def search(
        self,
        game: str,
        position: Position,
        limits: Limits,
        settings: Settings,
        on_info: Callable[[Info], None] = lambda info: None,
        *,
        fresh: bool = False,
    ) -> SearchResult:
        """Search one position.

        Args:
            fresh: forget what earlier searches left in memory, so that the result depends on nothing else.

        Raises:
            Stopped: before it was done; nothing of it can be used.
        """
        engine = self.engine(game)
        engine.configure(settings)
        if fresh:
            engine.new_game()
        control = self._control = Control(clock=self._clock)
        try:
            if self._stopped:
                raise Stopped
            result = engine.search(position, limits, control, on_info)
        finally:
            self._control = None
            control.close()
        if self._stopped:
            raise Stopped
        return result


def refined(limits: Limits, moves: tuple[str, ...] | None, deeper: int) -> Limits:
    """The limits of a search of ``moves`` alone (None: of all), so many plies deeper if depth is limited."""
    depth = None if limits.depth is None else limits.depth + deeper
    return replace(limits, depth=depth, moves=moves)
