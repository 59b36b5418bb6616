"""Inside the tree: one kernel for the nodes where a player chooses and for those where chance does.

* *Flips* are few and late: those with the best static estimates, where enough depth is left. Where none is searched
  but one is legal, passing stands in for it, so that nobody is thought to have to spoil a position.
* *Late quiet moves* are searched less deep at first. A pass that is good enough, or a static evaluation far above
  beta near the leaves, ends a node.
* *The no-progress draw* is a horizon: such nodes are draws, and from a third of the way on static evaluations
  fade towards the draw, so that whoever is ahead looks for a capture or a flip in time.
* *Chase-banned moves* do not exist in the tree either. With ``repetition=3`` the second occurrence of a
  position after the root, or the third in the game, is a draw; the table does not know of it, as in every
  engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.chance import search_flip
from fanqi.banqi.context import ABORTED, FRAME_BYTES, FRAMES, INFINITE, MAX_PLY, PV_LENGTH, TABLE_WIN, WIN
from fanqi.banqi.evaluation import evaluate
from fanqi.banqi.material import material_entry
from fanqi.banqi.moves import play_move
from fanqi.banqi.nodes import NO_VALUE, end_value, enter, extend_line, lost, pass_move, prospect, weight
from fanqi.banqi.ordering import list_flips, list_for_search, pick, reward
from fanqi.banqi.quiescence import quiesce
from fanqi.banqi.roles import AFTER_PASS, NO_SQUARE, ONE_FLIP, ORDINARY, PRINCIPAL, PROBED
from fanqi.banqi.state import HIDDEN, copy_state, key_after_move, piece_at
from fanqi.banqi.transposition import (
    EXACT,
    LOWER,
    MISS,
    UPPER,
    bound_of,
    expect,
    move_of,
    node_key,
    probe,
    remember,
    score_of,
    static_of,
    usable,
)
from fanqi.banqi.weights import (
    FLIP_DEPTH,
    FLIP_REDUCTION,
    FLIPS,
    FUTILITY_DEPTH,
    FUTILITY_MARGIN,
    LATE_MOVE,
    LATER_MOVE,
    MORE_FLIPS_DEPTH,
    PASS_DEPTH,
    PASS_REDUCTION,
)
from fanqi.bits.memory import load, store
from fanqi.bits.recursion import self_call
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["search"]


def _search_itself() -> Callable[..., int]:
    return search


_search = self_call(7, _search_itself)


@kernel
def _reduction(context: int, depth: int, tried: int) -> int:
    """How much less deep a late quiet move is searched at first."""
    if depth < 3 or tried < weight(context, LATE_MOVE):
        return 0
    if depth < 5 or tried < weight(context, LATER_MOVE):
        return 1
    return 2


@kernel
def _candidates(context: int, frame: int, depth: int, table_move: int) -> int:
    """List the moves of a node; returns how many."""
    entry = material_entry(context, frame)
    count = list_for_search(context, frame, entry, table_move)
    if load(frame, HIDDEN) != 0:
        if depth >= weight(context, FLIP_DEPTH):
            most = weight(context, FLIPS) if depth >= weight(context, MORE_FLIPS_DEPTH) else ONE_FLIP
            count = list_flips(frame, entry, count, most, table_move)
        elif count == 0:
            count = list_flips(frame, entry, count, ONE_FLIP, table_move)
    return count


@kernel
def _settles(data: int, ply: int, alpha: int, beta: int, role: int) -> bool:
    """Whether the bound in the table answers a node's question; a probed node asks for a lower bound only."""
    score = score_of(data, ply)
    bound = bound_of(data)
    if bound == EXACT or (bound == LOWER and score >= beta):
        return True
    return bound == UPPER and score <= alpha and role != PROBED


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)", inner=True)
def search(context: int, ply: int, depth: int, alpha: int, beta: int, square: int, role: int) -> int:
    """The utility of the state in frame ``ply``, searched ``depth`` plies deep.

    Args:
        context: the search's memory.
        ply: plies below the root.
        depth: plies left; at 0 or less only captures are played on.
        alpha: what the side to move has already.
        beta: what the opponent will allow at most.
        square: -1, or the covered square to be turned up in this state: then the mean over its outcomes, each
            searched ``depth`` plies deep.
        role: of the node, see `fanqi.banqi.roles`.
    """
    if square >= 0:
        return search_flip(context, ply, depth, alpha, beta, square)
    if depth <= 0 or ply >= MAX_PLY:
        return quiesce(context, ply, alpha, beta)
    frame = load(context, FRAMES) + FRAME_BYTES * ply
    child = frame + FRAME_BYTES
    store(frame, PV_LENGTH, 0)
    if not enter(context, ply):
        return 0
    end = end_value(context, frame, ply)
    if end != NO_VALUE:
        return end
    alpha = max(alpha, ply - WIN)
    beta = min(beta, WIN - ply - 1)
    if alpha >= beta:
        return alpha
    principal = role == PRINCIPAL
    may_stop = not principal and abs(beta) < TABLE_WIN - 500
    key = node_key(context, frame, depth)
    static = 0
    guess = 0
    shallow = depth <= weight(context, FUTILITY_DEPTH)
    if shallow:  # an evaluation costs less than a look into the table, and makes it needless when it ends the node
        static = evaluate(context, frame)
        guess = prospect(context, frame, static)
        if may_stop and guess - weight(context, FUTILITY_MARGIN) * depth >= beta:
            return guess
    data = probe(context, key)
    table_move = -1
    if data != MISS:
        table_move = move_of(data)
        if not principal and usable(context, frame, depth, data) and _settles(data, ply, alpha, beta, role):
            return score_of(data, ply)
    if not shallow:
        static = static_of(data) if data != MISS else evaluate(context, frame)
        guess = prospect(context, frame, static)
    hidden = load(frame, HIDDEN)
    if may_stop and role == ORDINARY and hidden != 0 and depth >= weight(context, PASS_DEPTH) and guess >= beta:
        pass_move(child, frame)
        left = depth - 1 - weight(context, PASS_REDUCTION)
        score = -_search(context, ply + 1, left, -beta, 1 - beta, NO_SQUARE, AFTER_PASS)
        if load(context, ABORTED) != 0:
            return 0
        if score >= beta:
            return score

    count = _candidates(context, frame, depth, table_move)
    if count == 0:
        return lost(context, frame, ply)
    best = -INFINITE
    best_move = -1
    floor = alpha
    wide = beta - alpha > 1
    tries = 1 if role == PROBED else count
    for index in range(tries):
        move = pick(frame, index, count)
        quiet = False
        score = alpha + 1
        if move % 33 == 0:
            left = depth - 1 - weight(context, FLIP_REDUCTION)
            if wide and index > 0:
                score = _search(context, ply, left, alpha, alpha + 1, move & 31, ORDINARY)
            if score > alpha:
                score = _search(context, ply, left, alpha, beta, move & 31, ORDINARY)
        else:
            quiet = piece_at(frame, move & 31) == 0
            if depth > 1:
                expect(context, key_after_move(frame, move >> 5, move & 31))
            copy_state(child, frame)
            play_move(child, move >> 5, move & 31)
            left = depth - 1
            if index > 0:
                less = left - _reduction(context, depth, index) if quiet else left
                score = -_search(context, ply + 1, less, -alpha - 1, -alpha, NO_SQUARE, ORDINARY)
                if score > alpha and less < left:
                    score = -_search(context, ply + 1, left, -alpha - 1, -alpha, NO_SQUARE, ORDINARY)
            if index == 0 or (score > alpha and wide):
                next_role = PRINCIPAL if principal else ORDINARY
                score = -_search(context, ply + 1, left, -beta, -alpha, NO_SQUARE, next_role)
        if load(context, ABORTED) != 0:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                extend_line(frame, move)
                if score >= beta:
                    if quiet:
                        reward(context, frame, move, index, depth)
                    break
    if role == PROBED:
        if best > floor:
            remember(context, key, depth, ply, best, LOWER, best_move, static)
        return best
    if hidden != 0 and depth < weight(context, FLIP_DEPTH) and best < beta and guess > best:
        pass_move(child, frame)
        left = depth - weight(context, PASS_REDUCTION)
        score = -_search(context, ply + 1, left, -beta, -alpha, NO_SQUARE, AFTER_PASS)
        if load(context, ABORTED) != 0:
            return 0
        if score > best:
            best = score
            if score > alpha:
                best_move = -1
                store(frame, PV_LENGTH, 0)
    bound = LOWER if best >= beta else EXACT if best > floor else UPPER
    remember(context, key, depth, ply, best, bound, best_move, static)
    return best
