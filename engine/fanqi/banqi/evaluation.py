"""The static evaluation: material, mobility, hunters and prey, attacked men, and what covered squares may bring.

All of it is a sum over both colours of the same terms, so it is the same for both sides but for the tempo and for
what is attacked when it is whose turn. The men of all pieces are treated at once, a lane a piece
(`fanqi.banqi.lanes`); no loop is over single men but the one over cannons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.board import BLACK, CANNON, RED
from fanqi.banqi.chase import cannon_prey, occupied
from fanqi.banqi.context import TERMS, WEIGHTS
from fanqi.banqi.lanes import ALL, boards, covered_counts, prey, spread, takers, touches, values
from fanqi.banqi.material import BALANCE, CATCH, VALUES, material_entry
from fanqi.banqi.state import HIDDEN, KINDS, SIDES, TURN
from fanqi.banqi.weights import (
    ATTACK_BEST,
    ATTACK_REST,
    CLOSENESS,
    COVERED_DANGER,
    COVERED_PREY,
    COVERED_SHARE,
    MOBILITY,
    MOBILITY_SHARE,
    PURSUIT,
    STUCK,
    TEMPO,
    THREAT_BEST,
    THREAT_REST,
)
from fanqi.bits.memory import address_of, keep_apart, load, store
from fanqi.bits.scalar import popcount, trailing_zeros
from fanqi.bits.vectors import any_bit, choose, halves, maxima, nonzero, popcounts, splat, sums
from fanqi.kernels import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fanqi.bits.vectors import Vector

__all__ = ["SIDE_TERMS", "STATIC_TERMS", "evaluate", "evaluate_many", "static_terms"]

# words that the terms of a side are written to, in cp unless said otherwise
STEPS = 0  # number of steps to empty squares
MOBILE = 1
NEAR = 2  # hunters near prey
ATTACKS = 3
COVERED = 4  # what covered squares and covered men are worth
SIDE_TERMS = 5

FARTHEST = 8  # distance of hunters that need more than eight steps or have no way


@kernel
def _jumped(state: int, own: int, board: int) -> int:
    """The enemy men that the cannons of ``own`` attack."""
    struck = 0
    cannons = load(state, KINDS + 7 * own + CANNON)
    while cannons != 0:
        struck |= cannon_prey(trailing_zeros(cannons), board, load(state, SIDES + 1 - own))
        cannons &= cannons - 1
    return struck


@kernel
def _share(weights: int, distance: int, several: Vector) -> Vector:
    """The 256ths for men whose nearest hunter is ``distance`` + 1 steps off."""
    return choose(several, splat(load(weights, PURSUIT + distance)), splat(load(weights, CLOSENESS + distance)))


@kernel
def _closeness(weights: int, men: Vector, hunters: Vector, free: Vector) -> Vector:
    """What the nearness of the nearest hunter of each man comes to, in 256ths of the value of a man of the piece.

    All hunts go on at once: the hunters of each piece spread over free squares until its men are found, or for eight
    steps.
    """
    several = nonzero(hunters & (hunters - splat(1)))
    left = men & nonzero(hunters)
    reach = hunters
    total = splat(0)
    for distance in range(8):
        around = spread(reach)
        found = left & around
        total += popcounts(found) * _share(weights, distance, several)
        left ^= found
        fresh = around & free & (reach ^ splat(ALL))
        if not any_bit(fresh & nonzero(left)):  # all found, or no way to the others
            break
        reach |= fresh
    return total + popcounts(left) * _share(weights, FARTHEST, several)


@kernel
def _hunt(state: int, weights: int, men: Vector, worth: Vector, red: int, black: int) -> None:
    """Write what it is worth that men attack enemy men and that they are near those they take."""
    keep_apart()
    own = load(state, TURN)
    board = occupied(state)
    hunters = takers(men)
    attacked = men & (halves(_jumped(state, BLACK, board), _jumped(state, RED, board)) | spread(hunters))
    all_red, all_black = sums(popcounts(attacked) * worth)
    best_red, best_black = maxima(nonzero(attacked) & worth)
    near_red, near_black = sums(_closeness(weights, men, hunters, splat(ALL ^ board)) * worth)
    store(red, NEAR, near_black >> 8)
    store(black, NEAR, near_red >> 8)
    red_best, red_rest, black_best, black_rest = ATTACK_BEST, ATTACK_REST, THREAT_BEST, THREAT_REST
    if own == BLACK:
        red_best, red_rest, black_best, black_rest = THREAT_BEST, THREAT_REST, ATTACK_BEST, ATTACK_REST
    gain = best_black * load(weights, red_best) + (all_black - best_black) * load(weights, red_rest)
    store(red, ATTACKS, gain // 100)
    gain = best_red * load(weights, black_best) + (all_red - best_red) * load(weights, black_rest)
    store(black, ATTACKS, gain // 100)


@kernel
def _move_about(state: int, weights: int, men: Vector, worth: Vector, red: int, black: int) -> None:
    """Write what steps are worth."""
    keep_apart()
    free = splat(ALL ^ occupied(state))
    count = touches(men, free)
    stuck = popcounts(men & (spread(free) ^ splat(ALL)))
    weighted = count * splat(load(weights, MOBILITY_SHARE)) - stuck * splat(load(weights, STUCK))
    red_steps, black_steps = sums(count)
    red_weighted, black_weighted = sums(weighted * worth)
    store(red, STEPS, red_steps)
    store(red, MOBILE, red_steps * load(weights, MOBILITY) + red_weighted // 1000)
    store(black, STEPS, black_steps)
    store(black, MOBILE, black_steps * load(weights, MOBILITY) + black_weighted // 1000)


@kernel
def _uncover(state: int, weights: int, men: Vector, worth: Vector, red: int, black: int) -> None:
    """Write what may be gained or lost by what turns up beside men, and what covered men are worth."""
    keep_apart()
    hidden = load(state, HIDDEN)
    if hidden == 0:
        store(red, COVERED, 0)
        store(black, COVERED, 0)
        return
    covered = covered_counts(state)
    covered_worth = covered * worth
    gain = prey(covered_worth) * splat(load(weights, COVERED_PREY))
    danger = takers(covered) * worth * splat(load(weights, COVERED_DANGER))
    beside_red, beside_black = sums(touches(men, splat(hidden)) * (gain - danger))
    inside_red, inside_black = sums(covered_worth)
    total = popcount(hidden)
    share = load(weights, COVERED_SHARE)
    store(red, COVERED, (beside_red // total + inside_red * share) // 1000)
    store(black, COVERED, (beside_black // total + inside_black * share) // 1000)


@kernel
def _sum(terms: int) -> int:
    """What the terms of a side come to."""
    return load(terms, MOBILE) + load(terms, NEAR) + load(terms, ATTACKS) + load(terms, COVERED)


@kernel
def evaluate(context: int, state: int) -> int:
    """The evaluation in cp from the view of the side to move, who must have a colour.

    What it is made of is left in the words at `TERMS`: `SIDE_TERMS` for the side to move, then as many for the other.
    """
    keep_apart()
    weights = load(context, WEIGHTS)
    entry = material_entry(context, state)
    own = load(state, TURN)
    first = load(context, TERMS)
    second = first + 8 * SIDE_TERMS
    red, black = (first, second) if own == RED else (second, first)
    men = boards(state)
    worth = values(entry)
    _hunt(state, weights, men, worth, red, black)
    _move_about(state, weights, men, worth, red, black)
    _uncover(state, weights, men, worth, red, black)
    balance = load(entry, BALANCE)
    score = (balance if own == RED else -balance) + _sum(first) - _sum(second) + load(weights, TEMPO)
    if score > 0:
        return score * load(entry, CATCH + own) // 100
    return -(-score * load(entry, CATCH + 1 - own) // 100)


# numbers that `static_terms` writes: the terms of either side, the percentages of an advantage of either that
# count, and the values of the 14 pieces
STATIC_TERMS = 2 * SIDE_TERMS + 2 + 14


@kernel("int64(int64[::1], Array(int64, 1, 'C', readonly=True), int64[::1])")
def static_terms(words: NDArray[np.int64], state: NDArray[np.int64], numbers: NDArray[np.int64]) -> int:
    """The evaluation in cp, and what it is made of, the side to move first (see `STATIC_TERMS`)."""
    context = address_of(words)
    position = address_of(state)
    entry = material_entry(context, position)
    score = evaluate(context, position)
    for term in range(2 * SIDE_TERMS):
        numbers[term] = load(load(context, TERMS), term)
    own = load(position, TURN)
    numbers[2 * SIDE_TERMS] = load(entry, CATCH + own)
    numbers[2 * SIDE_TERMS + 1] = load(entry, CATCH + 1 - own)
    for piece in range(14):
        numbers[2 * SIDE_TERMS + 2 + piece] = load(entry, VALUES + piece)
    return score


@kernel("void(int64[::1], int64[:, ::1], int64[::1])")
def evaluate_many(words: NDArray[np.int64], states: NDArray[np.int64], scores: NDArray[np.int64]) -> None:
    """The evaluations of many states, for fitting weights."""
    context = address_of(words)
    first = address_of(states)
    for row in range(len(scores)):
        scores[row] = evaluate(context, first + 8 * states.shape[1] * row)
