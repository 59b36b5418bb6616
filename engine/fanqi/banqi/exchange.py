"""Static exchange evaluation: what a capture wins once all recaptures on its square are made."""

from __future__ import annotations

from fanqi.banqi.board import CANNON, NEIGHBOURS
from fanqi.banqi.chase import cannon_prey, occupied
from fanqi.banqi.context import SWAPS
from fanqi.banqi.material import VALUES, takes
from fanqi.banqi.state import KINDS, piece_at
from fanqi.bits.memory import keep_apart, load, store
from fanqi.bits.scalar import trailing_zeros
from fanqi.kernels import kernel

__all__ = ["exchange", "value_of"]

NOBODY = -1


@kernel
def value_of(entry: int, code: int) -> int:
    """The value in cp of the man with a piece code."""
    return load(entry, VALUES + 7 * (code >> 3) + (code & 7) - 1)


@kernel
def _cheapest(state: int, entry: int, colour: int, square: int, victim: int, board: int) -> int:
    """Square of the cheapest man of ``colour`` on ``board`` that takes a man of kind ``victim`` on
    ``square``."""
    best = NOBODY
    lowest = 1 << 30
    beside = int(NEIGHBOURS[square]) & board
    for kind in range(7):
        men = load(state, KINDS + 7 * colour + kind) & board
        if kind == CANNON:
            men = cannon_prey(square, board, men) if men != 0 else 0
        elif takes(kind, victim):
            men &= beside
        else:
            men = 0
        if men != 0 and load(entry, VALUES + 7 * colour + kind) < lowest:
            lowest = load(entry, VALUES + 7 * colour + kind)
            best = trailing_zeros(men)
    return best


@kernel
def exchange(context: int, state: int, entry: int, origin: int, target: int) -> int:
    """What the capture ``origin`` to ``target`` wins in cp when both sides capture on as long as it pays."""
    keep_apart()
    swaps = load(context, SWAPS)
    taker = piece_at(state, origin)
    colour = taker >> 3
    board = occupied(state) ^ (1 << origin)
    store(swaps, 0, value_of(entry, piece_at(state, target)))
    last = 0
    while last < 30:
        colour = 1 - colour
        square = _cheapest(state, entry, colour, target, (taker & 7) - 1, board)
        if square == NOBODY:
            break
        last += 1
        store(swaps, last, value_of(entry, taker) - load(swaps, last - 1))
        taker = piece_at(state, square)
        board ^= 1 << square
    while last > 0:
        store(swaps, last - 1, -max(-load(swaps, last - 1), load(swaps, last)))
        last -= 1
    return load(swaps, 0)
