"""All fourteen pieces at once: vectors with a lane a piece, and who takes whom among them.

The lane of a piece is its code less one, so the halves of a vector are the colours, and lanes 7 and 15 are nobody's.
What is in the lanes may be boards or numbers: since no man is counted twice, boards are added like numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.board import CANNON, KING, PAWN
from fanqi.banqi.material import VALUES
from fanqi.banqi.state import BAG, KINDS
from fanqi.bits.memory import load
from fanqi.bits.vectors import LANES, fixed, halves, load_vector, permutation, popcounts, splat
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from fanqi.bits.vectors import Vector

__all__ = ["ALL", "boards", "covered_counts", "prey", "spread", "takers", "touches", "values"]

ALL = 0xFFFFFFFF
NOT_A = 0xEEEEEEEE
NOT_D = 0x77777777


def _nearby(lanes_off: int) -> list[int]:
    """For `permutation`: the lane so many further on, as long as that is of a piece of the same colour."""
    return [lane + lanes_off if 0 <= (lane & 7) + lanes_off < 7 else -1 for lane in range(LANES)]


_pieces = fixed([0 if lane & 7 == 7 else -1 for lane in range(LANES)])
_all_but_cannons = fixed([0 if lane & 7 in (CANNON, 7) else -1 for lane in range(LANES)])
_digits = fixed([4 * (lane & 7) for lane in range(LANES)])
_enemies = permutation([lane ^ 8 for lane in range(LANES)])
_one_stronger, _two_stronger, _four_stronger = (permutation(_nearby(-off)) for off in (1, 2, 4))
_one_weaker, _two_weaker, _four_weaker = (permutation(_nearby(off)) for off in (1, 2, 4))
_pawns_at_kings = permutation([lane + PAWN if lane & 7 == KING else -1 for lane in range(LANES)])
_kings_at_pawns = permutation([lane - PAWN if lane & 7 == PAWN else -1 for lane in range(LANES)])


@kernel
def boards(state: int) -> Vector:
    """The board of the face-up men of each piece."""
    return load_vector(state + 8 * KINDS, state + 8 * (KINDS + 7)) & _pieces()


@kernel
def values(entry: int) -> Vector:
    """What a man of each piece is worth in cp, from a material entry."""
    return load_vector(entry + 8 * VALUES, entry + 8 * (VALUES + 7)) & _pieces()


@kernel
def covered_counts(state: int) -> Vector:
    """How many men of each piece are covered."""
    bag = load(state, BAG)
    return (halves(bag, bag >> 28) >> _digits()) & splat(15) & _pieces()


@kernel
def takers(numbers: Vector) -> Vector:
    """For each piece the sum over the enemy pieces that take it beside them. Cannons take nothing so."""
    enemies = _enemies(numbers)
    total = enemies & _all_but_cannons()
    total += _one_stronger(total)
    total += _two_stronger(total)
    total += _four_stronger(total)
    return total + _pawns_at_kings(enemies) - _kings_at_pawns(enemies)


@kernel
def prey(numbers: Vector) -> Vector:
    """For each piece the sum over the enemy pieces that it takes beside it."""
    enemies = _enemies(numbers)
    total = enemies
    total += _one_weaker(total)
    total += _two_weaker(total)
    total += _four_weaker(total)
    return (total - _pawns_at_kings(enemies) + _kings_at_pawns(enemies)) & _all_but_cannons()


@kernel
def _up(board: Vector) -> Vector:
    return board << splat(4)


@kernel
def _down(board: Vector) -> Vector:
    return board >> splat(4)


@kernel
def _right(board: Vector) -> Vector:
    return (board & splat(NOT_D)) << splat(1)


@kernel
def _left(board: Vector) -> Vector:
    return (board & splat(NOT_A)) >> splat(1)


@kernel
def spread(board: Vector) -> Vector:
    """The squares beside those of each board."""
    return _up(board) | _down(board) | _right(board) | _left(board)


@kernel
def touches(board: Vector, others: Vector) -> Vector:
    """In how many ways a square of each board lies beside one of the other."""
    beside = popcounts(_up(board) & others) + popcounts(_down(board) & others)
    return beside + popcounts(_right(board) & others) + popcounts(_left(board) & others)
