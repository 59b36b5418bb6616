"""The rules on whole arrays of positions: a book of a million positions is expanded without a loop over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.othello_book import PASS, canonical_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Children", "children", "flips", "has_moves", "legal"]

NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)
DIRECTIONS = ((1, NOT_A), (-1, NOT_H), (8, ALL), (-8, ALL), (9, NOT_A), (-9, NOT_H), (7, NOT_H), (-7, NOT_A))
"""Distance of a step, and the squares it can end on."""


def step(bits: NDArray[np.uint64], distance: int, mask: np.uint64) -> NDArray[np.uint64]:
    """All discs one square on in a direction."""
    moved = bits << np.uint64(distance) if distance > 0 else bits >> np.uint64(-distance)
    return moved & mask


def run_of(
    discs: NDArray[np.uint64], opponent: NDArray[np.uint64], distance: int, mask: np.uint64
) -> NDArray[np.uint64]:
    """The opponent's discs in a row beside ``discs``, in a direction."""
    run = step(discs, distance, mask) & opponent
    for _ in range(5):
        run |= step(run, distance, mask) & opponent
    return run


def legal(own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bitboards of the squares the side to move can play."""
    moves = np.zeros_like(own)
    for direction in DIRECTIONS:
        moves |= step(run_of(own, opponent, *direction), *direction)
    return moves & ~(own | opponent)


def flips(own: NDArray[np.uint64], opponent: NDArray[np.uint64], disc: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bitboards of the discs that a new disc turns."""
    turned = np.zeros_like(own)
    for direction in DIRECTIONS:
        run = run_of(disc, opponent, *direction)
        turned |= np.where(step(run, *direction) & own != 0, run, np.uint64(0))
    return turned


def has_moves(own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether the side to move can play a square."""
    able: NDArray[np.bool_] = legal(own, opponent) != 0
    return able


@dataclass(frozen=True, slots=True)
class Children:
    """The positions after every legal move of some positions, one entry a move; of a game that is over, none.

    Attributes:
        parent: index of the position the move is made in.
        move: the square, or `PASS` where the side to move has none and the game goes on.
        own, opponent: the position after it, canonical, from the view of who moves then.
    """

    parent: NDArray[np.int64]
    move: NDArray[np.int64]
    own: NDArray[np.uint64]
    opponent: NDArray[np.uint64]


def children(own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> Children:
    """All legal moves of all positions, sorted by position and square."""
    moves = legal(own, opponent)
    shifts = np.arange(64, dtype=np.uint64)
    parent, square = np.nonzero((moves[:, None] >> shifts[None, :]) & ONE)
    disc = ONE << square.astype(np.uint64)
    mine, theirs = own[parent], opponent[parent]
    turned = flips(mine, theirs, disc)
    after_own, after_opponent = theirs & ~turned, mine | turned | disc
    passing = np.nonzero((moves == 0) & has_moves(opponent, own))[0]
    parents = np.concatenate([parent, passing])
    order = np.argsort(parents, kind="stable")
    least = canonical_arrays(
        np.concatenate([after_own, opponent[passing]]), np.concatenate([after_opponent, own[passing]])
    )
    squares = np.concatenate([square, np.full(len(passing), PASS)])
    return Children(parents[order], squares[order].astype(np.int64), least[0][order], least[1][order])
