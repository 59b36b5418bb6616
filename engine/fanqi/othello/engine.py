"""Othello's engine: iterations, time, lines and reports around the search kernels."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fanqi.bits import address_of
from fanqi.othello import breakdown
from fanqi.othello import context as ctx
from fanqi.othello.context import HashTable, SearchContext
from fanqi.othello.endgame.search import EXACT
from fanqi.othello.midgame.search import search_root
from fanqi.othello.notation import format_move, parse_move
from fanqi.othello.table import INFINITE as KERNEL_INFINITE
from fanqi.search import Bound, Info, Limits, SearchResult, Settings, allot

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fanqi.othello.board import Position
    from fanqi.search import Budget, Control, EvaluationTerm

__all__ = ["OthelloEngine"]

NO_LIMIT = 1 << 62
INFINITE = int(KERNEL_INFINITE)
NEVER: NDArray[np.int64] = np.zeros(8, np.int64)
"""A stop flag nobody sets."""
SOLVE_EMPTIES = 18
"""With so few empty squares the iterations jump to the end once they are half-way."""
WINDOW = 300
"""Half of the first aspiration window, in hundredths of a disc."""
CERTAINTY = (73, 87, 95, 98, 99, 100)
"""Percent of each certainty level."""

SKILL_DEPTHS = (1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 16)
"""Deepest iteration at each skill level below 20."""
SKILL_LINES = 4
SKILL_MARGIN = 30
"""At skill level S moves up to (20 - S) times this below the best may be chosen, in hundredths of a disc."""


@dataclass(slots=True)
class Line:
    """What is known about one root line."""

    moves: tuple[int, ...]
    score: int = 0
    bound: Bound = Bound.EXACT
    depth: int = 0
    level: int = 0


@dataclass(slots=True)
class Job:
    """One search while it runs."""

    position: Position
    limits: Limits
    control: Control
    on_info: Callable[[Info], None]
    budget: Budget | None
    roots: list[int]
    lines: list[Line] = field(default_factory=list)
    stability: float = 0.0


class OthelloEngine:
    """See `fanqi.search.Engine`."""

    def __init__(self) -> None:
        self._settings = Settings()
        self._table: HashTable | None = None
        self._context = SearchContext()
        self._age = 0

    def configure(self, settings: Settings) -> None:
        if settings.hash_mib != self._settings.hash_mib:
            self._table = None
        self._settings = settings

    def new_game(self) -> None:
        self._table = None

    def evaluate(self, position: Position) -> tuple[int, list[EvaluationTerm]]:
        return breakdown.explain(self._context, position)

    def search(
        self, position: Position, limits: Limits, control: Control, on_info: Callable[[Info], None]
    ) -> SearchResult:
        legal = position.legal_moves()
        if not legal:
            return SearchResult(None)
        wanted = legal if limits.moves is None else tuple(move for move in legal if move in limits.moves)
        settings = self._settings
        expected = max(1.0, position.empties / 2)
        job = Job(
            position,
            limits,
            control,
            on_info,
            allot(limits, settings.move_overhead_ms, expected),
            [parse_move(move) for move in (wanted or legal)],
        )
        job.lines = [Line((move,)) for move in job.roots[: max(1, self._line_count(job))]]
        if job.budget is not None:
            control.limit(job.budget.maximum_ms)
        self._prepare(job)
        self._iterate(job)
        return self._result(job)

    def _line_count(self, job: Job) -> int:
        wanted = self._settings.multipv
        if self._settings.skill_level < 20:
            wanted = max(wanted, SKILL_LINES)
        return min(wanted, len(job.roots))

    def _prepare(self, job: Job) -> None:
        if self._table is None:
            self._table = HashTable(self._settings.hash_mib)
        self._age = (self._age + 1) % 256
        block = self._context.block
        self._context.use_table(self._table)
        block[ctx.STOPPED] = 0
        block[ctx.NODES] = 0
        block[ctx.AGE] = self._age
        block[ctx.FEWEST] = job.position.empties
        block[ctx.LEVEL] = EXACT
        block[ctx.ROOT_COUNT] = len(job.roots)

    def _obey(self, job: Job, *, everything: bool) -> None:
        """Let the kernels see the stop flag and the node limit, or not.

        The first iteration, some microseconds of work, is always finished, so that there is a move with a reason.
        """
        nodes = job.limits.nodes if everything else None
        self._context.block[ctx.NODE_LIMIT] = NO_LIMIT if nodes is None else nodes
        self._context.block[ctx.STOP] = address_of(job.control.flag if everything else NEVER)

    def _depths(self, job: Job) -> list[int]:
        """The iterations to come."""
        empties = job.position.empties
        last = empties
        if job.limits.depth is not None:
            last = max(1, min(last, job.limits.depth))
        if self._settings.skill_level < 20:
            last = max(1, min(last, SKILL_DEPTHS[self._settings.skill_level]))
        depths = list(range(1, last + 1))
        if last == empties and (empties <= SOLVE_EMPTIES or job.limits.solve is not None):
            depths = [depth for depth in depths if depth <= empties // 2] + [empties]
        return depths or [1]

    def _iterate(self, job: Job) -> None:
        for depth in self._depths(job):
            before = job.lines[0].moves[0], job.lines[0].score
            self._obey(job, everything=depth > 1)
            for rank in range(self._line_count(job)):
                if not self._search_line(job, rank, depth):
                    return
            self._settle(job, *before)
            if self._out_of_time(job):
                return

    def _search_line(self, job: Job, rank: int, depth: int) -> bool:
        """Search the root moves from ``rank`` on; False when stopped in the middle."""
        block, own, opp = self._context.block, np.uint64(job.position.own), np.uint64(job.position.opponent)
        alpha, beta, width = -INFINITE, INFINITE, WINDOW
        if depth > 4 and rank < len(job.lines) and job.lines[rank].depth == depth - 1:
            alpha, beta = job.lines[rank].score - width, job.lines[rank].score + width
        while True:
            block[ctx.ROOT_MOVES : ctx.ROOT_MOVES + len(job.roots)] = job.roots
            block[ctx.ROOT_SKIP] = rank
            score = int(search_root(self._context.address, own, opp, alpha, beta, depth))
            stopped = bool(block[ctx.STOPPED])
            line = self._read_line()
            if line and (not stopped or score > alpha):
                bound = Bound.LOWER if score >= beta else Bound.EXACT
                job.roots.remove(line[0])
                job.roots.insert(rank, line[0])
                job.lines[rank : rank + 1] = [Line(line, score, bound, depth, EXACT)]
                self._report(job, rank)
            if stopped:
                return False
            if score <= alpha:
                alpha, width = max(-INFINITE, score - 2 * width), 2 * width
            elif score >= beta:
                beta, width = min(INFINITE, score + 2 * width), 2 * width
            else:
                return True

    def _read_line(self) -> tuple[int, ...]:
        start = ctx.LINES
        length = int(self._context.block[start])
        return tuple(int(move) for move in self._context.block[start + 1 : start + 1 + length])

    def _settle(self, job: Job, move: int, score: int) -> None:
        """Grow or shrink the confidence in the best move after an iteration."""
        best = job.lines[0]
        if best.moves[0] != move or best.score < score - 200:
            job.stability = 0.0
        else:
            job.stability = min(1.0, job.stability + 0.2)

    def _out_of_time(self, job: Job) -> bool:
        """Whether a further iteration should not be begun."""
        if job.control.stopped:
            return True
        if job.budget is None or job.control.pondering or job.limits.infinite:
            return False
        if job.limits.clock is None:
            return False
        if len(job.roots) == 1:
            return True
        return job.control.elapsed_ms() >= 0.6 * job.budget.soft_limit_ms(job.stability)

    def _report(self, job: Job, rank: int) -> None:
        if rank < self._settings.multipv:
            job.on_info(self._info(job, rank))

    def _info(self, job: Job, rank: int) -> Info:
        line = job.lines[rank]
        block = self._context.block
        assert self._table is not None
        solved = line.depth >= job.position.empties and line.level == EXACT
        return Info(
            depth=line.depth,
            seldepth=job.position.empties - int(block[ctx.FEWEST]),
            selectivity=CERTAINTY[line.level],
            multipv=rank + 1,
            score_cp=line.score,
            bound=line.bound,
            wdl=chances(line.score, job.position.empties, solved),
            nodes=int(block[ctx.NODES]),
            hashfull=self._table.permille_used(self._age),
            time_ms=int(job.control.elapsed_ms()),
            pv=tuple(format_move(move) for move in line.moves),
        )

    def _result(self, job: Job) -> SearchResult:
        chosen = self._choose(job)
        lines = [chosen, *(line for line in job.lines if line is not chosen)]
        job.lines = lines
        shown = min(len(lines), max(1, self._settings.multipv))
        infos = tuple(self._info(job, rank) for rank in range(shown))
        ponder = format_move(chosen.moves[1]) if len(chosen.moves) > 1 else None
        return SearchResult(format_move(chosen.moves[0]), ponder, infos)

    def _choose(self, job: Job) -> Line:
        """The best line, or at low skill one not much worse, by lot."""
        skill = self._settings.skill_level
        if skill >= 20:
            return job.lines[0]
        margin = (20 - skill) * SKILL_MARGIN
        near = [line for line in job.lines if line.score >= job.lines[0].score - margin]
        weights = [math.exp((line.score - job.lines[0].score) / max(margin / 2, 1)) for line in near]
        chooser = random.Random(f"{self._settings.seed} {job.position.fen()}")
        return chooser.choices(near, weights)[0]


def chances(score: int, empties: int, solved: bool) -> tuple[int, int, int]:
    """Win, draw and loss per mille for a score in hundredths of a disc.

    A search that is not exact is taken to miss the final result by a normal error of 3 discs at the end of
    the game, growing to 11 with all squares empty.
    """
    if solved:
        return (1000, 0, 0) if score > 0 else (0, 0, 1000) if score < 0 else (0, 1000, 0)
    deviation = 300 + 14 * empties
    win = round(500 * math.erfc((100 - score) / deviation / math.sqrt(2)))
    loss = round(500 * math.erfc((100 + score) / deviation / math.sqrt(2)))
    return win, 1000 - win - loss, loss
