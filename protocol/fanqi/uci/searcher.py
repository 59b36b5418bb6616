"""What happens to a search on its slot: from its turn to its result."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from fanqi.search import SearchResult
from fanqi.uci.answers import Said, format_answer
from fanqi.uci.errors import ProtocolError

if TYPE_CHECKING:
    from fanqi.game import Game
    from fanqi.search import Control, Engine, Info, Limits, Settings
    from fanqi.uci.services import Services
    from fanqi.uci.tasks import Search
    from fanqi.uci.workspace import Workspace

__all__ = ["SearchListener", "Searcher"]


class SearchListener(Protocol):
    """Who searches are made for. Called from their threads."""

    def search_begins(self, search: Search) -> tuple[Control, Limits]:
        """A search has its turn: the handle to it, and what bounds it now that it is known how long it waited."""

    def search_says(self, search: Search, line: str) -> None:
        """A line of thinking."""

    def search_troubled(self, error: Exception) -> None:
        """A search goes on, but not with all that was set (a `ProtocolError`); or a bug ends it without a move."""

    def search_ended(self, search: Search, result: SearchResult) -> None:
        """What a search has found. It is the last that is heard of it."""


class Searcher:
    """Carries out the searches of one session, one at a time.

    Args:
        listener: hears of them.
        workspace: has the engine, and the words for what it says.
        services: where searches run, and who is told of bugs.
        max_seconds: after so long any search is ended, whatever its limits; None for no limit.
    """

    def __init__(
        self, listener: SearchListener, workspace: Workspace, services: Services, max_seconds: float | None
    ) -> None:
        self._listener, self._workspace, self._services = listener, workspace, services
        self._max_seconds = max_seconds

    def submit(self, search: Search, game: Game, settings: Settings) -> None:
        """Search as soon as a slot is free, with an engine for ``game`` that is set up so."""
        search.ticket = self._services.executor.submit(lambda: self._run(search, game, settings))

    def _run(self, search: Search, game: Game, settings: Settings) -> None:
        mind = self._workspace.mind
        with suppress(Exception):  # what fails here fails again below, and is told there
            mind.engine(game, settings)  # a first engine takes its time, which is not the search's
        control, limits = self._listener.search_begins(search)
        cap = self._cap(search, control)

        def think(engine: Engine) -> SearchResult:
            return engine.search(search.position, limits, control, lambda info: self._report(search, info))

        try:
            mind.engine(game, settings)
            if mind.granted_mib < mind.wanted_mib:
                self._say(search, f"Hash is {mind.granted_mib} MiB here, not {mind.wanted_mib}: others use the rest")
            result = mind.use(game, settings, think)
            self._tell_shortage()
        except Exception as error:
            self._services.fault(error)
            self._listener.search_troubled(error)
            result = SearchResult(None)
        finally:
            control.close()
            if cap is not None:
                cap.cancel()
        if result.move is not None and result.move not in search.allowed:
            legal = " ".join(search.allowed)
            self._services.fault(RuntimeError(f"the engine chose {result.move}, legal are {legal}"))
        self._listener.search_ended(search, result)

    def _cap(self, search: Search, control: Control) -> threading.Timer | None:
        """What ends the search when it has taken the longest that any may, on its own or the opponent's time."""
        seconds = self._max_seconds
        if seconds is None:
            return None

        def end() -> None:
            self._say(search, f"no search goes on for more than {seconds:g} s here")
            control.stop()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        return timer

    def _report(self, search: Search, info: Info) -> None:
        """One report of the running search."""
        self._tell_shortage()
        if info.text is not None:
            self._say(search, info.text)
        if info.text is None or info.pv or info.score_cp is not None:
            self._listener.search_says(search, self._workspace.notation.info_line(search.position, info))
            search.reported = True

    def _tell_shortage(self) -> None:
        """Tell of memory that the search could not have; it is known when it first reports, or ends."""
        shortage = self._workspace.mind.take_shortage()
        if shortage is not None:
            self._listener.search_troubled(ProtocolError(shortage, 1, "go"))

    def _say(self, search: Search, text: str) -> None:
        """Something for people."""
        self._listener.search_says(search, format_answer(Said(text)))
