"""The last four empty squares, each with its own function: half of all nodes are here.

All scores are final disc differences from the view of the side to move, empty squares counted for the winner.
Functions take a null window: they return a bound above ``alpha`` as soon as they have one (fail-soft).
"""

from __future__ import annotations

from typing import Any

from fanqi.bits import popcount
from fanqi.bits.tables import word_table
from fanqi.kernels import kernel
from fanqi.othello.frame import count_node
from fanqi.othello.moves import ZERO, bit, flips, lowest_square, without_lowest

__all__ = ["final_score", "neighbours", "solve_1", "solve_2", "solve_3", "solve_4"]

WORST = -127

neighbours = word_table(
    "fanqi_neighbours",
    [
        sum(
            1 << (8 * row + column)
            for row in range(8)
            for column in range(8)
            if max(abs(row - square // 8), abs(column - square % 8)) == 1
        )
        for square in range(64)
    ],
)


@kernel
def final_score(own: Any, opp: Any) -> Any:
    """The score of a finished game."""
    mine, theirs = popcount(own), popcount(opp)
    if mine > theirs:
        return 64 - 2 * theirs
    if mine < theirs:
        return 2 * mine - 64
    return mine - theirs


@kernel
def solve_1(own: Any, square: Any) -> Any:
    """The score with one empty square: every other one is ``own`` or the opponent's."""
    opp = ~(own | bit(square))
    mine = popcount(own)
    turned = popcount(flips(own, opp, square))
    if turned > 0:
        return 2 * (mine + turned) - 62
    turned = popcount(flips(opp, own, square))
    if turned > 0:
        return 2 * (mine - turned) - 64
    return 2 * mine - 62 if mine > 31 else 2 * mine - 64


@kernel
def solve_2(block: Any, own: Any, opp: Any, alpha: Any, a: Any, b: Any) -> Any:
    """The score with two empty squares."""
    count_node(block)
    best = WORST
    if (neighbours(a) & opp) != ZERO:
        turned = flips(own, opp, a)
        if turned != ZERO:
            count_node(block)
            best = -solve_1(opp ^ turned, b)
            if best > alpha:
                return best
    if (neighbours(b) & opp) != ZERO:
        turned = flips(own, opp, b)
        if turned != ZERO:
            count_node(block)
            score = -solve_1(opp ^ turned, a)
            return score if score > best else best
    if best > WORST:
        return best
    # a pass: the same for the opponent, who wants less
    best = -WORST
    if (neighbours(a) & own) != ZERO:
        turned = flips(opp, own, a)
        if turned != ZERO:
            count_node(block)
            best = solve_1(own ^ turned, b)
            if best <= alpha:
                return best
    if (neighbours(b) & own) != ZERO:
        turned = flips(opp, own, b)
        if turned != ZERO:
            count_node(block)
            score = solve_1(own ^ turned, a)
            return score if score < best else best
    return best if best < -WORST else final_score(own, opp)


@kernel
def solve_3(block: Any, own: Any, opp: Any, alpha: Any, a: Any, b: Any, c: Any) -> Any:
    """The score with three empty squares; an only empty square of its quadrant is tried first."""
    count_node(block)
    if ((a ^ b) & 36) == 0:  # 36: the two bits of a square's number that tell its quadrant
        a, c = c, a
    elif ((a ^ c) & 36) == 0:
        a, b = b, a
    best = WORST
    if (neighbours(a) & opp) != ZERO:
        turned = flips(own, opp, a)
        if turned != ZERO:
            best = -solve_2(block, opp ^ turned, own | turned | bit(a), ~alpha, b, c)
            if best > alpha:
                return best
    if (neighbours(b) & opp) != ZERO:
        turned = flips(own, opp, b)
        if turned != ZERO:
            score = -solve_2(block, opp ^ turned, own | turned | bit(b), ~alpha, a, c)
            if score > alpha:
                return score
            if score > best:
                best = score
    if (neighbours(c) & opp) != ZERO:
        turned = flips(own, opp, c)
        if turned != ZERO:
            score = -solve_2(block, opp ^ turned, own | turned | bit(c), ~alpha, a, b)
            return score if score > best else best
    if best > WORST:
        return best
    best = -WORST
    if (neighbours(a) & own) != ZERO:
        turned = flips(opp, own, a)
        if turned != ZERO:
            best = solve_2(block, own ^ turned, opp | turned | bit(a), alpha, b, c)
            if best <= alpha:
                return best
    if (neighbours(b) & own) != ZERO:
        turned = flips(opp, own, b)
        if turned != ZERO:
            score = solve_2(block, own ^ turned, opp | turned | bit(b), alpha, a, c)
            if score <= alpha:
                return score
            if score < best:
                best = score
    if (neighbours(c) & own) != ZERO:
        turned = flips(opp, own, c)
        if turned != ZERO:
            score = solve_2(block, own ^ turned, opp | turned | bit(c), alpha, a, b)
            return score if score < best else best
    return best if best < -WORST else final_score(own, opp)


@kernel
def try_4(block: Any, own: Any, opp: Any, alpha: Any, x: Any, a: Any, b: Any, c: Any) -> Any:
    """The score of playing ``x`` with ``a``, ``b``, ``c`` left; `WORST` if it is not legal."""
    if (neighbours(x) & opp) == ZERO:
        return WORST
    turned = flips(own, opp, x)
    if turned == ZERO:
        return WORST
    return -solve_3(block, opp ^ turned, own | turned | bit(x), ~alpha, a, b, c)


@kernel
def solve_4(block: Any, own: Any, opp: Any, alpha: Any, odd: Any) -> Any:
    """The score with four empty squares.

    Args:
        odd: all squares of the quadrants with an odd number of empty squares; those are tried first.
    """
    count_node(block)
    empty = ~(own | opp)
    first = empty & odd
    rest = empty & ~odd
    if first == ZERO:
        first, rest = rest, first
    a = lowest_square(first)
    first = without_lowest(first)
    b = lowest_square(first)
    first = without_lowest(first)
    if first == ZERO:
        first = rest
    c = lowest_square(first)
    d = lowest_square(without_lowest(first))
    if rest == ZERO:
        # one quadrant with one and one with three: the one goes first
        if ((a ^ b) & 36) == 0:
            if ((a ^ c) & 36) == 0:
                a, d = d, a
            else:
                a, c = c, a
        elif ((a ^ c) & 36) == 0 and ((a ^ d) & 36) == 0:
            a, b = b, a
    best = try_4(block, own, opp, alpha, a, b, c, d)
    if best > alpha:
        return best
    score = try_4(block, own, opp, alpha, b, a, c, d)
    if score > best:
        if score > alpha:
            return score
        best = score
    score = try_4(block, own, opp, alpha, c, d, a, b)
    if score > best:
        if score > alpha:
            return score
        best = score
    score = try_4(block, own, opp, alpha, d, c, a, b)
    if score > best:
        best = score
    if best > WORST:
        return best
    # a pass: the opponent's view of the same, in a null window of its own
    beta_view = ~alpha
    best = try_4(block, opp, own, beta_view, a, b, c, d)
    if best > beta_view:
        return -best
    score = try_4(block, opp, own, beta_view, b, a, c, d)
    if score > best:
        if score > beta_view:
            return -score
        best = score
    score = try_4(block, opp, own, beta_view, c, d, a, b)
    if score > best:
        if score > beta_view:
            return -score
        best = score
    score = try_4(block, opp, own, beta_view, d, c, a, b)
    if score > best:
        best = score
    return -best if best > WORST else final_score(own, opp)
