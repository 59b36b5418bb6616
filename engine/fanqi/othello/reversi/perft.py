"""`fanqi.othello.perft` with discs in hand that can run out: the rules of 1890 once the centre is filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanqi.bits import popcount
from fanqi.bits.recursion import self_call
from fanqi.kernels import kernel
from fanqi.othello.moves import ZERO, bit, flips, lowest_square, without_lowest
from fanqi.othello.reversi.hand import moves_in_hand

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["perft_in_hand"]


def _perft_itself() -> Callable[..., int]:
    return perft_in_hand


_perft = self_call("int64(uint64, uint64, int64, int64, int64)", _perft_itself)


@kernel("int64(uint64, uint64, int64, int64, int64)")
def perft_in_hand(own: Any, opp: Any, mine: Any, theirs: Any, depth: Any) -> Any:
    """Leaves ``depth`` plies (at least 0) below a position; ``mine`` and ``theirs`` are the discs in hand."""
    if depth <= 0:
        return 1
    moves = moves_in_hand(own, opp, mine)
    if moves == ZERO:
        if moves_in_hand(opp, own, theirs) == ZERO:
            return 1
        return _perft(opp, own, theirs, mine, depth - 1)
    if depth == 1:
        return popcount(moves)
    leaves = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        leaves += _perft(opp ^ turned, own | turned | bit(square), theirs, mine - 1, depth - 1)
    return leaves
