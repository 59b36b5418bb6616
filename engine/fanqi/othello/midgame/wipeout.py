"""Wipe-outs: a side that loses all its discs has lost by 64, however good the patterns find its position.

Patterns and error models are fitted to ordinary games, where few discs are a merit and nobody loses them all. So three
things here do without them:

* `endangered` names the positions where a shallow value is no evidence about a deep one (no ProbCut there);
* `wipes_out` sees a wipe-out by one move, for the leaves of the search;
* `wiped_out_by` proves that a root move loses all discs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.bits.recursion import self_call
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.features import CORNERS
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FEW_DISCS", "endangered", "wiped_out_by", "wipes_out"]

VERY_FEW_DISCS = 3
"""So few discs are always in danger."""
FEW_DISCS = 8
"""With more discs a wipe-out is too rare to look for: of 1,000 positions of random games in which a side with up to 7
discs can be wiped out within eight plies, 8 had 6 or 7."""
RATIO = 3
"""A side of few discs is in danger when the other has so many times as many. Ordinary openings stay below."""


@kernel
def endangered(own: Any, opp: Any) -> Any:
    """Whether a side has so few discs that it may lose them all soon.

    No ProbCut in such positions costs 0.6 % more nodes in `fanqi bench midgame --depth 22`, 6 % if 4 discs were always
    in danger.
    """
    mine, theirs = popcount(own), popcount(opp)
    few = min(mine, theirs)
    return few <= VERY_FEW_DISCS or (few <= FEW_DISCS and RATIO * few <= max(mine, theirs))


@kernel
def wipes_out(own: Any, opp: Any) -> Any:
    """Whether a move of ``own`` turns every disc of ``opp``."""
    moves = legal_moves(own, opp)
    while moves != ZERO:
        if flips(own, opp, lowest_square(moves)) == opp:
            return True
        moves = without_lowest(moves)
    return False


def _wiped_out_itself() -> Callable[..., int]:
    return wiped_out


_wiped_out = self_call("int64(int64, uint64, uint64, int64, int64)", _wiped_out_itself)


@kernel
def wiped_out(block: Any, own: Any, opp: Any, plies: Any, attacking: Any) -> Any:
    """1 if the side that is attacked loses all discs by force within ``plies``, passes not counted; 0 if that is not
    proved, because it does not or because the positions in ``PROOF_LEFT`` are used up.

    Args:
        own, opp: the side to move and the other.
        attacking: 1 if ``own`` attacks and ``opp`` may be wiped out, 0 the other way round.
    """
    if plies <= 1:
        if attacking != 0:
            return np.int64(plies == 1 and wipes_out(own, opp))
        return np.int64(plies == 1 and legal_moves(own, opp) == ZERO and wipes_out(opp, own))
    left = load(block, ctx.PROOF_LEFT)
    if left <= 0:
        return np.int64(0)
    store(block, ctx.PROOF_LEFT, left - 1)
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return np.int64(0)
        return _wiped_out(block, opp, own, plies, 1 - attacking)
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        if attacking != 0:
            if after_own == ZERO:
                return np.int64(1)
            if (after_own & CORNERS) == ZERO and _wiped_out(block, after_own, after_opp, plies - 1, 1 - attacking) != 0:
                return np.int64(1)
        elif (after_opp & CORNERS) != ZERO or _wiped_out(block, after_own, after_opp, plies - 1, 1 - attacking) == 0:
            return np.int64(0)
    return 1 - attacking


@kernel("uint64(int64, uint64, uint64, uint64, int64)")
def wiped_out_by(block: Any, own: Any, opp: Any, moves: Any, plies: Any) -> Any:
    """Those of ``moves`` after which ``own`` loses all discs by force within ``plies``, that move counted.

    Args:
        block: of the context; ``PROOF_LEFT`` is the number of positions that may be visited, and becomes what is left.
        moves: legal moves of ``own``, as a bitboard.
    """
    found = ZERO
    attacking = np.int64(1)
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        after = own | turned | bit(square)
        if (after & CORNERS) == ZERO and wiped_out(block, opp ^ turned, after, plies - 1, attacking) != 0:
            found |= bit(square)
    return found
