"""Who attacks whom, and the ban on chasing one piece with another for too long.

A *counter* says how often in succession one piece (the chaser) has attacked one enemy piece (the target) by
its own quiet moves. The counters of a colour are packed into `CHASE_WORDS` words, four to a word of 15 bits
each, the first
empty one (0) ends the list::

    bits 0-4 square of the target   bits 5-9 square of the chaser   bits 10-14 count

Play leaves at most four counters of one chaser (an attack has four directions), all in the first word;
positions set up by hand may hold up to 16. Captures and flips clear the counters of both colours.
"""

from __future__ import annotations

from fanqi.banqi.board import CANNON, NEIGHBOURS, RAYS
from fanqi.banqi.state import CHASE_LIMIT, CHASE_WORDS, CHASES, HIDDEN, KINDS, SIDES, piece_at
from fanqi.bits.memory import keep_apart, load, store
from fanqi.bits.scalar import leading_zeros, trailing_zeros
from fanqi.kernels import kernel

__all__ = [
    "COUNTERS",
    "attacked_from",
    "cannon_prey",
    "clear_chases",
    "count_chase",
    "is_banned",
    "occupied",
    "pack_counter",
    "step_prey",
]

COUNTERS = 4 * CHASE_WORDS
COUNTER_BITS = 15
_COUNTER_MASK = (1 << COUNTER_BITS) - 1


def pack_counter(chaser: int, target: int, count: int) -> int:
    """One counter as its 15 bits."""
    return target | chaser << 5 | count << 10


@kernel
def occupied(state: int) -> int:
    """Board of everything that stands: covered squares and both colours."""
    return load(state, HIDDEN) | load(state, SIDES) | load(state, SIDES + 1)


@kernel
def step_prey(state: int, enemy: int, kind: int) -> int:
    """Board of the men of colour ``enemy`` that a man of ``kind`` takes when they stand beside it."""
    kinds = KINDS + 7 * enemy
    pawns = load(state, kinds + 6)
    if kind == 6:
        return pawns | load(state, kinds)
    if kind == 5:
        return 0
    if kind == 0:
        return load(state, SIDES + enemy) & ~pawns
    prey = pawns | load(state, kinds + 5) | load(state, kinds + 4)
    if kind <= 3:
        prey |= load(state, kinds + 3)
        if kind <= 2:
            prey |= load(state, kinds + 2)
            if kind == 1:
                prey |= load(state, kinds + 1)
    return prey


@kernel
def cannon_prey(square: int, occupied_board: int, enemies: int) -> int:
    """Board of the enemies a cannon on ``square`` takes: in each direction the second man if he is one."""
    keep_apart()
    prey = 0
    for direction in range(2):  # up, right: the nearest is the lowest bit
        line = RAYS[direction * 32 + square] & occupied_board
        line &= line - 1
        prey |= line & -line
    for direction in range(2, 4):  # down, left: the nearest is the highest bit
        line = RAYS[direction * 32 + square] & occupied_board
        if line != 0:
            line ^= 1 << (63 - leading_zeros(line))
            if line != 0:
                prey |= 1 << (63 - leading_zeros(line))
    return prey & enemies


@kernel
def attacked_from(state: int, colour: int, kind: int, square: int, occupied_board: int) -> int:
    """Board of the enemies that a man of ``kind`` of ``colour`` could take from ``square``.

    ``occupied_board`` is what stands on the board then; it may differ from the state by the man's own move.
    """
    if kind == CANNON:
        return cannon_prey(square, occupied_board, load(state, SIDES + 1 - colour))
    return int(NEIGHBOURS[square]) & step_prey(state, 1 - colour, kind)


@kernel
def is_banned(state: int, colour: int, origin: int, target: int) -> bool:
    """Whether a quiet move of ``colour`` from ``origin`` to ``target`` is one chase too many."""
    keep_apart()
    if load(state, CHASES + CHASE_WORDS * colour) == 0:
        return False
    limit = load(state, CHASE_LIMIT)
    attacked = -1
    for word in range(CHASE_WORDS):
        rest = load(state, CHASES + CHASE_WORDS * colour + word)
        while rest != 0:
            if rest & 0x3E0 == origin << 5 and (rest & _COUNTER_MASK) >> 10 >= limit:
                if attacked < 0:
                    board = occupied(state) ^ (1 << origin) ^ (1 << target)
                    kind = (piece_at(state, origin) & 7) - 1
                    attacked = attacked_from(state, colour, kind, target, board)
                if attacked >> (rest & 31) & 1:
                    return True
            rest >>= COUNTER_BITS
    return False


@kernel
def clear_chases(state: int) -> None:
    """Forget all counters, as a capture or a flip does."""
    for word in range(2 * CHASE_WORDS):
        store(state, CHASES + word, 0)


@kernel
def _follow(state: int, colour: int, origin: int, target: int) -> None:
    """The counters of ``colour`` follow a chased piece from ``origin`` to ``target``."""
    for word in range(CHASES + CHASE_WORDS * colour, CHASES + CHASE_WORDS * (colour + 1)):
        rest = load(state, word)
        if rest == 0:
            break
        shift = 0
        moved = 0
        while rest >> shift != 0:
            if rest >> shift & 31 == origin:
                moved |= (origin ^ target) << shift
            shift += COUNTER_BITS
        store(state, word, rest ^ moved)


@kernel
def count_chase(state: int, colour: int, origin: int, target: int) -> None:
    """Bring all counters up to date after a quiet move of ``colour``; the man is on ``target`` already."""
    keep_apart()
    if load(state, CHASE_LIMIT) == 0:
        return
    _follow(state, 1 - colour, origin, target)
    first = CHASES + CHASE_WORDS * colour
    kind = (piece_at(state, target) & 7) - 1
    attacked = attacked_from(state, colour, kind, target, occupied(state))
    if attacked == 0 and load(state, first) == 0:
        return
    fresh = 0
    shift = 0
    while attacked != 0:
        chased = trailing_zeros(attacked)
        attacked &= attacked - 1
        count = 1
        for word in range(CHASE_WORDS):
            rest = load(state, first + word)
            while rest != 0:
                if rest & 0x3FF == (chased | origin << 5):
                    count = ((rest & _COUNTER_MASK) >> 10) + 1
                rest >>= COUNTER_BITS
        fresh |= (chased | target << 5 | count << 10) << shift
        shift += COUNTER_BITS
    store(state, first, fresh)
    for word in range(1, CHASE_WORDS):
        store(state, first + word, 0)
