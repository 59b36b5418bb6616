"""Which covered squares are worth turning up: a static estimate from what may appear beside what.

All men that may turn up are looked at together, a lane a piece (`fanqi.banqi.lanes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.board import CANNON, NEIGHBOURS, RED, STEP_PREY
from fanqi.banqi.chase import cannon_prey
from fanqi.banqi.exchange import value_of
from fanqi.banqi.lanes import ALL
from fanqi.banqi.state import HIDDEN, SIDES, TURN, piece_at
from fanqi.bits.memory import keep_apart, load
from fanqi.bits.scalar import popcount, trailing_zeros
from fanqi.bits.vectors import LANES, choose, greater, halves, nonzero, splat, sums, vector_table
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.bits.vectors import Vector

__all__ = ["flip_estimate"]

THREAT_SHIFT = 2  # a threat that the opponent, who moves next, can still parry counts a fourth


def _enemy_pieces(code: int, kinds: int) -> list[int]:
    """All bits in the lanes of those pieces that are enemies of piece ``code`` and of a kind whose bit is set."""
    return [-1 if lane >> 3 != code >> 3 and kinds >> (lane & 7) & 1 else 0 for lane in range(LANES)]


def _rows(name: str, kinds: list[int]) -> Callable[[int], Vector]:
    """`_enemy_pieces` by code, from the kinds that each kind has to do with."""
    return vector_table(name, [_enemy_pieces(code, kinds[(code & 7) - 1] if code & 7 else 0) for code in range(LANES)])


_taken_by = _rows("banqi_taken_beside", list(STEP_PREY))
_takers_of = _rows(
    "banqi_takers_beside", [sum((STEP_PREY[taker] >> kind & 1) << taker for taker in range(7)) for kind in range(7)]
)
_struck_by = _rows("banqi_struck", [0x7F if kind == CANNON else 0 for kind in range(7)])
_cannons_at = _rows("banqi_cannons", [1 << CANNON] * 7)


@kernel
def flip_estimate(state: int, entry: int, covered: Vector, worth: Vector, board: int, square: int) -> int:
    """The expected change in cp for the side to move when it turns up ``square`` and the opponent moves next.

    Args:
        state: the position.
        entry: its material entry.
        covered: how many men of each piece are covered.
        worth: what a man of each piece is worth.
        board: everything that stands.
        square: a covered one.
    """
    keep_apart()
    open_men = load(state, SIDES) | load(state, SIDES + 1)
    beside = int(NEIGHBOURS[square]) & open_men
    in_line = cannon_prey(square, board, open_men)
    if beside | in_line == 0:
        return 0
    danger = splat(0)
    prey = splat(0)  # the dearest
    while beside != 0:
        code = piece_at(state, trailing_zeros(beside))
        beside &= beside - 1
        danger |= _taken_by(code)
        prey = greater(prey, _takers_of(code) & splat(value_of(entry, code)))
    while in_line != 0:
        code = piece_at(state, trailing_zeros(in_line))
        in_line &= in_line - 1
        danger |= _struck_by(code)
        prey = greater(prey, _cannons_at(code) & splat(value_of(entry, code)))
    own = halves(ALL, 0) if load(state, TURN) == RED else halves(0, ALL)
    ours = choose(danger, splat(0) - worth, prey >> splat(THREAT_SHIFT))
    theirs = choose(nonzero(prey), splat(0) - prey, danger & (worth >> splat(THREAT_SHIFT)))
    red, black = sums(covered * choose(own, ours, theirs))
    return (red + black) // popcount(load(state, HIDDEN))
