"""The static evaluation: material, mobility, hunters and prey, attacked men, and what covered squares may bring.

All of it is a sum over both colours of the same terms, so it is the same for both sides but for the tempo and for
what is attacked when it is whose turn. Men are treated kind by kind on boards; the only loop over single men is the
search for the nearest hunter of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.board import CANNON, KING, PAWN
from fanqi.banqi.chase import cannon_prey, occupied
from fanqi.banqi.context import TERMS, WEIGHTS
from fanqi.banqi.material import BALANCE, CATCH, VALUES, material_entry
from fanqi.banqi.state import HIDDEN, KINDS, SIDES, TURN, covered_count
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
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SIDE_TERMS", "STATIC_TERMS", "evaluate", "evaluate_many", "static_terms"]

ALL = 0xFFFFFFFF
NOT_A = 0xEEEEEEEE
NOT_D = 0x77777777

# typed, since a literal argument would have the callee compiled once more for just that value
TO_MOVE: int = np.int64(0)  # type: ignore[assignment]
WAITING: int = np.int64(1)  # type: ignore[assignment]

# words that `_side` adds up, in cp unless said otherwise
STEPS = 0  # number of steps to empty squares
MOBILE = 1
NEAR = 2  # hunters near prey
ATTACKS = 3
COVERED = 4  # what covered squares and covered men are worth
SIDE_TERMS = 5


@kernel
def spread(board: int) -> int:
    """The squares beside those of ``board``."""
    return ((board << 4) & ALL) | (board >> 4) | ((board & NOT_D) << 1) | ((board & NOT_A) >> 1)


@kernel
def _touches(board: int, others: int) -> int:
    """In how many ways a square of ``board`` lies beside one of ``others``."""
    return (
        popcount((board << 4) & others)
        + popcount((board >> 4) & others)
        + popcount(((board & NOT_D) << 1) & others)
        + popcount(((board & NOT_A) >> 1) & others)
    )


@kernel
def _takers(count: int, kind: int, king: int, pawn: int) -> int:
    """Those that take ``kind`` beside them, from ``count`` (of all kinds at least as strong, the cannon left out).

    Works on boards and on numbers alike, since no man is counted twice.
    """
    if kind == KING:
        return king + pawn
    if kind == PAWN:
        return count - king
    return count


@kernel
def _distance(prey: int, hunters: int, free: int) -> int:
    """Steps over free squares that the nearest hunter needs to take ``prey``, 9 for more than 8 or none."""
    reach = prey
    for distance in range(1, 9):
        around = spread(reach)
        if around & hunters != 0:
            return distance
        grown = reach | (around & free)
        if grown == reach:
            return 9
        reach = grown
    return 9


@kernel
def _hunt(state: int, weights: int, entry: int, own: int, best_share: int, rest_share: int, terms: int) -> None:
    """Add what it is worth to ``own`` that its men attack enemy men, and that they are near those they take.

    ``best_share`` is the percentage for the dearest attacked man, ``rest_share`` that for the others.
    """
    keep_apart()
    enemy = 1 - own
    board = occupied(state)
    free = ALL ^ board
    jumped = 0
    cannons = load(state, KINDS + 7 * own + CANNON)
    while cannons != 0:
        square = trailing_zeros(cannons)
        cannons &= cannons - 1
        jumped |= cannon_prey(square, board, load(state, SIDES + enemy))
    near = 0
    total = 0
    best = 0
    stronger = 0
    king = load(state, KINDS + 7 * own + KING)
    pawn = load(state, KINDS + 7 * own + PAWN)
    for kind in range(7):
        if kind != CANNON:
            stronger += load(state, KINDS + 7 * own + kind)
        prey = load(state, KINDS + 7 * enemy + kind)
        if prey == 0:
            continue
        hunters = _takers(stronger, kind, king, pawn)
        value = load(entry, VALUES + 7 * enemy + kind)
        attacked = prey & (jumped | spread(hunters))
        if attacked != 0:
            total += popcount(attacked) * value
            best = max(best, value)
        if hunters == 0:
            continue
        by_distance = CLOSENESS if hunters & (hunters - 1) == 0 else PURSUIT
        while prey != 0:
            one = prey & -prey
            prey ^= one
            near += value * load(weights, by_distance + _distance(one, hunters, free) - 1)
    store(terms, NEAR, near >> 8)
    store(terms, ATTACKS, (best * best_share + (total - best) * rest_share) // 100)


@kernel
def _move_about(state: int, weights: int, entry: int, own: int, terms: int) -> None:
    """Add what the steps of ``own`` are worth."""
    free = ALL ^ occupied(state)
    steps = 0
    weighted = 0
    open_men = spread(free)
    for kind in range(7):
        men = load(state, KINDS + 7 * own + kind)
        if men == 0:
            continue
        value = load(entry, VALUES + 7 * own + kind)
        count = _touches(men, free)
        steps += count
        weighted += count * value * load(weights, MOBILITY_SHARE)
        weighted -= popcount(men & ~open_men) * value * load(weights, STUCK)
    store(terms, STEPS, steps)
    store(terms, MOBILE, steps * load(weights, MOBILITY) + weighted // 1000)


@kernel
def _uncover(state: int, weights: int, entry: int, own: int, terms: int) -> None:
    """Add what ``own`` may gain or lose by what turns up beside its men, and what its covered men are worth."""
    keep_apart()
    hidden = load(state, HIDDEN)
    if hidden == 0:
        store(terms, COVERED, 0)
        return
    own_piece = 7 * own
    enemy_piece = 7 - own_piece
    stronger = 0
    king = covered_count(state, enemy_piece + KING)
    pawn = covered_count(state, enemy_piece + PAWN)
    rest_value = 0  # of the covered enemies that are not stronger than the kind at hand
    for kind in range(7):
        rest_value += covered_count(state, enemy_piece + kind) * load(entry, VALUES + enemy_piece + kind)
    pawn_value = pawn * load(entry, VALUES + enemy_piece + PAWN)
    king_value = king * load(entry, VALUES + enemy_piece + KING)
    danger = 0
    gain = 0
    share = 0
    for kind in range(7):
        count = covered_count(state, enemy_piece + kind)
        value = load(entry, VALUES + own_piece + kind)
        if kind != CANNON:
            stronger += count
        men = load(state, KINDS + own_piece + kind)
        if men != 0 and kind != CANNON:
            beside = _touches(men, hidden)
            danger += beside * value * _takers(stronger, kind, king, pawn)
            prey = rest_value
            if kind == KING:
                prey = rest_value - pawn_value
            elif kind == PAWN:
                prey = pawn_value + king_value
            gain += beside * prey
        elif men != 0:
            danger += _touches(men, hidden) * value * stronger
        rest_value -= count * load(entry, VALUES + enemy_piece + kind)
        share += covered_count(state, own_piece + kind) * value
    total = popcount(hidden)
    score = (gain * load(weights, COVERED_PREY) - danger * load(weights, COVERED_DANGER)) // total
    store(terms, COVERED, (score + share * load(weights, COVERED_SHARE)) // 1000)


@kernel
def _side(state: int, weights: int, entry: int, own: int, waiting: int, terms: int) -> int:
    """All terms of one colour but material; ``waiting`` is 1 for the one that is not to move."""
    best = ATTACK_BEST
    rest = ATTACK_REST
    if waiting != 0:
        best = THREAT_BEST
        rest = THREAT_REST
    _hunt(state, weights, entry, own, load(weights, best), load(weights, rest), terms)
    _move_about(state, weights, entry, own, terms)
    _uncover(state, weights, entry, own, terms)
    return load(terms, MOBILE) + load(terms, NEAR) + load(terms, ATTACKS) + load(terms, COVERED)


@kernel
def _total(state: int, weights: int, entry: int, terms: int) -> int:
    own = load(state, TURN)
    opp = 1 - own
    score = load(entry, BALANCE)
    if own == 1:
        score = -score
    score += _side(state, weights, entry, own, TO_MOVE, terms)
    score -= _side(state, weights, entry, opp, WAITING, terms + 8 * SIDE_TERMS)
    score += load(weights, TEMPO)
    if score > 0:
        return score * load(entry, CATCH + own) // 100
    return -(-score * load(entry, CATCH + opp) // 100)


@kernel
def evaluate(context: int, state: int) -> int:
    """The evaluation in cp from the view of the side to move, who must have a colour."""
    keep_apart()
    return _total(state, load(context, WEIGHTS), material_entry(context, state), load(context, TERMS))


# numbers that `static_terms` writes: those of `_side` for either side, the percentages of an advantage of either that
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
