"""What a running job has at hand: engines that outlive it, its share of the machine, a way to be stopped."""

from __future__ import annotations

import time
from collections.abc import Callable

from fanqi.analysis.searcher import Searcher, Stopped, refined
from fanqi.game import GAME_NAMES, Game, GameError, Position, load_game, quoted
from fanqi.mqtt.work import Line, PositionSpec, SearchLimits
from fanqi.search import Info, Limits, SearchResult, Settings, Solve

__all__ = ["Context", "JobError", "Stopped", "line_of"]

REPORT_EVERY_S = 0.5


class JobError(Exception):
    """A job that cannot be done, on any worker; the text says what about it is wrong."""


class Context:
    """One process's engines, and the job that runs in it now. Used by the job's thread; `stop` may come from another.

    Args:
        report: takes (positions done, positions in all, nodes, nodes a second, last line), a few times a second.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        report: Callable[[int, int, int, int, Line | None], None] = lambda done, total, nodes, nps, line: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threads = 1
        self.hash_mib = 16
        self.nodes = 0
        self._report = report
        self._clock = clock
        self._searcher = Searcher(clock)
        self._on_stop: Callable[[], object] | None = None
        self._done = self._total = 0
        self._report_at = 0.0
        self._begun = clock()

    def begin(self, threads: int, hash_mib: int) -> None:
        """A new job starts, with its share of the machine."""
        self.threads, self.hash_mib = threads, hash_mib
        self.nodes = self._done = self._total = 0
        self._searcher.resume()
        self._begun = self._clock()
        self._report_at = self._begun + REPORT_EVERY_S

    def stop(self) -> None:
        """End the running job at its next step."""
        on_stop = self._on_stop
        self._searcher.stop()
        if on_stop is not None:
            on_stop()

    def when_stopped(self, action: Callable[[], object] | None) -> None:
        """Have ``action`` called by `stop` as well, on whatever thread that is; None: no more."""
        self._on_stop = action
        if action is not None and self._searcher.stopped:
            action()

    def step(self, done: int, total: int) -> None:
        """So many of so many parts of the job are done.

        Raises:
            Stopped: it is to end.
        """
        self._done, self._total = done, total
        if self._searcher.stopped:
            raise Stopped
        self._tell(0, None)

    def game(self, name: str) -> Game:
        """A game by name.

        Raises:
            JobError: there is none.
        """
        if name not in GAME_NAMES:
            raise JobError(f"{quoted(name)} is not a game; there are {', '.join(GAME_NAMES)}")
        return load_game(name)

    def start_of(self, spec: PositionSpec) -> Position:
        """The position that ``spec``'s moves start from.

        Raises:
            JobError: it cannot be, or its rule parameters cannot.
        """
        game = self.game(spec.game)
        try:
            return game.parse(spec.fen, spec.rules) if spec.fen else game.start(spec.rules)
        except GameError as error:
            raise JobError(f"position {error}") from None

    def search(
        self,
        position: Position,
        game: str,
        limits: SearchLimits,
        *,
        multipv: int = 1,
        moves: tuple[str, ...] | None = None,
        deeper: int = 0,
        fresh: bool = True,
    ) -> SearchResult:
        """Search with the engine of this process.

        Args:
            fresh: forget what earlier searches left in its memory, so that the result depends on nothing but the job.
            moves: only these at the root.
            deeper: plies to add to a limit of depth, if there is one.

        Raises:
            JobError: no limit is set, or the engine cannot search like that.
            Stopped: the job is to end.
        """
        self.game(game)
        settings = Settings(hash_mib=self.hash_mib, threads=self.threads, multipv=multipv, move_overhead_ms=0)
        bounds = refined(limits_of(limits), moves, deeper)
        result = self._searcher.search(game, position, bounds, settings, self._on_info, fresh=fresh)
        self.nodes += max((info.nodes for info in result.infos), default=0)
        return result

    def _on_info(self, info: Info) -> None:
        if info.text is None and info.multipv == 1:
            self._tell(info.nodes, line_of(info))

    def _tell(self, more_nodes: int, line: Line | None) -> None:
        now = self._clock()
        if now >= self._report_at:
            self._report_at = now + REPORT_EVERY_S
            nodes = self.nodes + more_nodes
            self._report(self._done, self._total, nodes, int(nodes / max(now - self._begun, 1e-3)), line)


def limits_of(limits: SearchLimits) -> Limits:
    """Limits as the engine takes them.

    Raises:
        JobError: there is none.
    """
    if limits == SearchLimits():
        raise JobError("a search without any limit would never end")
    return Limits(
        depth=limits.depth,
        nodes=limits.nodes,
        movetime_ms=limits.movetime_ms,
        solve=None if limits.solve is None else Solve(limits.solve),
    )


def line_of(info: Info) -> Line:
    """A line of thinking as it goes over the wire."""
    return Line(
        depth=info.depth,
        seldepth=info.seldepth,
        selectivity=info.selectivity,
        multipv=info.multipv,
        score_cp=info.score_cp,
        bound=info.bound.value,
        wdl=info.wdl,
        nodes=info.nodes,
        time_ms=info.time_ms,
        pv=info.pv,
    )
