"""A whole game reviewed: every move judged, from the last to the first.

Going backwards, the search of a position finds what is known about those that came after it in the hash table: exact
results of the endgame reach the moves before it. All searches of a game share the table and nothing else; it is emptied
before the game, and their order is fixed. So with one thread and limits of depth or nodes, a game's review is the same
every time, whatever was reviewed before. Games of Othello that are images of each other are searched as one.

Every position has one score, that of its own search. A move is compared twice: with the best one by the search before
it, and by the scores of the two positions. The smaller difference is the loss, so what only one search sees is no
mistake. Where the scores make the loss larger by a mark's threshold, the position before the move is searched a ply
deeper: then both see equally far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from fanqi.analysis.facts import Facts, facts_of, open_corner
from fanqi.analysis.orientation import image_between, orientation_of
from fanqi.analysis.scale import SCALES, Scale
from fanqi.analysis.searcher import Searcher, Stopped
from fanqi.analysis.terms import Plan, Terms, terms_of
from fanqi.analysis.verdict import bare, even_out, judge
from fanqi.game import Player
from fanqi.records import positions
from fanqi.search import Limits

if TYPE_CHECKING:
    from fanqi.banqi import Position as BanqiPosition
    from fanqi.game import Position
    from fanqi.records import GameRecord
    from fanqi.search import Info, SearchResult

__all__ = ["GameReview", "Line", "MoveReview", "review_game"]

LUCK_DEPTH = 4
"""Plies that each outcome of a flip is searched."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the engine's.

    Attributes:
        value: from the view of the side to move, see `fanqi.analysis.scale`.
        moves: canonical, flips without outcomes.
        exact: whether the value is proven.
        depth: plies of the search.
        certainty: of its forward pruning in per cent; None in banqi.
    """

    value: float
    moves: tuple[str, ...]
    exact: bool
    depth: int
    certainty: int | None


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A move judged; values from the view of its mover.

    Attributes:
        ply: number of the move in the game, passes included, from 1.
        player: who moved.
        move: canonical, a flip with its outcome.
        given: whether the move belongs to an opening that both players were given: then it is not judged.
        corner: ``X`` or ``C`` for a move to such a square beside an empty corner (Othello), else empty.
        choices: legal moves there were; 1 for a forced move.
        best: the best line; its value is the score of the position before the move.
        played: the line that begins with the move; of a flip, what could be expected of it.
        value: the score of the position after the move; of a flip, after what came up.
        value_exact: whether that is proven.
        loss: what the move gave away, at least 0; 0 for a forced or given move.
        mark: one of `fanqi.analysis.scale.MARKS`; empty for a forced or given move.
        luck: banqi's flips: what the man that came up is worth, less the mean of all that could have; else None.
        change: ``win to draw``, ``win to loss`` or ``draw to loss`` where that is proven, else empty.
        lines: the engine's first lines, best first, as many as were asked for.
        phase: index into `fanqi.analysis.totals.PHASES`.
        recorded: what the mover itself thought, in discs or pawns, if the record says so.
        seconds: time the record says it took.
        nodes: searched for this verdict.
    """

    ply: int
    player: Player
    move: str
    given: bool
    corner: str
    choices: int
    best: Line
    played: Line
    value: float
    value_exact: bool
    loss: float
    mark: str
    luck: float | None
    change: str
    lines: tuple[Line, ...]
    phase: int
    recorded: float | None
    seconds: float | None
    nodes: int

    @property
    def forced(self) -> bool:
        """Whether there was no choice."""
        return self.choices == 1

    @property
    def decided(self) -> bool:
        """Whether the move was its player's decision: neither forced nor given."""
        return not (self.forced or self.given)

    @property
    def signs(self) -> str:
        """What is put behind the move: its corner and its mark."""
        return " ".join(filter(None, (self.corner, self.mark)))

    @property
    def is_best(self) -> bool:
        """Whether nothing better is known."""
        return self.loss == 0

    @property
    def exact(self) -> bool:
        """Whether the loss is proven."""
        return self.best.exact and self.played.exact


@dataclass(frozen=True, slots=True)
class GameReview:
    """A game with what was found out about it.

    Attributes:
        number: of the game in its file, from 1.
        record: the game.
        terms: how it was reviewed.
        boards: every position, the first one included.
        facts: of every position.
        moves: the moves judged: all, or the last ones if the review was interrupted.
        final: the engine's line in the last position, or its value alone if the game was over; None if interrupted.
    """

    number: int
    record: GameRecord
    terms: Terms
    boards: tuple[Position, ...]
    facts: tuple[Facts, ...]
    moves: tuple[MoveReview, ...]
    final: Line | None

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return self.final is not None and len(self.moves) == len(self.record.moves)

    @property
    def scale(self) -> Scale:
        return SCALES[self.record.game]

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value of every position from p1's view; None where it was not reviewed."""
        known: list[float | None] = [None] * len(self.boards)
        for move in self.moves:
            known[move.ply - 1] = self.scale.for_p1(move.best.value, move.player)
        if self.final is not None:
            known[-1] = self.scale.for_p1(self.final.value, self.boards[-1].turn)
        return tuple(known)

    @property
    def exact_from(self) -> int | None:
        """The ply from which on all values are proven, or None."""
        if self.final is None or not self.final.exact:
            return None
        first = len(self.boards) - 1
        for move in reversed(self.moves):
            if not move.best.exact:
                break
            first = move.ply - 1
        return first


def review_game(
    number: int,
    record: GameRecord,
    plan: Plan,
    searcher: Searcher,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> GameReview:
    """Review a game; an interrupted one is returned as far as it came.

    Args:
        number: of the game in its file.
        progress: takes positions done and positions in all.

    Raises:
        RecordError: the start cannot be read, or a move is not legal.
    """
    terms = terms_of(record, plan)
    boards = tuple(positions(record))
    engine = searcher.engine(record.game)
    engine.configure(terms.settings)
    engine.new_game()
    facts = tuple(facts_of(record.game, board, engine) for board in boards)
    reviewer = Reviewer(record, terms, boards, searcher)
    final, moves = None, []
    try:
        progress(0, len(boards))
        final = reviewer.last_line()
        for ply in range(len(record.moves), 0, -1):
            progress(len(boards) - ply, len(boards))
            moves.append(reviewer.review(ply))
        progress(len(boards), len(boards))
    except Stopped:
        pass
    return GameReview(number, record, terms, boards, facts, tuple(reversed(moves)), final)


class Reviewer:
    """Judges the moves of one game."""

    def __init__(self, record: GameRecord, terms: Terms, boards: tuple[Position, ...], searcher: Searcher) -> None:
        self._record = record
        self._terms = terms
        self._boards = boards
        self._searcher = searcher
        self._scale = SCALES[record.game]
        self._orientation = orientation_of(record, boards)
        self._nodes = 0
        self._after: Line | None = None  # of the position after the move that is judged next

    def last_line(self) -> Line:
        """What the last position is worth, to whoever is or would be to move. To be called before `review`."""
        self._after = self._last_line()
        return self._after

    def _last_line(self) -> Line:
        board = self._boards[-1]
        outcome = board.outcome()
        if outcome is not None:
            value = self._scale.final(outcome, board.turn)
            if self._terms.objective == "fewest":
                value = -value
            return Line(value, (), exact=True, depth=0, certainty=None)
        return self._line(self._search(board, None, 0).infos[0])

    def review(self, ply: int) -> MoveReview:
        """Judge the move that leads to board ``ply``."""
        board, played = self._boards[ply - 1], self._record.moves[ply - 1]
        self._nodes = 0
        after = self._value_after(ply)
        given = ply <= self._record.opening_plies
        if given:
            infos = even_out(board, self._search(board, None, 0).infos)
            best, mine, loss = self._line(infos[0]), self._continued(bare(board, played.move), after), 0.0
        else:
            best, mine, loss, infos = self._judged(board, played.move, after)
        self._after = best
        choices = len(board.legal_moves())
        return MoveReview(
            ply,
            board.turn,
            played.move,
            given,
            open_corner(self._record.game, board, played.move),
            choices,
            best,
            mine,
            after.value,
            after.exact,
            loss,
            "" if choices == 1 else self._scale.mark(loss),
            self._luck(board, played.move) if "=" in played.move and not given else None,
            self._change(board, best, mine),
            tuple(self._line(info) for info in infos),
            phase_of(self._record.game, board),
            played.evaluation,
            played.seconds,
            self._nodes,
        )

    def _judged(self, board: Position, move: str, after: Line) -> tuple[Line, Line, float, tuple[Info, ...]]:
        """The best line, that of the move, what the move lost, and all lines of the search.

        Args:
            after: the line of the position after the move, its value from the mover's view.
        """
        verdict = judge(board, move, self._search)
        assert verdict.best_info is not None  # a move was played, so the engine has found one
        assert verdict.move_info is not None
        best, mine, infos = self._line(verdict.best_info), self._line(verdict.move_info), verdict.lines
        loss = best.value - mine.value
        if board.needs_reveal(verdict.move):  # what came up is no part of the decision
            return best, mine, round(max(0.0, loss), 2), infos
        mine = self._continued(verdict.move, after)
        step = best.value - after.value
        doubtful = verdict.best != verdict.move and step - loss >= self._scale.dubious
        if doubtful and not best.exact and self._terms.limits.depth is not None:
            infos = even_out(board, self._search(board, None, 1).infos)
            best = self._line(infos[0])
            preferred = best.moves[0]
            same = preferred == verdict.move or image_between(board, preferred, verdict.move) is not None
            loss = step = 0.0 if same else best.value - after.value
        return best, mine, round(max(0.0, min(loss, step)), 2), infos

    def _value_after(self, ply: int) -> Line:
        """The line of board ``ply``, its value from the view of the player who moved there."""
        assert self._after is not None  # moves are judged from the last one on
        turned = self._boards[ply].turn is not self._boards[ply - 1].turn
        return replace(self._after, value=self._scale.other(self._after.value)) if turned else self._after

    @staticmethod
    def _continued(move: str, after: Line) -> Line:
        return replace(after, moves=(move, *after.moves), depth=after.depth + 1)

    def _search(self, board: Position, moves: tuple[str, ...] | None, deeper: int) -> SearchResult:
        return self._run(board, self._terms.limits_at(board, moves, deeper))

    def _run(self, board: Position, limits: Limits) -> SearchResult:
        turn = self._orientation
        limits = replace(limits, moves=turn.moves(limits.moves))
        result = self._searcher.search(self._record.game, turn.position(board), limits, self._terms.settings)
        self._nodes += max((info.nodes for info in result.infos), default=0)
        move = None if result.move is None else turn.back(result.move)
        return replace(result, move=move, infos=tuple(map(turn.line_back, result.infos)))

    def _luck(self, board: Position, flip: str) -> float:
        """What the man that a flip showed is worth more than the mean of all that could have come up.

        All outcomes are searched alike, so that over all of them luck comes to nothing: neither what a deeper search
        knows better nor what the search does another way below its root is taken for luck.
        """
        depth = min(LUCK_DEPTH, self._terms.limits.depth or LUCK_DEPTH)
        bag = cast("BanqiPosition", board).covered()
        worth = {letter: self._worth(board.play(f"{flip[:2]}={letter}"), depth) for letter in sorted(set(bag))}
        return round(worth[flip[3]] - sum(worth[letter] for letter in bag) / len(bag), 2)

    def _worth(self, board: Position, depth: int) -> float:
        """The value of a position to the side that is not to move."""
        outcome = board.outcome()
        if outcome is not None:
            return self._scale.final(outcome, board.turn.other)
        return self._scale.other(self._line(self._run(board, Limits(depth=depth)).infos[0]).value)

    def _line(self, info: Info) -> Line:
        value = self._scale.value(info)
        assert value is not None  # both engines give every line its score
        return Line(value, info.pv, info.proven, info.depth, info.selectivity)

    def _change(self, board: Position, best: Line, played: Line) -> str:
        """Which result the move threw away, if it is proven that it did."""
        if not (best.exact and played.exact):
            return ""
        line = self._scale.even
        if self._record.game == "othello":
            black_line = -self._terms.draw_line if self._terms.objective == "fewest" else self._terms.draw_line
            line = black_line if board.turn is Player.P1 else -black_line
        before, after = ((value > line) - (value < line) for value in (best.value, played.value))
        names = {1: "win", 0: "draw", -1: "loss"}
        return f"{names[before]} to {names[after]}" if after < before else ""


def phase_of(game: str, board: Position) -> int:
    """0 opening, 1 midgame, 2 endgame; see `fanqi.analysis.totals.PHASES`."""
    if game == "othello":
        empties = getattr(board, "empties", 0)
        return (empties <= 40) + (empties <= 20)
    covered = len(board.fen().split()[1].replace("-", ""))
    return (covered <= 16) + (covered == 0)
