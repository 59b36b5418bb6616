"""How well searches judge Othello positions whose moves all have known scores.

Every figure is taken over positions, the scores in discs from the view of the side to move. The error behind a
figure is 1.96 standard errors of it, that is half of a 95 % interval.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.bench.othello import ignore
from fanqi.game import GameError
from fanqi.othello import GAME
from fanqi.records import RecordError
from fanqi.records.obf import parse_problem
from fanqi.search import Control, Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fanqi.othello import Position
    from fanqi.search import Engine

__all__ = ["Accuracy", "Figure", "Judged", "judged_positions", "measure"]

INTERVAL = 1.96


@dataclass(frozen=True, slots=True)
class Judged:
    """A position and the score of each of its moves."""

    position: Position
    scores: dict[str, float]

    @property
    def best(self) -> float:
        return max(self.scores.values())


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean and half the width of its 95 % interval."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure:
        count = len(values)
        mean = sum(values) / count
        variance = sum((value - mean) ** 2 for value in values) / max(count - 1, 1)
        return cls(mean, INTERVAL * math.sqrt(variance / count))


@dataclass(frozen=True, slots=True)
class Accuracy:
    """What searches of one depth and certainty are worth.

    Attributes:
        depth: plies; 0 for the evaluation without a search, which chooses no move.
        certainty: of forward pruning, in percent.
        best_move: share of the positions in which the move chosen is a best one; None at depth 0.
        loss: discs that the move chosen gives away; None at depth 0.
        error: absolute difference between the score said and the best move's, in discs.
        bias: the same with its sign; above 0 where the search is too hopeful for the side to move.
        within_3, within_6: share of the positions with an error of at most 3 or 6 discs.
        nodes: a position.
        seconds: processor time a position.
    """

    depth: int
    certainty: int
    best_move: Figure | None
    loss: Figure | None
    error: Figure
    bias: Figure
    within_3: Figure
    within_6: Figure
    nodes: float
    seconds: float


def judged_positions(path: Path) -> list[Judged]:
    """The positions of an OBF file whose lines give a score to every legal move.

    Raises:
        ValueError: a line is something else, or a legal move has no score; says which line.
        OSError: the file cannot be read.
    """
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            problem = parse_problem(line)
            position, scores = GAME.parse(problem.position), dict(problem.scores)
            missing = [move for move in position.legal_moves() if move not in scores]
            if missing:
                raise ValueError(f"no score for {' '.join(missing)}; every legal move needs one")
            if illegal := [move for move in scores if move not in position.legal_moves()]:
                raise ValueError(f"{illegal[0]} is not a legal move")
        except (GameError, RecordError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        found.append(Judged(position, scores))
    if not found:
        raise ValueError(f"{path}: no positions")
    return found


def measure(
    problems: Sequence[Judged],
    depth: int,
    certainty: int,
    settings: Settings | None = None,
    progress: Callable[[int], None] | None = None,
) -> Accuracy:
    """Search every position to one depth at one certainty, each with an empty table.

    Args:
        problems: at least one.
        depth: plies; 0 for the static evaluation.
        certainty: percent, one of `fanqi.othello.levels.LEVELS`.
        settings: of the engine; 64 MiB of table by default.
        progress: called with the number of positions done.
    """
    GAME.prepare()
    engine = GAME.engine()
    engine.configure(settings or Settings(hash_mib=64))
    engine.reserve()
    hits: list[float] = []
    losses: list[float] = []
    errors: list[float] = []
    nodes, seconds = 0, 0.0
    for done, problem in enumerate(problems, start=1):
        engine.new_game()
        started = time.thread_time()
        score, move, visited = judge(engine, problem.position, depth, certainty)
        seconds += time.thread_time() - started
        nodes += visited
        errors.append(score - problem.best)
        if move is not None:
            losses.append(problem.best - problem.scores[move])
            hits.append(float(losses[-1] == 0))
        if progress is not None:
            progress(done)
    sizes = [abs(error) for error in errors]
    return Accuracy(
        depth,
        certainty,
        Figure.of(hits) if hits else None,
        Figure.of(losses) if losses else None,
        Figure.of(sizes),
        Figure.of(errors),
        Figure.of([float(size <= 3) for size in sizes]),
        Figure.of([float(size <= 6) for size in sizes]),
        nodes / len(problems),
        seconds / len(problems),
    )


def judge(engine: Engine, position: Position, depth: int, certainty: int) -> tuple[float, str | None, int]:
    """(score in discs, move chosen, nodes); at depth 0 the static evaluation, without a move."""
    if depth == 0:
        return engine.evaluate(position)[0] / 100, None, 1
    result = engine.search(position, Limits(depth=depth, certainty=certainty), Control(), ignore)
    info = result.infos[0]
    return (info.score_cp or 0) / 100, result.move, info.nodes
