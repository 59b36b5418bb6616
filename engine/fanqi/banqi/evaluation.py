"""The static evaluation: material, mobility, attacked men, and how near hunters are to their prey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.board import CANNON
from fanqi.banqi.chase import cannon_prey, occupied
from fanqi.banqi.context import WEIGHTS
from fanqi.banqi.material import BALANCE, CATCH, VALUES, material_entry, takes
from fanqi.banqi.state import KINDS, SIDES, TURN
from fanqi.banqi.weights import (
    ATTACK_BEST,
    ATTACK_REST,
    CLOSENESS,
    MOBILITY,
    TEMPO,
    THREAT_BEST,
    THREAT_REST,
)
from fanqi.bits.memory import address_of, keep_apart, load
from fanqi.bits.scalar import popcount
from fanqi.kernels import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TERMS", "closeness_term", "evaluate", "mobility_term", "static_terms", "threat_term"]

ALL = 0xFFFFFFFF
NOT_A = 0xEEEEEEEE
NOT_D = 0x77777777


@kernel
def spread(board: int) -> int:
    """The squares beside those of ``board``."""
    return ((board << 4) & ALL) | (board >> 4) | ((board & NOT_D) << 1) | ((board & NOT_A) >> 1)


@kernel
def hunters_of(state: int, colour: int, victim: int) -> int:
    """Board of the men of ``colour`` that take a man of kind ``victim`` beside them."""
    kinds = KINDS + 7 * colour
    hunters = 0
    for kind in range(7):
        if takes(kind, victim):
            hunters |= load(state, kinds + kind)
    return hunters


@kernel
def mobility_term(state: int, colour: int) -> int:
    """Steps to empty squares that the men of ``colour`` have."""
    men = load(state, SIDES + colour)
    free = ALL ^ occupied(state)
    return (
        popcount((men << 4) & free)
        + popcount((men >> 4) & free)
        + popcount(((men & NOT_D) << 1) & free)
        + popcount(((men & NOT_A) >> 1) & free)
    )


@kernel
def closeness_term(state: int, weights: int, entry: int, colour: int) -> int:
    """What it is worth to ``colour`` that its men are near the enemy men they can take, in 256ths of a cp.

    The distance is that of the nearest hunter over empty squares.
    """
    keep_apart()
    free = ALL ^ occupied(state)
    enemy = 1 - colour
    total = 0
    for victim in range(7):
        men = load(state, KINDS + 7 * enemy + victim)
        if men == 0:
            continue
        hunters = hunters_of(state, colour, victim)
        if hunters == 0:
            continue
        value = load(entry, VALUES + 7 * enemy + victim)
        while men != 0:
            reach = men & -men
            men ^= reach
            distance = 1
            while distance < 9:
                around = spread(reach)
                if around & hunters != 0:
                    break
                grown = reach | (around & free)
                if grown == reach:
                    distance = 9
                    break
                reach = grown
                distance += 1
            total += value * load(weights, CLOSENESS + distance - 1)
    return total


@kernel
def threat_term(state: int, entry: int, colour: int, best_share: int, rest_share: int) -> int:
    """What it is worth to ``colour`` that it attacks enemy men: two percentages of their values, in 100ths of
    a cp."""
    keep_apart()
    enemy = 1 - colour
    attacked = 0
    board = occupied(state)
    cannons = load(state, KINDS + 7 * colour + CANNON)
    while cannons != 0:
        bit = cannons & -cannons
        cannons ^= bit
        attacked |= cannon_prey(popcount(bit - 1), board, load(state, SIDES + enemy))
    total = 0
    best = 0
    for victim in range(7):
        men = load(state, KINDS + 7 * enemy + victim)
        if men == 0:
            continue
        hit = men & (attacked | spread(hunters_of(state, colour, victim)))
        if hit != 0:
            value = load(entry, VALUES + 7 * enemy + victim)
            total += popcount(hit) * value
            best = max(best, value)
    return best * best_share + (total - best) * rest_share


@kernel
def evaluate(context: int, state: int) -> int:
    """The evaluation in cp from the view of the side to move, who must have a colour."""
    keep_apart()
    weights = load(context, WEIGHTS)
    entry = material_entry(context, state)
    own = load(state, TURN)
    opp = 1 - own
    score = load(entry, BALANCE)
    if own == 1:
        score = -score
    score += load(weights, MOBILITY) * (mobility_term(state, own) - mobility_term(state, opp))
    close = closeness_term(state, weights, entry, own) - closeness_term(state, weights, entry, opp)
    score += close >> 8
    attack = threat_term(state, entry, own, load(weights, ATTACK_BEST), load(weights, ATTACK_REST))
    threat = threat_term(state, entry, opp, load(weights, THREAT_BEST), load(weights, THREAT_REST))
    score += (attack - threat) // 100 + load(weights, TEMPO)
    if score > 0:
        return score * load(entry, CATCH + own) // 100
    return -(-score * load(entry, CATCH + opp) // 100)


TERMS = 8 + 14  # numbers that `static_terms` writes


@kernel("int64(int64[::1], int64[::1], int64[::1])")
def static_terms(words: NDArray[np.int64], state: NDArray[np.int64], terms: NDArray[np.int64]) -> int:
    """The evaluation in cp, and what it is made of.

    Args:
        words: the context.
        state: a state whose side to move has a colour.
        terms: room for `TERMS` numbers: mobility of both, closeness of both in cp, attacks of both in cp, the
            percentages of an advantage of either that count, own first; then the values of the 14 pieces.
    """
    context = address_of(words)
    position = address_of(state)
    weights = load(context, WEIGHTS)
    entry = material_entry(context, position)
    own = load(position, TURN)
    for seat in range(2):
        colour = own if seat == 0 else 1 - own
        best, rest = ATTACK_BEST, ATTACK_REST
        if seat == 1:
            best, rest = THREAT_BEST, THREAT_REST
        terms[seat] = mobility_term(position, colour)
        terms[2 + seat] = closeness_term(position, weights, entry, colour) >> 8
        terms[4 + seat] = threat_term(position, entry, colour, load(weights, best), load(weights, rest)) // 100
        terms[6 + seat] = load(entry, CATCH + colour)
    for piece in range(14):
        terms[8 + piece] = load(entry, VALUES + piece)
    return evaluate(context, position)
