"""Squares and pieces: names, numbers, and the fixed tables that follow from the board.

Squares are numbered ``4 * (rank - 1) + file``, so a board is the low 32 bits of an integer::

    8 | 28 29 30 31        A *board* in kernels is an int64 with one bit a square, never negative.
    7 | 24 25 26 27        Stepping: file +-1 is bit +-1, rank +-1 is bit +-4.
      :      ...
    2 |  4  5  6  7
    1 |  0  1  2  3
        a  b  c  d

A piece is a code from 0 to 15::

    0 empty   1-7 red K G M R N C P   8 covered   9-15 black k g m r n c p

so that ``code >> 3`` is the colour (0 red, 1 black) and ``(code & 7) - 1`` the kind (0 king … 6 pawn), the
lower the stronger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BLACK",
    "CANNON",
    "COVERED",
    "EMPTY",
    "FULL_SET",
    "KING",
    "LETTERS",
    "NEIGHBOURS",
    "OPEN",
    "PAWN",
    "PIECE_ORDER",
    "RAYS",
    "RED",
    "SQUARE_NAMES",
    "STEP_PREY",
    "code_of_letter",
    "square_of",
]

RED: Final = 0
BLACK: Final = 1
OPEN: Final = 2  # nobody has a colour before the first flip

EMPTY: Final = 0
COVERED: Final = 8

KING: Final = 0
CANNON: Final = 5
PAWN: Final = 6

LETTERS: Final = ".KGMRNCPXkgmrncp"
PIECE_ORDER: Final = "KGMRNCPkgmrncp"
FULL_SET: Final = (1, 2, 2, 2, 2, 2, 5)  # men of each kind on each side

SQUARE_NAMES: Final = tuple(f"{file}{rank}" for rank in range(1, 9) for file in "abcd")
_SQUARES: Final = {name: square for square, name in enumerate(SQUARE_NAMES)}


def square_of(name: str) -> int | None:
    """The number of a square such as ``b8`` (``B8`` too), or None when there is no such square."""
    return _SQUARES.get(name.lower())


def code_of_letter(letter: str) -> int | None:
    """The code of one letter of a rank field or a bag, or None."""
    code = LETTERS.find(letter) if len(letter) == 1 else -1
    return None if code < 0 else code


def _ray(square: int, file_step: int, rank_step: int) -> int:
    board = 0
    file, rank = square % 4 + file_step, square // 4 + rank_step
    while 0 <= file < 4 and 0 <= rank < 8:
        board |= 1 << (4 * rank + file)
        file, rank = file + file_step, rank + rank_step
    return board


# RAYS[direction * 32 + square]: the squares that way. Directions: up, right (to higher numbers), down, left.
RAYS: NDArray[np.int64] = np.array(
    [_ray(square, *step) for step in ((0, 1), (1, 0), (0, -1), (-1, 0)) for square in range(32)], np.int64
)

NEIGHBOURS: NDArray[np.int64] = np.array(
    [
        sum(1 << other for other in range(32) if abs(square % 4 - other % 4) + abs(square // 4 - other // 4) == 1)
        for square in range(32)
    ],
    np.int64,
)

# STEP_PREY[kind]: bit k is set when that kind takes an adjacent enemy of kind k. A cannon takes nothing so.
STEP_PREY: Final = (0b0111111, 0b1111110, 0b1111100, 0b1111000, 0b1110000, 0b0000000, 0b1000001)
