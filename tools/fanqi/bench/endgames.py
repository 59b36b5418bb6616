"""A file of Othello endgames with known scores, solved exactly one by one.

Two kinds of file are read: OBF, whose best move's score is the one to find, and tables of tab-separated columns whose
first line names them. Of a table the columns ``board`` and ``side`` and the last one that begins with ``score`` are
used: disc difference for the side to move, empty squares to the winner.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.bench.othello import search
from fanqi.game import GameError
from fanqi.othello import GAME
from fanqi.records import RecordError
from fanqi.records.obf import parse_problem
from fanqi.search import Limits, Settings, Solve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fanqi.bench.othello import BenchRow
    from fanqi.othello import Position

__all__ = ["endgames", "solve_all"]


def endgames(path: Path) -> Iterator[tuple[int, Position, int]]:
    """(line number, position, score in discs for the side to move) of each problem of a file.

    Raises:
        ValueError: a line is no problem; it says which line, and why.
        OSError: the file cannot be read.
    """
    with path.open(encoding="utf-8") as file:
        columns: list[str] = []
        for number, line in enumerate(file, start=1):
            text = line.rstrip("\r\n")
            try:
                if number == 1 and "board" in text.split("\t"):
                    columns = text.split("\t")
                elif text.strip() and not text.startswith("#"):
                    yield (number, *(of_table(text, columns) if columns else of_obf(text)))
            except (GameError, RecordError, ValueError) as error:
                raise ValueError(f"{path}, line {number}: {error}") from None


def of_table(text: str, columns: list[str]) -> tuple[Position, int]:
    cells = dict(zip(columns, text.split("\t"), strict=True))
    score = next((name for name in reversed(columns) if name.startswith("score")), None)
    if score is None or "side" not in cells:
        raise ValueError(f"columns {', '.join(columns)}: expected board, side and score…")
    return GAME.parse(f"{cells['board']} {cells['side']}"), int(cells[score])


def of_obf(text: str) -> tuple[Position, int]:
    problem = parse_problem(text)
    if not problem.scores:
        raise ValueError("no move has a score")
    return GAME.parse(problem.position), int(max(score for _, score in problem.scores))


def solve_all(problems: Iterable[tuple[int, Position, int]], settings: Settings) -> Iterator[BenchRow]:
    """Solve each with an empty table; ``right`` says whether the score is the known one."""
    for number, position, score in problems:
        row = search(f"line {number}", position, Limits(solve=Solve.SCORE), settings)
        yield replace(row, right=row.score_cp == 100 * score)
