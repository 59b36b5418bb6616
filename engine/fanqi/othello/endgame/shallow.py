"""Five empty squares and a few more: no table, moves by quadrant parity alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanqi.bits import load
from fanqi.bits.recursion import self_call
from fanqi.bits.tables import word_table
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.last import WORST, final_score, solve_4
from fanqi.othello.frame import count_node
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest
from fanqi.othello.stability import count_stable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["odd_quadrants", "quadrant_of", "shallow", "stability_bound", "stability_pays"]

QUADRANTS = (0x000000000F0F0F0F, 0x00000000F0F0F0F0, 0x0F0F0F0F00000000, 0xF0F0F0F000000000)

quadrant_of = word_table("fanqi_quadrant", [QUADRANTS[(square >> 2 & 1) | (square >> 4 & 2)] for square in range(64)])

# alpha, by number of empty squares, from which the opponent's stable discs are worth counting
stability_pays = word_table(
    "fanqi_stability_pays",
    [99, 99, 99, 99, 99, 4, 8, 10, 12, 14, 16, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46]
    + [48, 48, 50, 50, 52, 52, 54, 54, 56, 56, 58, 58, 60, 60, 62, 62]
    + [99] * 24,
)


@kernel
def odd_quadrants(own: Any, opp: Any) -> Any:
    """All squares of the quadrants with an odd number of empty squares."""
    from_empty = ~(own | opp)
    odd = ZERO
    while from_empty != ZERO:
        odd ^= quadrant_of(lowest_square(from_empty))
        from_empty = without_lowest(from_empty)
    return odd


@kernel
def stability_bound(block: Any, own: Any, opp: Any) -> Any:
    """An upper bound of the score: the opponent keeps his stable discs."""
    return 64 - 2 * count_stable(load(block, ctx.EDGES), opp, own)


def _shallow_itself() -> Callable[..., int]:
    return shallow


_shallow = self_call("int64(int64, uint64, uint64, int64, int64, uint64)", _shallow_itself)


@kernel
def shallow(block: Any, own: Any, opp: Any, alpha: Any, empties: Any, odd: Any) -> Any:
    """The score in the null window above ``alpha`` with five or more empty squares.

    Args:
        odd: as `odd_quadrants` gives it.
    """
    count_node(block)
    if alpha >= stability_pays(empties):
        bound = stability_bound(block, own, opp)
        if bound <= alpha:
            return bound
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return final_score(own, opp)
        return -_shallow(block, opp, own, ~alpha, empties, odd)
    best = WORST
    part = moves & odd
    rest = moves & ~odd
    if part == ZERO:
        part, rest = rest, part
    while True:
        while part != ZERO:
            square = lowest_square(part)
            part = without_lowest(part)
            turned = flips(own, opp, square)
            after_own, after_opp = opp ^ turned, own | turned | bit(square)
            after_odd = odd ^ quadrant_of(square)
            if empties == 5:
                score = -solve_4(block, after_own, after_opp, ~alpha, after_odd)
            else:
                score = -_shallow(block, after_own, after_opp, ~alpha, empties - 1, after_odd)
            if score > alpha:
                return score
            if score > best:
                best = score
        if rest == ZERO:
            return best
        part, rest = rest, ZERO
