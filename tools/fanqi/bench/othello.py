"""Othello's benches: the FFO endgame test, midgame searches from ten openings, and a node-count signature.

A node is a position visited: an interior node, a position evaluated, or the evaluation of a position with one
empty square. Positions whose score is counted off while looking at their parent are none.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING

from fanqi.othello import GAME
from fanqi.search import Control, Limits, Settings, Solve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.othello import Position
    from fanqi.search import Info

__all__ = ["OPENINGS", "BenchRow", "Problem", "bench", "ffo", "midgame", "problems", "signature"]

OPENINGS = (
    "f5d6c4d3c2b3b4b5",
    "f5f4g3g4g5h6f3h4",
    "f5d6c6f6f7g5e6f8",
    "f5f4g3c6c5e6d6c4",
    "f5f4g3g6f3g4h5h3",
    "f5f4d3c4b3c6c3b4",
    "f5f4g3c6e3f2c3f3",
    "f5f6e6d6c4g5e7f8",
    "f5f4g3e6f3g4g5h3",
    "f5f4c3f6e3d6g6c5",
)
"""Eight plies each, one of every 1,078 in a list of equal openings (XOT)."""

SIGNATURE: tuple[tuple[str, int], ...] = (
    ("f5", 12),
    (OPENINGS[0], 14),
    (OPENINGS[3], 14),
    (OPENINGS[6], 14),
)
"""(opening, depth) of the searches of `bench`; the FFO problems below are solved besides."""
SIGNATURE_PROBLEMS = (1, 9, 17, 20, 23)


@dataclass(frozen=True, slots=True)
class Problem:
    """One position of the FFO test."""

    number: int
    position: Position
    score: int
    best_moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One position searched.

    Attributes:
        name: number of the problem, or the moves of the opening.
        empties: empty squares.
        depth: plies of the last iteration.
        selectivity: its certainty in percent.
        score_cp: hundredths of a disc, from the view of the side to move.
        move: the engine's choice.
        nodes: positions visited.
        seconds: processor time of the searching thread; wall time when there are several.
        right: whether score and move are those published; None where nothing is.
    """

    name: str
    empties: int
    depth: int
    selectivity: int
    score_cp: int
    move: str
    nodes: int
    seconds: float
    right: bool | None = None

    @property
    def nodes_per_second(self) -> float:
        return self.nodes / max(self.seconds, 1e-9)


def problems(first: int = 1, last: int = 79) -> list[Problem]:
    """The FFO test from one number to another, both included.

    Raises:
        ValueError: there are no such numbers.
    """
    if not 1 <= first <= last <= 79:
        raise ValueError(f"FFO problems {first} to {last}: expected numbers from 1 to 79")
    found = []
    for line in resources.files("fanqi.bench").joinpath("data").joinpath("ffo.tsv").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        number, board, side, score, moves, _ = line.split("\t")
        if first <= int(number) <= last:
            position = GAME.parse(f"{board} {side}")
            found.append(Problem(int(number), position, int(score), tuple(moves.split())))
    return found


def ffo(first: int = 40, last: int = 44, settings: Settings | None = None) -> Iterator[BenchRow]:
    """Solve FFO problems exactly, each with an empty table.

    Args:
        first, last: numbers, both included.
        settings: of the engine; 256 MiB of table by default.
    """
    settings = settings or Settings(hash_mib=256)
    for problem in problems(first, last):
        row = search(str(problem.number), problem.position, Limits(solve=Solve.SCORE), settings)
        right = row.score_cp == 100 * problem.score and row.move in problem.best_moves
        yield replace(row, right=right)


def midgame(depth: int, selectivity: int = 73, settings: Settings | None = None) -> Iterator[BenchRow]:
    """Search ten openings to a fixed depth and certainty, each with an empty table.

    Args:
        depth: plies.
        selectivity: percent; one of `fanqi.othello.levels.LEVELS`.
        settings: of the engine; 64 MiB of table by default.
    """
    for opening in OPENINGS:
        limits = Limits(depth=depth, certainty=selectivity)
        yield search(opening, after(opening), limits, settings or Settings(hash_mib=64))


def bench() -> Iterator[BenchRow]:
    """Fixed searches on one thread, whose nodes make the `signature`."""
    settings = Settings(hash_mib=16)
    for opening, depth in SIGNATURE:
        yield search(opening, after(opening), Limits(depth=depth), settings)
    for number in SIGNATURE_PROBLEMS:
        yield from ffo(number, number, settings)


def signature(rows: list[BenchRow]) -> int:
    """The nodes of all rows: equal for equal searches, on every machine."""
    return sum(row.nodes for row in rows)


def after(moves: str) -> Position:
    """The position after moves written without blanks."""
    position = GAME.start()
    for at in range(0, len(moves), 2):
        position = position.play(moves[at : at + 2])
    return position


def search(name: str, position: Position, limits: Limits, settings: Settings) -> BenchRow:
    """One search by a new engine."""
    GAME.prepare()
    engine = GAME.engine()
    engine.configure(settings)
    engine.reserve()
    clock = time.thread_time if settings.threads == 1 else time.perf_counter
    started = clock()
    result = engine.search(position, limits, Control(), ignore)
    seconds = clock() - started
    info = result.infos[0]
    return BenchRow(
        name,
        position.empties,
        info.depth,
        info.selectivity or 0,
        info.score_cp or 0,
        result.move or "",
        info.nodes,
        seconds,
    )


def ignore(info: Info) -> None:
    """A bench prints at the end only."""
