"""The search: expectimax alpha-beta over moves and flips. Here is its root. Scores: see `fanqi.banqi.context`.

Kernels, each calling only itself and those before it, all fail soft:

==================================  ==========================================================================
`fanqi.banqi.quiescence.quiesce`    captures, until the position is at rest
`fanqi.banqi.tree.search`           everything else; the chance node of a flip, which is `fanqi.banqi.chance`,
                                    is the same kernel with a square
`search_root`                       the moves of the root one by one, called by `fanqi.banqi.engine`
==================================  ==========================================================================

What all nodes have in common is in `fanqi.banqi.nodes`, the order of moves in `fanqi.banqi.ordering` and
`fanqi.banqi.flips`, what is kept between nodes in `fanqi.banqi.transposition`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.context import (
    ABORTED,
    BEST_SCORE,
    FRAME_BYTES,
    FRAMES,
    INFINITE,
    ROOT_COUNT,
    ROOT_MOVES,
)
from fanqi.banqi.moves import MAX_MOVES, play_move
from fanqi.banqi.nodes import NO_VALUE, extend_line, weight
from fanqi.banqi.roles import AT_ROOT, BELOW_ROOT, NO_SQUARE, ORDINARY, PRINCIPAL
from fanqi.banqi.state import copy_state
from fanqi.banqi.tree import search
from fanqi.banqi.weights import FLIP_REDUCTION
from fanqi.bits.memory import address_of, load, store
from fanqi.kernels import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["NO_VALUE", "search_root"]


@kernel
def _to_front(moves: int, scores: int, index: int, place: int, score: int) -> None:
    """Move a root move up to ``place``, with its score; those between move down by one."""
    move = load(moves, index)
    while index > place:
        store(moves, index, load(moves, index - 1))
        store(scores, index, load(scores, index - 1))
        index -= 1
    store(moves, place, move)
    store(scores, place, score)


@kernel("int64(int64[::1], int64, int64, int64, int64)")
def search_root(words: NDArray[np.int64], depth: int, first: int, alpha: int, beta: int) -> int:
    """Search the root moves from number ``first`` on; the best one found is moved to that place.

    At depth 0 each move gets the exact utility of what captures alone make of it, and all are sorted by that.
    When aborted, what is at ``first`` is the best of the moves that were finished. ``BEST_SCORE`` is
    `NO_VALUE` while none is; the line of the best move is in the root frame.

    Args:
        words: the context.
        depth: plies.
        first: how many moves at the head of the root list are left out.
        alpha: lower end of the window.
        beta: upper end.
    """
    context = address_of(words)
    frame = load(context, FRAMES)
    child = frame + FRAME_BYTES
    moves = load(context, ROOT_MOVES)
    scores = moves + 8 * MAX_MOVES
    best = -INFINITE
    store(context, BEST_SCORE, NO_VALUE)
    for index in range(first, load(context, ROOT_COUNT)):
        move = load(moves, index)
        score = alpha + 1
        narrow = index > first and depth > 0
        if move % 33 == 0:
            left = depth - 1 - weight(context, FLIP_REDUCTION)
            if narrow:
                score = search(context, AT_ROOT, left, alpha, alpha + 1, move & 31, ORDINARY)
            if score > alpha:
                score = search(context, AT_ROOT, left, alpha, beta, move & 31, ORDINARY)
        else:
            left = depth - 1
            copy_state(child, frame)
            play_move(child, move >> 5, move & 31)
            if narrow:
                score = -search(context, BELOW_ROOT, left, -alpha - 1, -alpha, NO_SQUARE, ORDINARY)
            if score > alpha:
                score = -search(context, BELOW_ROOT, left, -beta, -alpha, NO_SQUARE, PRINCIPAL)
        if load(context, ABORTED) != 0:
            break
        if depth == 0:
            place = index
            while place > first and load(scores, place - 1) < score:
                place -= 1
            _to_front(moves, scores, index, place, score)
        elif score > alpha or index == first:
            _to_front(moves, scores, index, first, score)
            alpha = max(alpha, score)
        if score > best:
            best = score
            store(context, BEST_SCORE, score)
            extend_line(frame, move)
            if score >= beta:
                break
    return best
