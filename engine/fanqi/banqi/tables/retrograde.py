"""Solving a class of endgames backwards from its captures.

A *full table* has one byte for each turn and square of each man, ``((turn * 32 + s0) * 32 + s1) …``; turn 0 is the
first side's. A *kept table* has only the positions with man 0 in the quarter a1-b4 of the board, the others being
its mirror images, and eight instead of 32 squares for him. A byte tells what the side to move can force, with the
best play of both, starting with no quiet plies and no chase counts:

    0          nothing: a draw by quiet plies
    d          to win, with the next capture (or the last move of the game) in d plies at most
    128 + d    not to lose, and that in d plies at least

The winner wants few plies and the loser many. Distances end at the next capture, since it sets the quiet plies back
to 0: a win counts if ``d <= limit - quiet plies``. Positions with two men on a square hold 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.board import NEIGHBOURS
from fanqi.banqi.chase import cannon_prey
from fanqi.bits.memory import address_of, load, load_byte, store_byte
from fanqi.bits.scalar import trailing_zeros
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fanqi.banqi.tables.classes import EndgameClass

__all__ = ["LOSS", "QUARTER", "WORDS", "describe", "full_size", "keep", "kept_size", "solve"]

LOSS = 128
LONGEST = 120  # plies; longer wins are of no use under any limit in use
QUARTER = (0, 1, 4, 5, 8, 9, 12, 13)  # a1 b1 a2 b2 … b4

# words of the description of a class
MEN = 0
FIRST = 1
CANNONS = 2
TAKES = 3
CHILDREN = 4  # for each man taken: address of the full table of those left, 0 when a side is gone
SWAPPED = 8  # 1 when the sides change places in it
ORDERS = 12  # its men, as numbers here, four bits each
WORDS = 16


def full_size(men: int) -> int:
    """Bytes of a full table."""
    return 2 << (5 * men)


def kept_size(men: int) -> int:
    """Bytes of a kept table."""
    return 16 << (5 * (men - 1))


def describe(
    kind: EndgameClass, child: Callable[[EndgameClass], tuple[NDArray[np.uint8], bool, tuple[int, ...]]]
) -> NDArray[np.int64]:
    """The words that `solve` wants to know a class by.

    Args:
        kind: the class.
        child: gives, for the men that a capture leaves, the full table of their class, whether the sides change
            places in it, and the order its men take there.
    """
    words = np.zeros(WORDS, np.int64)
    words[MEN], words[FIRST], words[CANNONS], words[TAKES] = kind.men, kind.first, kind.cannons, kind.takes
    for man in range(kind.men):
        left = kind.without(man)
        if left.first == 0 or left.second == 0:
            continue
        table, swapped, order = child(left)
        words[CHILDREN + man] = table.ctypes.data
        words[SWAPPED + man] = swapped
        rest = [other for other in range(kind.men) if other != man]
        words[ORDERS + man] = sum(rest[place] << (4 * i) for i, place in enumerate(order))
    return words


@kernel
def _square(index: int, men: int, man: int) -> int:
    return (index >> (5 * (men - 1 - man))) & 31


@kernel
def _after_capture(words: int, index: int, mover: int, victim: int, target: int, turn: int) -> int:
    """What the opponent is left with when man ``mover`` has taken ``victim`` on ``target``."""
    table = load(words, CHILDREN + victim)
    if table == 0:
        return LOSS  # nobody left: lost at once
    men = load(words, MEN)
    order = load(words, ORDERS + victim)
    place = (1 - turn) ^ load(words, SWAPPED + victim)
    for rank in range(men - 1):
        man = (order >> (4 * rank)) & 15
        square = target if man == mover else _square(index, men, man)
        place = place * 32 + square
    return load_byte(table, place)


@kernel
def _decide(words: int, table: int, index: int, plies: int) -> int:
    """The byte for a position if it is decided by what is known up to ``plies - 1`` plies, else 0."""
    men = load(words, MEN)
    first = load(words, FIRST)
    takes = load(words, TAKES)
    size = 1 << (5 * men)
    turn = 1 if index >= size else 0
    board = 0
    enemies = 0
    for man in range(men):
        bit = 1 << _square(index, men, man)
        if board & bit != 0:
            return 0
        board |= bit
        if (man >= first) != (turn == 1):
            enemies |= bit
    longest = 0
    lost = True
    for man in range(men):
        if (man >= first) != (turn == 1):
            continue
        origin = _square(index, men, man)
        shift = 5 * (men - 1 - man)
        beside = int(NEIGHBOURS[origin])
        jumps = 0
        if load(words, CANNONS) >> man & 1 != 0:
            jumps = cannon_prey(origin, board, enemies)
        for victim in range(men):
            square = _square(index, men, victim)
            if enemies >> square & 1 == 0:
                continue
            if jumps >> square & 1 != 0 or (beside >> square & 1 != 0 and takes >> (8 * man + victim) & 1 != 0):
                left = _after_capture(words, index, man, victim, square, turn)
                if left >= LOSS:
                    return 1
                if left == 0:
                    lost = False
                longest = max(longest, 1)
        steps = beside & ~board
        while steps != 0:
            target = trailing_zeros(steps)
            steps &= steps - 1
            child = index ^ ((origin ^ target) << shift)
            child = child - size if turn == 1 else child + size
            value = load_byte(table, child)
            if value >= LOSS and value - LOSS < plies:
                return value - LOSS + 1
            if value == 0 or value >= LOSS or value >= plies:
                lost = False
            longest = max(longest, value + 1)
    return LOSS + longest if lost else 0


@kernel("int64(int64[::1], uint8[::1], int64[::1])")
def solve(description: NDArray[np.int64], full: NDArray[np.uint8], progress: NDArray[np.int64]) -> int:
    """Fill the full table of a class.

    Args:
        description: from `describe`.
        full: `full_size` zeros.
        progress: word 0 is set to the plies done, word 1 is a stop flag.

    Returns:
        The longest distance, or -1 when stopped.
    """
    words = address_of(description)
    table = address_of(full)
    longest = 0
    for plies in range(LONGEST + 1):
        changed = 0
        for index in range(len(full)):
            if full[index] == 0:
                value = _decide(words, table, index, plies)
                if value != 0 and (value & 127) <= plies:
                    store_byte(table, index, value)
                    changed += 1
        progress[0] = plies
        if progress[1] != 0:
            return -1
        if changed != 0:
            longest = plies
        elif plies > 1:
            break
    return longest


def keep(full: NDArray[np.uint8], men: int) -> NDArray[np.uint8]:
    """The kept table of a full one."""
    shaped = full.reshape(2, 32, 32 ** (men - 1))
    return np.ascontiguousarray(shaped[:, list(QUARTER), :]).reshape(-1)
