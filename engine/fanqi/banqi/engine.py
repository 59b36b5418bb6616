"""The banqi engine: settings, memory, and one search after the other.

Implements `fanqi.search.Engine`. What happens inside the tree is in `fanqi.banqi.search`; here are iterative
deepening, time, the lines reported, and playing below full strength.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.banqi import context as c
from fanqi.banqi.board import OPEN
from fanqi.banqi.breakdown import evaluation_terms
from fanqi.banqi.ladder import LADDER
from fanqi.banqi.memory import UNLIMITED, Memory
from fanqi.banqi.nodes import LEAST_CHASE_LIMIT, LEAST_QUIET_LIMIT, MOST_CHASES, MOST_TABLE_MEN
from fanqi.banqi.notation import Move, parse_move
from fanqi.banqi.search import NO_VALUE, search_root
from fanqi.banqi.state import CHASE_LIMIT, HIDDEN, MEN, QUIET_LIMIT, TURN
from fanqi.banqi.tables.store import TableError
from fanqi.banqi.utility import centipawns, chances
from fanqi.search import Budget, Control, EvaluationTerm, Info, Limits, SearchResult, Settings, allot
from fanqi.strength import handicap_for

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from fanqi.banqi.position import Position
    from fanqi.strength import Handicap

__all__ = ["BanqiEngine"]

MAX_DEPTH = 64
WINDOW = 400  # half of the first aspiration window, in utility
WINDOW_DEPTH = 4  # iterations before have no window
ROOT_FLIPS = 10  # flips that the root goes on with after the first look at all of them
PREY = ".PCNRMGK"  # what a move may find on its target, the dearest last
DECIDED = c.TABLE_WIN - 500  # beyond are the utilities of forced wins and losses
STABLE_AFTER = 5  # iterations with one best move that make it fully stable


@dataclass(slots=True)
class _Line:
    """A root line as far as it is known."""

    move: int
    score: int
    pv: tuple[str, ...]
    depth: int


class BanqiEngine:
    """One player's mind. Used by one thread at a time.

    Args:
        weights: other weights than the shipped ones (see `fanqi.banqi.weights`), for tuning.
    """

    def __init__(self, weights: NDArray[np.int64] | None = None) -> None:
        self._settings = Settings()
        self._memory = Memory(weights)
        self._utility = 0
        self._complaint = ""  # about the endgame tables, until somebody has heard it

    def configure(self, settings: Settings) -> None:
        """Take over settings between searches. A new hash size drops the old table.

        Endgame tables that cannot be read are told of in the next search, which does with those that are shipped.
        """
        if settings.hash_mib != self._settings.hash_mib:
            self._memory.drop_table()
        if settings.endgame_path != self._settings.endgame_path:
            self._use_endgames(settings.endgame_path)
            self._memory.forget()
        self._settings = settings

    def _use_endgames(self, path: str) -> None:
        self._complaint = ""
        try:
            self._memory.use_endgames(path)
        except TableError as error:
            self._memory.use_endgames("")
            self._complaint = f"{error}; the shipped endgame tables are used instead"

    def new_game(self) -> None:
        """Forget everything learned from earlier searches."""
        self._memory.forget()

    def reserve(self) -> None:
        """Take the memory for searches now."""
        self._memory.reserve(self._settings.hash_mib)

    def evaluate(self, position: Position) -> tuple[int, list[EvaluationTerm]]:
        """The static evaluation in cp from the view of the side to move, and its breakdown."""
        return evaluation_terms(self._memory, position)

    def search(
        self, position: Position, limits: Limits, control: Control, on_info: Callable[[Info], None]
    ) -> SearchResult:
        """Search ``position``; see `fanqi.search.Engine.search`. Scores are those of the side to move."""
        legal = position.legal_moves()
        if limits.moves is not None:
            wanted = {position.canonical(move)[:4].partition("=")[0] for move in limits.moves}
            legal = tuple(move for move in legal if move in wanted) or legal
        if not legal:
            control.close()
            return SearchResult(None)
        if self._complaint:
            on_info(Info(text=self._complaint))
            self._complaint = ""
        if int(position.state[TURN]) == OPEN:
            control.close()
            return _opening(legal, self._settings.multipv, on_info)
        search = _Search(self._memory, self._settings, position, limits, control, on_info)
        try:
            return search.run(legal)
        finally:
            self._utility = search.utility
            control.close()

    @property
    def last_utility(self) -> int:
        """What the last search thought of its position, in `fanqi.banqi.context` utility, for tuning."""
        return self._utility


def _opening(legal: tuple[str, ...], multipv: int, on_info: Callable[[Info], None]) -> SearchResult:
    """Before the first flip all squares are alike but for their neighbours, and nobody is ahead."""
    infos = tuple(
        Info(depth=1, seldepth=1, multipv=rank, score_cp=0, wdl=chances(0, covered=True), nodes=1, pv=(move,))
        for rank, move in enumerate(sorted(legal, key=_opening_order)[:multipv], start=1)
    )
    for info in infos:
        on_info(info)
    return SearchResult(infos[0].pv[0], None, infos)


def _opening_order(move: str) -> tuple[bool, str]:
    """Squares inside the board first: what turns up there has more to do."""
    return move[0] in "ad" or move[1] in "1278", move


class _Search:
    """One search: everything that changes while it runs."""

    def __init__(
        self,
        memory: Memory,
        settings: Settings,
        position: Position,
        limits: Limits,
        control: Control,
        on_info: Callable[[Info], None],
    ) -> None:
        self._memory = memory
        self._settings = settings
        self._position = position
        self._limits = limits
        self._control = control
        self._on_info = on_info
        self._dice = random.Random(f"{settings.seed} {position.ply} {position.fen()}")
        self._handicap = handicap_for(settings, limits, "banqi", LADDER, self._dice)
        if self._handicap is not None:
            self._limits = self._handicap.bound(limits)
        self._budget = allot(self._limits, settings.move_overhead_ms, _expected_moves(position))
        self._open = int(position.state[HIDDEN]) == 0  # a covered man may be anything
        self._known = self._open and _tables_follow(position)
        self._lines: list[_Line] = []
        self._steady = 0

    def run(self, legal: tuple[str, ...]) -> SearchResult:
        """Search the root moves ``legal`` until a limit is reached."""
        memory, limits = self._memory, self._limits
        memory.set_up(self._position, self._settings, [_number(m) for m in legal], self._control.flag)
        memory.words[c.NODE_LIMIT] = UNLIMITED if limits.nodes is None else max(1, limits.nodes)
        if self._budget is not None:
            self._control.limit(self._budget.maximum_ms)
        lines = self._settings.multipv
        depth_limit = MAX_DEPTH if limits.depth is None else min(MAX_DEPTH, limits.depth)
        if self._handicap is not None:
            lines = max(lines, self._handicap.lines)
        lines = min(lines, len(legal))
        search_root(memory.words, 0, 0, -c.INFINITE, c.INFINITE)
        if self._stopped():
            lines = 1  # what lies behind the best move so far was never looked at
        if (lines == 1 or self._handicap is not None) and limits.moves is None and not self._stopped():
            memory.keep_best_flips(max(ROOT_FLIPS, lines))
        self._lines = [
            _Line(int(memory.root[0, i]), int(memory.root[1, i]), (_text(int(memory.root[0, i])),), 1)
            for i in range(lines)
        ]
        depth = 0
        while depth < depth_limit and not self._stopped():
            depth += 1
            before = self._lines[0].move
            self._iterate(depth, lines)
            self._steady = self._steady + 1 if self._lines[0].move == before else 0
            if not self._stopped() and (self._is_decided(depth) or self._is_time_up()):
                break
        return self._result(legal)

    @property
    def utility(self) -> int:
        """The score of the best line."""
        return self._lines[0].score if self._lines else 0

    def _stopped(self) -> bool:
        return bool(self._memory.words[c.ABORTED]) or self._control.stopped

    def _iterate(self, depth: int, lines: int) -> None:
        """One iteration over all reported lines."""
        found: list[_Line] = []
        for rank in range(lines):
            line = self._search_line(depth, rank)
            if line is None:
                break
            found.append(line)
            self._report(line, rank + 1)
            if self._stopped():
                break
        ordered = sorted(found, key=lambda line: -line.score)
        if ordered != found:  # a later line came out better than an earlier one
            for rank, line in enumerate(ordered, start=1):
                self._report(line, rank)
        moves = [line.move for line in ordered]
        rest = [line for line in self._lines if line.move not in moves]
        self._lines = (ordered + rest)[: len(self._lines)]

    def _search_line(self, depth: int, rank: int) -> _Line | None:
        """The best root move but for the ``rank`` better ones; None when none was finished in time."""
        memory = self._memory
        alpha, beta, half = -c.INFINITE, c.INFINITE, WINDOW
        if depth >= WINDOW_DEPTH:
            centre = self._lines[rank].score
            alpha, beta = centre - half, centre + half
        while True:
            score = int(search_root(memory.words, depth, rank, alpha, beta))
            if int(memory.words[c.BEST_SCORE]) == NO_VALUE:
                return None
            line = _Line(int(memory.root[0, rank]), score, tuple(_text(move) for move in memory.line()), depth)
            if self._stopped():
                # what was finished counts, unless all of it was worse than expected
                return line if alpha < score and line.pv[0] == _text(line.move) else None
            if alpha < score < beta:
                return line
            half *= 4
            alpha = -c.INFINITE if score <= alpha and half > 4 * WINDOW else min(alpha, score - half)
            beta = c.INFINITE if score >= beta and half > 4 * WINDOW else max(beta, score + half)

    def _is_decided(self, depth: int) -> bool:
        """Whether deeper searches cannot change anything: a forced win or loss is within reach of this one."""
        return len(self._lines) == 1 and abs(self._lines[0].score) >= c.WIN - depth

    def _is_time_up(self) -> bool:
        """Whether another iteration should not be begun."""
        budget = self._budget
        if budget is None or self._control.pondering or self._limits.infinite:
            return False
        if self._limits.clock is None:
            return False  # a fixed time for the move is there to be used
        if len(self._position.legal_moves()) == 1:
            return True  # who asks for one of several moves wants to know what it is worth
        return self._control.elapsed_ms() >= _soft_limit(budget, self._steady)

    def _report(self, line: _Line, rank: int) -> None:
        if rank <= self._settings.multipv:
            self._on_info(self._info(line, rank))

    def _info(self, line: _Line, rank: int) -> Info:
        words = self._memory.words
        return Info(
            depth=line.depth,
            seldepth=max(line.depth, int(words[c.DEEPEST])),
            multipv=rank,
            score_cp=centipawns(line.score),
            proven=self._open and (self._known or abs(line.score) > DECIDED),
            wdl=chances(line.score, not self._open),
            nodes=int(words[c.NODES]),
            hashfull=self._memory.hashfull(),
            time_ms=round(self._control.elapsed_ms()),
            pv=line.pv,
        )

    def _result(self, legal: tuple[str, ...]) -> SearchResult:
        """The answer."""
        best = 0 if self._handicap is None else self._choose(legal, self._handicap)
        lines = [self._lines[best], *self._lines[:best], *self._lines[best + 1 :]]
        infos = tuple(self._info(line, rank) for rank, line in enumerate(lines[: self._settings.multipv], start=1))
        if best:  # all reports so far began with another move than the one that is played
            for info in infos:
                self._on_info(info)
        pv = lines[0].pv
        ponder = pv[1] if len(pv) > 1 and len(pv[0]) == 4 and len(pv[1]) == 4 else None
        return SearchResult(pv[0], ponder, infos)

    def _choose(self, legal: tuple[str, ...], handicap: Handicap) -> int:
        """The line a player below full strength goes for."""
        known = [_text(line.move) for line in self._lines[: handicap.lines]]
        if len(known) == 1:
            return 0
        scores = {move: line.score for move, line in zip(known, self._lines, strict=False)}
        move = handicap.choose(legal, scores, lambda move: _prey(self._position, move), self._dice)
        return known.index(move)


def _tables_follow(position: Position) -> bool:
    """Whether the endgame tables are believed one ply on, whatever the move; see `fanqi.banqi.nodes`."""
    state = position.state
    if state[MEN] + state[MEN + 1] > MOST_TABLE_MEN or state[QUIET_LIMIT] < LEAST_QUIET_LIMIT:
        return False
    if 0 < state[CHASE_LIMIT] < LEAST_CHASE_LIMIT:
        return False
    return all(counter.count < MOST_CHASES for counter in position.setup().counters)


def _prey(position: Position, move: str) -> int:
    """The rank of the man that a move takes, 0 if it takes none."""
    return 0 if len(move) == 2 else PREY.index(position.piece(move[2:]).upper())


def _soft_limit(budget: Budget, steady: int) -> float:
    """When to begin no further iteration, in milliseconds: the next one takes longer than all so far."""
    return 0.65 * budget.soft_limit_ms(min(1.0, steady / STABLE_AFTER))


def _expected_moves(position: Position) -> float:
    """How many moves the mover will still have to make: half of the flips, and the hunt for all men."""
    men = int(position.state[MEN]) + int(position.state[MEN + 1])
    return 10.0 + int(position.state[HIDDEN]).bit_count() / 2 + men


def _number(move: str) -> int:
    parsed = parse_move(move)
    return parsed.origin * 32 + parsed.target


def _text(move: int) -> str:
    return str(Move(move >> 5, move & 31))
