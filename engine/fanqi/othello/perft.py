"""Counting the leaves of the game tree: the test every move generator has to pass.

A pass is one ply; a game that ended earlier is one leaf; the last ply is counted by its number of moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanqi.bits import popcount
from fanqi.bits.recursion import self_call
from fanqi.kernels import kernel
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["perft"]


def _perft_itself() -> Callable[..., int]:
    return perft


_perft = self_call("int64(uint64, uint64, int64)", _perft_itself)


@kernel("int64(uint64, uint64, int64)")
def perft(own: Any, opp: Any, depth: Any) -> Any:
    """Leaves ``depth`` plies (at least 0) below a position."""
    if depth <= 0:
        return 1
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return 1
        return _perft(opp, own, depth - 1)
    if depth == 1:
        return popcount(moves)
    leaves = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        if depth == 2:  # spares a call a node: half of all time
            replies = popcount(legal_moves(after_own, after_opp))
            leaves += replies if replies > 0 else 1
        else:
            leaves += _perft(after_own, after_opp, depth - 1)
    return leaves
