"""What a book knows of its positions, a column for each kind of fact; and whether such columns can be a book's.

All scores are hundredths of a disc from the view of the side to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.othello_book.symmetry import canonical_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_MOVE", "NO_SCORE", "PASS", "Columns", "defect"]

PASS = 64
NO_MOVE = 255
"""In place of a drop-out move where every legal move is linked, or the game is over."""
NO_SCORE = -32768
"""In place of a drop-out score where there is none."""
MAX_SCORE = 6400


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The positions of a book in canonical form, sorted by (own, opponent), one entry each.

    Attributes:
        own, opponent: uint64, the side to move first.
        value: int16, the book's score: the best of the links' and the drop-out move's.
        move: uint8, the best move that is not linked (*drop-out* move): a square, `PASS` or `NO_MOVE`.
        score: int16, its score by the search; the result of a game that is over; else `NO_SCORE`.
        depth: uint8, plies of that search.
        selectivity: uint8, percent of certainty of its forward pruning; 100 is none.
        count: uint8, number of links.
        links: uint8, the moves to positions of the book, those of each position after the other. Of moves that are
            symmetric to each other one is there.
    """

    own: NDArray[np.uint64]
    opponent: NDArray[np.uint64]
    value: NDArray[np.int16]
    move: NDArray[np.uint8]
    score: NDArray[np.int16]
    depth: NDArray[np.uint8]
    selectivity: NDArray[np.uint8]
    count: NDArray[np.uint8]
    links: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.own)


def defect(columns: Columns) -> str | None:
    """What keeps columns from being a book's, as one clause; None if nothing does.

    Looked at is what can be told without the rules of the game.
    """
    own, opponent, move = columns.own, columns.opponent, columns.move
    taken = own | opponent
    less = (own[:-1] < own[1:]) | ((own[:-1] == own[1:]) & (opponent[:-1] < opponent[1:]))
    least_own, least_opponent = canonical_arrays(own, opponent)
    at_link = np.repeat(taken, columns.count)
    value, score = (np.abs(column.astype(np.int32)) for column in (columns.value, columns.score))
    scored = score <= MAX_SCORE
    checks = (
        ("two discs share a square", (own & opponent) == 0),
        ("it is not in its place", np.concatenate([np.ones(min(len(own), 1), np.bool_), less])),
        ("it is not in canonical form", (least_own == own) & (least_opponent == opponent)),
        ("its value is out of range", value <= MAX_SCORE),
        ("its drop-out move is impossible", is_free(taken, move) | (move == NO_MOVE)),
        ("its drop-out move has no score", scored | (move == NO_MOVE)),
        ("its score is out of range", scored | (columns.score == NO_SCORE)),
        ("its depth is out of range", columns.depth <= 60),
        ("its selectivity is out of range", columns.selectivity <= 100),
    )  # fmt: skip
    for what, good in checks:
        if not good.all():
            return f"position {int(np.argmin(good)) + 1}: {what}"
    free = is_free(at_link, columns.links)
    if not free.all():
        return f"link {int(np.argmin(free)) + 1} is an impossible move"
    return None


def is_free(taken: NDArray[np.uint64], move: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether each move is a pass or goes to a square that is empty in ``taken``."""
    square = (move & np.uint8(63)).astype(np.uint64)
    free: NDArray[np.bool_] = (move == PASS) | ((move < 64) & (((taken >> square) & np.uint64(1)) == 0))
    return free
