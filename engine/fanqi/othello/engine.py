"""Othello's engine: iterations, time, lines and reports around the search kernels."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fanqi.game import Player
from fanqi.othello import breakdown
from fanqi.othello import context as ctx
from fanqi.othello.certainty import final_deviation
from fanqi.othello.chances import chances
from fanqi.othello.context import HashTable
from fanqi.othello.crew import Crew
from fanqi.othello.features import CORNERS
from fanqi.othello.ladder import LADDER
from fanqi.othello.levels import EXACT, LEVELS, deviation_factor, level_of
from fanqi.othello.lookup import best_known
from fanqi.othello.midgame.wipeout import FEW_DISCS, wiped_out_by
from fanqi.othello.notation import PASS, format_move, parse_move
from fanqi.othello.opening import Opening
from fanqi.othello.reversi import ReversiPosition
from fanqi.othello.reversi.placing import judge_placements
from fanqi.othello.schedule import Iteration, schedule
from fanqi.othello.table import INFINITE as KERNEL_INFINITE
from fanqi.search import Bound, Info, SearchResult, Settings, Solve, allot
from fanqi.search.memory import take_table
from fanqi.strength import handicap_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.othello.board import Position
    from fanqi.search import Budget, Control, EvaluationTerm, Limits
    from fanqi.strength import Handicap

__all__ = ["OthelloEngine"]

INFINITE = int(KERNEL_INFINITE)
WINDOW = 150
"""Half of the first aspiration window before the end is in sight, in hundredths of a disc."""
FULL_WINDOW_DEPTH = 3
"""Iterations this shallow are searched without aspiration."""
MAX_CONTEMPT = 199
"""More would make a draw worse than losing by two."""

WIPEOUT_PLIES = 8
"""A side with at most `FEW_DISCS` plays no move that loses them all within so many plies where another is legal."""
PROOF_POSITIONS = 200_000
"""At most so many are visited to prove that; 52,191, 3 ms, were the most in 2,500 positions of random games."""

QUICK_EMPTIES = 14
"""With so few empty squares the game is solved in some milliseconds."""


@dataclass(slots=True)
class Line:
    """What is known about one root line."""

    moves: tuple[int, ...]
    score: int
    bound: Bound
    iteration: Iteration


@dataclass(slots=True)
class Job:
    """One search while it runs.

    Attributes:
        roots: moves, best first.
        lines: found so far, best first; shorter than wanted until the first iteration is done.
        wanted: how many lines.
        draw_line: from the view of the side to move.
        fewest: whether fewer discs win.
        dice: of the choices made on purpose below full strength.
        handicap: of a player below full strength.
        stability: 0 to 1, how long the best move has held.
    """

    position: Position
    limits: Limits
    control: Control
    on_info: Callable[[Info], None]
    budget: Budget | None
    roots: list[int]
    wanted: int
    draw_line: float
    fewest: bool
    dice: random.Random
    handicap: Handicap | None
    lines: list[Line] = field(default_factory=list)
    stability: float = 0.0


class OthelloEngine:
    """See `fanqi.search.Engine`.

    With `Settings.objective` ``fewest`` scores are of anti-Othello: the final disc difference of the
    opponent. Old Reversi (`ReversiPosition`) has its own search on one thread, and no opening book.
    """

    def __init__(self) -> None:
        self._settings = Settings()
        self._table: HashTable | None = None
        self._crew = Crew()
        self._age = 0
        self._rules = ""  # of the last search
        self._opening = Opening()

    def configure(self, settings: Settings) -> None:
        old, self._settings = self._settings, settings
        if settings.hash_mib != old.hash_mib:
            self._table = None
        same = ("objective", "contempt", "draw_line")
        if any(getattr(settings, name) != getattr(old, name) for name in same):
            self.new_game()  # scores in the table would mean something else
        self._crew.resize(settings.threads)

    def new_game(self) -> None:
        if self._table is not None:
            self._table.clear()
        self._crew.forget()
        self._opening.new_game()

    def reserve(self) -> None:
        if self._table is None:
            self._take_table().clear()  # which has the operating system hand over every page
        self._opening.load(self._settings)

    def _take_table(self) -> HashTable:
        """The table, taken if there is none."""
        if self._table is None:
            self._table = take_table(self._settings.hash_mib, HashTable)
        return self._table

    def evaluate(self, position: Position) -> tuple[int, list[EvaluationTerm]]:
        self._crew.leader.block[ctx.OBJECTIVE] = self._settings.objective == "fewest"
        return breakdown.explain(self._crew.leader, position)

    def search(
        self, position: Position, limits: Limits, control: Control, on_info: Callable[[Info], None]
    ) -> SearchResult:
        legal = position.legal_moves()
        if not legal:
            return SearchResult(None)
        settings = self._settings
        chosen = legal if limits.moves is None else tuple(move for move in legal if move in limits.moves)
        roots = [parse_move(move) for move in chosen or legal]
        dice = random.Random(f"{settings.seed} {position.fen()}")
        handicap = handicap_for(settings, limits, "othello", LADDER, dice)
        if handicap is None and not isinstance(position, ReversiPosition):
            known = self._opening.answer(position, limits, settings, control, on_info)
            if known is not None:
                return known
        lines = settings.multipv
        if handicap is not None:
            limits = handicap.bound(limits, max(1, position.empties))
            lines = max(lines, handicap.lines)
        line = settings.draw_line if position.turn is Player.P1 else -settings.draw_line
        fewest = settings.objective == "fewest"
        job = Job(
            position,
            limits,
            control,
            on_info,
            allot(limits, settings.move_overhead_ms, moves_to_think(position.empties)),
            roots,
            min(lines, len(roots)),
            -line if fewest else line,
            fewest,
            dice,
            handicap,
        )
        if job.budget is not None:
            control.limit(job.budget.maximum_ms)
        self._prepare(job)
        self._iterate(job)
        return self._result(job)

    def _prepare(self, job: Job) -> None:
        table = self._take_table()
        rules = str(job.position.rules) if isinstance(job.position, ReversiPosition) else ""
        if rules != self._rules:  # searches of Othello also serve old Reversi, and solve other games then
            table.clear()
            self._crew.forget()
            self._rules = rules
        self._age = (self._age + 1) % 256
        self._crew.start(table, self._age, job.position.empties)
        block, settings = self._crew.leader.block, self._settings
        block[ctx.OBJECTIVE] = settings.objective == "fewest"
        even = job.draw_line % 2 == 0
        block[ctx.DRAW_LINE] = int(job.draw_line) if even and settings.contempt else ctx.NO_DRAW
        block[ctx.CONTEMPT] = max(-MAX_CONTEMPT, min(MAX_CONTEMPT, settings.contempt))
        block[ctx.ROOT_COUNT] = len(job.roots)
        doomed = self._find_doomed(job)
        block[ctx.DOOMED : ctx.DOOMED + 1].view(np.uint64)[0] = sum(1 << move for move in doomed)
        job.roots.sort(key=lambda move: -doomed.get(move, WIPEOUT_PLIES + 1))  # the longest way to lose is the best

    def _find_doomed(self, job: Job) -> dict[int, int]:
        """The root moves that lose all discs by force, and within how many plies; at full strength and in Othello only.

        The proof visits at most `PROOF_POSITIONS`, which are not counted as nodes: it takes milliseconds, and is there
        for searches that stop before they would see as much.
        """
        own, opponent = job.position.own, job.position.opponent
        doomed: dict[int, int] = {}
        left = [move for move in job.roots if move != PASS]
        if job.fewest or job.handicap is not None or isinstance(job.position, ReversiPosition):
            return doomed
        if own.bit_count() > FEW_DISCS or own & int(CORNERS):
            return doomed
        leader = self._crew.leader
        leader.block[ctx.PROOF_LEFT] = PROOF_POSITIONS
        for plies in range(2, WIPEOUT_PLIES + 1, 2):
            moves = np.uint64(sum(1 << move for move in left))
            found = int(wiped_out_by(leader.address, np.uint64(own), np.uint64(opponent), moves, plies))
            doomed.update((move, plies) for move in left if found >> move & 1)
            left = [move for move in left if move not in doomed]
        return doomed

    def _schedule(self, job: Job) -> list[Iteration]:
        certainty = job.limits.certainty
        level = None if certainty is None else level_of(certainty)
        position = job.position
        iterations = schedule(max(1, position.empties), job.limits.depth, level)
        if isinstance(position, ReversiPosition) and position.limited and not position.placing:
            # nothing is pruned on the way to the end, where hands run out: one search of all empty squares is enough
            return [found for found in iterations if found.depth < position.empties] + iterations[-1:]
        return iterations

    def _iterate(self, job: Job) -> None:
        for number, iteration in enumerate(self._schedule(job)):
            before = job.lines[0] if job.lines else None
            # the first iteration, some microseconds of work, is always finished: there is a move with a
            # reason
            self._crew.obey(*((job.control.flag, job.limits.nodes) if number else (None, None)))
            if isinstance(job.position, ReversiPosition) and job.position.placing:
                if not self._place(job, job.position, iteration):
                    return
                continue
            for rank in range(job.wanted):
                if not self._search_line(job, rank, iteration):
                    return
            if before is not None:
                self._settle(job, before)
            if self._out_of_time(job):
                return

    def _place(self, job: Job, position: ReversiPosition, iteration: Iteration) -> bool:
        """Judge the squares of the centre by searches of what comes after; False when stopped in the middle."""
        block = self._crew.leader.block
        block[ctx.ROOT_SKIP] = 0
        block[ctx.LEVEL] = iteration.level
        block[ctx.DEVIATIONS] = deviation_factor(iteration.level)

        def search(filled: ReversiPosition, placed: int) -> int:
            moves = [parse_move(move) for move in filled.legal_moves()]
            if not moves:  # one colour alone, as only a position that was set up can lead to
                return 100 * int(filled.count_result().margin) * (1 if filled.turn is Player.P1 else -1)
            block[ctx.ROOT_COUNT] = len(moves)
            block[ctx.ROOT_MOVES : ctx.ROOT_MOVES + len(moves)] = moves
            return self._crew.search(filled, -INFINITE, INFINITE, max(1, iteration.depth - placed))

        found = judge_placements(position, tuple(map(format_move, job.roots)), search)
        if block[ctx.STOPPED]:
            return False
        job.roots = [line[0] for _, line in found]
        job.lines = [Line(line, score, Bound.EXACT, iteration) for score, line in found[: job.wanted]]
        for rank in range(min(job.wanted, self._settings.multipv)):
            job.on_info(self._info(job, rank))
        return not self._out_of_time(job)

    def _search_line(self, job: Job, rank: int, iteration: Iteration) -> bool:
        """Search the root moves from ``rank`` on; False when stopped in the middle."""
        crew, position = self._crew, job.position
        block = crew.leader.block
        block[ctx.LEVEL] = iteration.level
        block[ctx.DEVIATIONS] = deviation_factor(iteration.level)
        to_end = iteration == Iteration(position.empties, EXACT)
        window = self._window(job, rank, iteration, to_end)
        while True:
            block[ctx.ROOT_MOVES : ctx.ROOT_MOVES + len(job.roots)] = job.roots
            block[ctx.ROOT_SKIP] = rank
            alpha, beta = window
            score = crew.search(position, alpha, beta, iteration.depth)
            stopped = bool(block[ctx.STOPPED])
            moves = self._read_line()
            if moves:
                bound = Bound.LOWER if score >= beta else Bound.EXACT
                self._take(job, rank, Line(moves, score, bound, iteration))
            elif not stopped and rank < len(job.lines):
                held = job.lines[rank]
                self._take(job, rank, Line(held.moves, score, Bound.UPPER, iteration))
            if stopped:
                return False
            if alpha < score < beta or (job.limits.solve is Solve.WDL and to_end):
                return True
            window = wider(window, score, to_end)

    def _window(self, job: Job, rank: int, iteration: Iteration, to_end: bool) -> tuple[int, int]:
        """The first window of an iteration; the whole range as long as nothing is known of the line."""
        if rank >= len(job.lines):
            return -INFINITE, INFINITE
        if job.limits.solve is Solve.WDL and to_end:
            line = 100 * job.draw_line
            return math.ceil(line) - 1, math.floor(line) + 1
        if iteration.depth <= FULL_WINDOW_DEPTH:
            return -INFINITE, INFINITE
        expected = job.lines[rank].score
        if to_end:
            nearest = 200 * round(expected / 200)
            return nearest - 100, nearest + 100
        return expected - WINDOW, expected + WINDOW

    def _take(self, job: Job, rank: int, line: Line) -> None:
        """Put a line where it belongs and report it."""
        job.roots.remove(line.moves[0])
        job.roots.insert(rank, line.moves[0])
        others = [old for old in job.lines[rank:] if old.moves[0] != line.moves[0]]
        job.lines[rank:] = [line, *others][: job.wanted - rank]
        if rank < self._settings.multipv:
            job.on_info(self._info(job, rank))

    def _read_line(self) -> tuple[int, ...]:
        """The variation the leader has found, empty when none raised alpha."""
        block = self._crew.leader.block
        length = int(block[ctx.LINES])
        return tuple(int(move) for move in block[ctx.LINES + 1 : ctx.LINES + 1 + length])

    def _settle(self, job: Job, before: Line) -> None:
        """Grow or shrink the confidence in the best move after an iteration."""
        best = job.lines[0]
        if best.moves[0] != before.moves[0] or best.score < before.score - 200:
            job.stability = 0.0
        else:
            job.stability = min(1.0, job.stability + 0.2)

    def _out_of_time(self, job: Job) -> bool:
        """Whether a further iteration should not be begun."""
        if job.control.stopped:
            return True
        limits = job.limits
        if job.budget is None or job.control.pondering or limits.infinite or limits.clock is None:
            return False
        if len(job.position.legal_moves()) == 1:
            return True  # who asks for one of several moves wants to know what it is worth
        return job.control.elapsed_ms() >= 0.6 * job.budget.soft_limit_ms(job.stability)

    def _info(self, job: Job, rank: int) -> Info:
        line, empties = job.lines[rank], job.position.empties
        iteration = line.iteration
        solved = iteration == Iteration(empties, EXACT)
        doubt = 0.0 if solved else final_deviation(iteration.depth, empties)
        assert self._table is not None
        return Info(
            depth=iteration.depth,
            seldepth=empties - self._crew.fewest_empties,
            selectivity=LEVELS[iteration.level],
            multipv=rank + 1,
            score_cp=line.score,
            bound=line.bound,
            proven=solved and line.bound is Bound.EXACT,
            wdl=chances(line.score, job.draw_line, doubt),
            nodes=self._crew.nodes,
            hashfull=self._table.permille_used(self._age),
            time_ms=int(job.control.elapsed_ms()),
            pv=self._whole(job.position, line),
        )

    def _whole(self, position: Position, line: Line) -> tuple[str, ...]:
        """A line as moves, lengthened from the table where it is shorter than its depth."""
        names = []
        depth = line.iteration.depth
        for move in line.moves:
            name = format_move(move)
            names.append(name)
            position = position.play(name)
            depth -= move != PASS
        while depth > 0 and (legal := position.legal_moves()):
            name = legal[0] if legal == ("pass",) else best_known(self._crew.leader, position)
            if name not in legal:
                break
            names.append(name)
            position = position.play(name)
            depth -= name != "pass"
        return tuple(names)

    def _result(self, job: Job) -> SearchResult:
        best = job.lines[0]
        chosen = best if job.handicap is None else choose(job, job.handicap)
        job.lines = [chosen, *(line for line in job.lines if line is not chosen)]
        shown = min(len(job.lines), max(1, self._settings.multipv))
        infos = tuple(self._info(job, rank) for rank in range(shown))
        if chosen is not best:  # all reports so far began with another move than the one that is played
            for info in infos:
                job.on_info(info)
        pv = infos[0].pv
        return SearchResult(pv[0], pv[1] if len(pv) > 1 else None, infos)


def choose(job: Job, handicap: Handicap) -> Line:
    """The line a player below full strength goes for."""
    lines = {format_move(line.moves[0]): line for line in job.lines[: handicap.lines]}
    if len(lines) == 1:
        return job.lines[0]

    def gain(move: str) -> int:
        turned = len(job.position.facts("flips", (move,)).split())
        return -turned if job.fewest else turned

    moves = sorted(map(format_move, job.roots))
    return lines[handicap.choose(moves, {move: line.score for move, line in lines.items()}, gain, job.dice)]


def moves_to_think(empties: int) -> float:
    """How many moves still need time: once a game is solved, the rest of its moves take none."""
    return max(2.0, (empties - QUICK_EMPTIES) / 2)


def wider(window: tuple[int, int], score: int, to_end: bool) -> tuple[int, int]:
    """The window after a search that failed with ``score`` (fail-soft) to be inside.

    Exact scores are even: to the end of the game the bound itself is tried first, then twice as much each
    time.
    """
    alpha, beta = window
    width = beta - alpha
    if score <= alpha:
        if to_end:
            return max(-INFINITE, score - (100 if width <= 200 else width)), score + 100
        return max(-INFINITE, score - width), beta
    if to_end:
        return score - 100, min(INFINITE, score + (100 if width <= 200 else width))
    return alpha, min(INFINITE, score + width)
