"""The eight symmetries of the board, on bitboards as `fanqi.othello.notation` numbers them (a1 is bit 0, h1 bit 7).

A symmetry is a number 0 to 7, three switches carried out in this order::

    1   mirror left and right    (a1 <-> h1)
    2   mirror top and bottom    (a1 <-> a8)
    4   transpose                (b1 <-> a2)

A position is a pair of bitboards, the side to move first. Its *canonical* form is the least of its eight images, as a
pair of numbers. The same functions serve Python integers and arrays of uint64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SYMMETRIES", "apply_symmetry", "canonical", "canonical_arrays", "square_under", "symmetries_to"]

SYMMETRIES = range(8)

Bits: TypeAlias = Any
"""An integer or an array of uint64; what comes out is of the same kind."""


def mirror_columns(bits: Bits) -> Bits:
    bits = ((bits >> 1) & 0x5555555555555555) | ((bits & 0x5555555555555555) << 1)
    bits = ((bits >> 2) & 0x3333333333333333) | ((bits & 0x3333333333333333) << 2)
    return ((bits >> 4) & 0x0F0F0F0F0F0F0F0F) | ((bits & 0x0F0F0F0F0F0F0F0F) << 4)


def mirror_rows(bits: Bits) -> Bits:
    bits = ((bits >> 8) & 0x00FF00FF00FF00FF) | ((bits & 0x00FF00FF00FF00FF) << 8)
    bits = ((bits >> 16) & 0x0000FFFF0000FFFF) | ((bits & 0x0000FFFF0000FFFF) << 16)
    return (bits >> 32) | ((bits & 0x00000000FFFFFFFF) << 32)


def transpose(bits: Bits) -> Bits:
    change = (bits ^ (bits >> 7)) & 0x00AA00AA00AA00AA
    bits = bits ^ change ^ (change << 7)
    change = (bits ^ (bits >> 14)) & 0x0000CCCC0000CCCC
    bits = bits ^ change ^ (change << 14)
    change = (bits ^ (bits >> 28)) & 0x00000000F0F0F0F0
    return bits ^ change ^ (change << 28)


def images(bits: Bits) -> tuple[Bits, ...]:
    """The image under each symmetry, in the order of their numbers."""
    mirrored = mirror_columns(bits)
    four = (bits, mirrored, mirror_rows(bits), mirror_rows(mirrored))
    return (*four, *(transpose(image) for image in four))


def apply_symmetry(symmetry: int, bits: int) -> int:
    """The image of a bitboard."""
    image: int = images(bits)[symmetry]
    return image


SQUARE_IMAGES = tuple(
    tuple(images(1 << square)[symmetry].bit_length() - 1 for square in range(64)) for symmetry in SYMMETRIES
)
SQUARE_ORIGINS = tuple(
    tuple(squares.index(square) for square in range(64)) for squares in SQUARE_IMAGES
)  # of each image: where it came from


def square_under(symmetry: int, square: int) -> int:
    """The image of a square 0 to 63. Any other number, the pass for one, is its own image."""
    return SQUARE_IMAGES[symmetry][square] if 0 <= square < 64 else square


def square_before(symmetry: int, square: int) -> int:
    """The square whose image this is; the inverse of `square_under`."""
    return SQUARE_ORIGINS[symmetry][square] if 0 <= square < 64 else square


def canonical(own: int, opponent: int) -> tuple[int, int]:
    """The canonical form of a position."""
    least: tuple[int, int] = min(zip(images(own), images(opponent), strict=True))
    return least


def symmetries_to(own: int, opponent: int) -> tuple[tuple[int, int], tuple[int, ...]]:
    """The canonical form, and every symmetry that leads to it: more than one if the position is symmetric itself."""
    pairs = tuple(zip(images(own), images(opponent), strict=True))
    least = min(pairs)
    return least, tuple(number for number, pair in enumerate(pairs) if pair == least)


def canonical_arrays(
    own: NDArray[np.uint64], opponent: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """`canonical` of many positions at once."""
    least_own, least_opponent = own, opponent
    for image_own, image_opponent in zip(images(own)[1:], images(opponent)[1:], strict=True):
        less = (image_own < least_own) | ((image_own == least_own) & (image_opponent < least_opponent))
        least_own = np.where(less, image_own, least_own)
        least_opponent = np.where(less, image_opponent, least_opponent)
    return least_own, least_opponent
