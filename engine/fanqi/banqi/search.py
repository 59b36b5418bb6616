"""The search: expectimax alpha-beta over moves and flips.

Three kernels, each calling only itself and the one above: `quiesce` (captures), `search` (everything else;
the chance node of a flip is the same kernel with a square), and `search_root`. Scores are utilities, see
`fanqi.banqi.context`. All fail soft.

* *Chance nodes* take the outcomes by falling count from the bag, each with its exact probability, under Star1
  bounds: an outcome is searched in the window outside which the mean cannot come back between alpha and beta.
* *Flips* inside the tree are few and late: those with the best static estimates, where enough depth is left.
  Where none is searched but one is legal, passing stands in for it, so that nobody is thought to have to
  spoil a position.
* *The no-progress draw* is a horizon: such nodes are draws, and from a third of the way on static evaluations
  fade towards the draw, so that whoever is ahead looks for a capture or a flip in time.
* *Chase-banned moves* do not exist in the tree either. With ``repetition=3`` the second occurrence of a
  position after the root, or the third in the game, is a draw; the table does not know of it, as in every
  engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.chase import clear_chases
from fanqi.banqi.context import (
    ABORTED,
    BEST_SCORE,
    DEEPEST,
    DRAW,
    FADE,
    FRAME_BYTES,
    FRAMES,
    INFINITE,
    KEYS,
    MAX_PLY,
    NODE_LIMIT,
    NODES,
    PLAYED,
    PV,
    PV_LENGTH,
    PV_WORDS,
    REPETITION,
    ROOT_COUNT,
    ROOT_MOVES,
    STATIC,
    STOP,
    TABLE_WIN,
    WEIGHTS,
    WIN,
)
from fanqi.banqi.evaluation import evaluate
from fanqi.banqi.material import ENDGAME, ENDGAME_ORDER, material_entry
from fanqi.banqi.moves import MAX_MOVES, count_moves, play_flip, play_move
from fanqi.banqi.ordering import list_captures, list_flips, list_for_search, pick, reward
from fanqi.banqi.stakes import stake, stake_prospect
from fanqi.banqi.state import (
    CHASE_LIMIT,
    HIDDEN,
    KEY,
    MEN,
    QUIET,
    QUIET_LIMIT,
    TURN,
    copy_state,
    covered_count,
    pass_turn,
    piece_at,
)
from fanqi.banqi.tables.probe import look_up
from fanqi.banqi.tables.retrograde import LOSS
from fanqi.banqi.transposition import (
    EXACT,
    LOWER,
    MISS,
    UPPER,
    bound_of,
    highest_count,
    move_of,
    node_key,
    probe,
    remember,
    score_of,
    static_of,
    usable,
)
from fanqi.banqi.utility import utility
from fanqi.banqi.weights import (
    FLIP_DEPTH,
    FLIP_REDUCTION,
    FLIPS,
    FUTILITY_DEPTH,
    FUTILITY_MARGIN,
    LATE_MOVE,
    LATER_MOVE,
    MORE_FLIPS_DEPTH,
    PASS_REDUCTION,
)
from fanqi.bits.memory import address_of, load, store
from fanqi.bits.recursion import self_call
from fanqi.bits.scalar import popcount
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["quiesce", "search", "search_root"]

NO_VALUE = -INFINITE - 1  # of a node that is no end of the game
MOST_TABLE_MEN = 4
MOST_CHASES = 2  # highest chase count at which the tables are believed
LEAST_QUIET_LIMIT = 24  # longest distance with three men: under lower limits a conversion might come too late
LEAST_CHASE_LIMIT = 5  # under stricter bans the values are not known to hold
# typed, since a literal argument would have the callee compiled once more for just that value
NO_SQUARE: int = np.int64(-1)  # type: ignore[assignment]
MAY_PASS: int = np.int64(1)  # type: ignore[assignment]
MAY_NOT_PASS: int = np.int64(0)  # type: ignore[assignment]
ONE_FLIP: int = np.int64(1)  # type: ignore[assignment]
AT_ROOT: int = np.int64(0)  # type: ignore[assignment]
BELOW_ROOT: int = np.int64(1)  # type: ignore[assignment]


def _search_itself() -> Callable[..., int]:
    return search


def _quiesce_itself() -> Callable[..., int]:
    return quiesce


_search = self_call(7, _search_itself)
_quiesce = self_call(4, _quiesce_itself)


@kernel
def _enter(context: int, ply: int) -> bool:
    """Count a node; False when the search has to unwind."""
    if load(context, ABORTED) != 0:
        return False
    nodes = load(context, NODES) + 1
    store(context, NODES, nodes)
    if nodes >= load(context, NODE_LIMIT) or (nodes & 255 == 0 and load(load(context, STOP), 0) != 0):
        store(context, ABORTED, 1)
    if ply > load(context, DEEPEST):
        store(context, DEEPEST, ply)
    return load(context, ABORTED) == 0


@kernel
def _draw(context: int, frame: int) -> int:
    """The utility of a draw for the side to move."""
    value = load(context, DRAW)
    return value if load(frame, TURN) == 0 else -value


@kernel
def _lost(context: int, frame: int, ply: int) -> int:
    """The utility of having lost, for the side to move."""
    return stake(context, frame, 1 - load(frame, TURN), ply - WIN)


@kernel
def _end_value(context: int, frame: int, ply: int) -> int:
    """The utility of a game that is over by extinction, quiet plies or repetition, else `NO_VALUE`."""
    if load(frame, MEN + load(frame, TURN)) == 0:
        return _lost(context, frame, ply)
    if load(frame, QUIET) >= load(frame, QUIET_LIMIT):
        return _lost(context, frame, ply) if count_moves(frame) == 0 else _draw(context, frame)
    if load(context, REPETITION) != 0:
        keys = load(context, KEYS)
        now = load(context, PLAYED) + ply
        store(keys, now, load(frame, KEY))
        seen = 0
        for back in range(1, min(load(frame, QUIET), now) + 1):
            if load(keys, now - back) == load(frame, KEY):
                seen += 1
                if back <= ply or seen == 2:
                    return _lost(context, frame, ply) if count_moves(frame) == 0 else _draw(context, frame)
    return NO_VALUE


@kernel
def _table_value(context: int, frame: int, ply: int) -> int:
    """The utility by the endgame tables, or `NO_VALUE`.

    Tables know no chase counts. By all that is known (see the docstring of `fanqi.banqi.tables`) the ban changes no
    value while the counts are small; with higher ones the search goes on until a move has reset them. A draw keeps a
    trace of the static evaluation, so that of two draws the one with better prospects is chosen.
    """
    if load(frame, HIDDEN) != 0 or load(frame, MEN) + load(frame, MEN + 1) > MOST_TABLE_MEN:
        return NO_VALUE
    entry = material_entry(context, frame)
    table = load(entry, ENDGAME)
    if table == 0 or highest_count(frame) > MOST_CHASES or load(frame, QUIET_LIMIT) < LEAST_QUIET_LIMIT:
        return NO_VALUE
    if 0 < load(frame, CHASE_LIMIT) < LEAST_CHASE_LIMIT:
        return NO_VALUE
    value = look_up(frame, table, load(entry, ENDGAME_ORDER))
    left = load(frame, QUIET_LIMIT) - load(frame, QUIET)
    if value >= LOSS and value - LOSS <= left:
        return stake(context, frame, 1 - load(frame, TURN), ply + value - LOSS - TABLE_WIN)
    if 0 < value <= left:
        return stake(context, frame, load(frame, TURN), TABLE_WIN - ply - value)
    return _draw(context, frame) + utility(evaluate(context, frame)) // 2048


@kernel
def _prospect(context: int, frame: int, static: int) -> int:
    """A static evaluation as a utility, the nearer to the draw the fewer quiet plies are left."""
    score = stake_prospect(context, frame, utility(static))
    fade = load(context, FADE)
    quiet = load(frame, QUIET)
    if quiet <= fade:
        return score
    limit = load(frame, QUIET_LIMIT)
    draw = _draw(context, frame)
    return draw + (score - draw) * (limit - quiet + 8) // (limit - fade + 8)


@kernel
def _pass(child: int, frame: int) -> None:
    """The state after a flip that changes nothing but the turn."""
    copy_state(child, frame)
    clear_chases(child)
    store(child, QUIET, 0)
    pass_turn(child, 1 - load(frame, TURN))


@kernel
def _extend_pv(frame: int, move: int) -> None:
    """The line of a node is its move and the line of the child; a flip ends it."""
    child = frame + FRAME_BYTES
    length = 0
    if move % 33 != 0:
        length = min(load(child, PV_LENGTH), PV_WORDS - 1)
    store(frame, PV, move)
    for index in range(length):
        store(frame, PV + 1 + index, load(child, PV + index))
    store(frame, PV_LENGTH, length + 1)


@kernel("int64(int64, int64, int64, int64)", inner=True)
def quiesce(context: int, ply: int, alpha: int, beta: int) -> int:
    """The utility when only captures that do not lose material are played on."""
    frame = load(context, FRAMES) + FRAME_BYTES * ply
    store(frame, PV_LENGTH, 0)
    if not _enter(context, ply):
        return 0
    end = _end_value(context, frame, ply)
    if end == NO_VALUE:
        end = _table_value(context, frame, ply)
    if end != NO_VALUE:
        return end
    static = evaluate(context, frame)
    best = _prospect(context, frame, static)
    if load(frame, HIDDEN) == 0 and count_moves(frame) == 0:
        return _lost(context, frame, ply)
    if best >= beta or ply >= MAX_PLY:
        return best
    alpha = max(alpha, best)
    entry = material_entry(context, frame)
    count = list_captures(context, frame, entry)
    child = frame + FRAME_BYTES
    for index in range(count):
        move = pick(frame, index, count)
        copy_state(child, frame)
        play_move(child, move >> 5, move & 31)
        score = -_quiesce(context, ply + 1, -beta, -alpha)
        if load(context, ABORTED) != 0:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                _extend_pv(frame, move)
                if score >= beta:
                    break
    return best


@kernel
def _weight(context: int, name: int) -> int:
    """A search parameter; they lie among the weights, so that they can be tuned like them."""
    return load(load(context, WEIGHTS), name)


@kernel
def _reduction(context: int, depth: int, tried: int) -> int:
    """How much less deep a late quiet move is searched at first."""
    if depth < 3 or tried < _weight(context, LATE_MOVE):
        return 0
    if depth < 5 or tried < _weight(context, LATER_MOVE):
        return 1
    return 2


@kernel
def _candidates(context: int, frame: int, depth: int, table_move: int) -> int:
    """List the moves of a node; returns how many."""
    entry = material_entry(context, frame)
    count = list_for_search(context, frame, entry, table_move)
    if load(frame, HIDDEN) != 0:
        if depth >= _weight(context, FLIP_DEPTH):
            most = _weight(context, FLIPS) if depth >= _weight(context, MORE_FLIPS_DEPTH) else ONE_FLIP
            count = list_flips(frame, entry, count, most, table_move)
        elif count == 0:
            count = list_flips(frame, entry, count, ONE_FLIP, table_move)
    return count


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)", inner=True)
def search(context: int, ply: int, depth: int, alpha: int, beta: int, square: int, may_pass: int) -> int:
    """The utility of the state in frame ``ply``, searched ``depth`` plies deep.

    Args:
        context: the search's memory.
        ply: plies below the root.
        depth: plies left; at 0 or less only captures are played on.
        alpha: what the side to move has already.
        beta: what the opponent will allow at most.
        square: -1, or the covered square to be turned up in this state: then the mean over its outcomes, each
            searched ``depth`` plies deep.
        may_pass: 1 where a search after a pass may cut the node off.
    """
    frame = load(context, FRAMES) + FRAME_BYTES * ply
    child = frame + FRAME_BYTES
    if square >= 0:
        total = popcount(load(frame, HIDDEN))
        rest = total
        gained = 0
        for wanted in range(5, 0, -1):
            for piece in range(14):
                if covered_count(frame, piece) != wanted:
                    continue
                rest -= wanted
                low = max((alpha * total - gained - rest * WIN) // wanted, -INFINITE)
                high = min(-((gained - rest * WIN - beta * total) // wanted), INFINITE)
                if low >= WIN:
                    return (gained + (rest + wanted) * WIN) // total
                if high <= -WIN:
                    return (gained - (rest + wanted) * WIN) // total
                copy_state(child, frame)
                play_flip(child, square, 8 * (piece // 7) + piece % 7 + 1)
                if depth <= 0:
                    score = -quiesce(context, ply + 1, -high, -low)
                else:
                    score = -_search(context, ply + 1, depth, -high, -low, NO_SQUARE, MAY_PASS)
                if load(context, ABORTED) != 0:
                    return 0
                gained += wanted * score
                if score <= low:
                    return (gained + rest * WIN) // total
                if score >= high:
                    return (gained - rest * WIN) // total
        return gained // total

    if depth <= 0 or ply >= MAX_PLY:
        return quiesce(context, ply, alpha, beta)
    store(frame, PV_LENGTH, 0)
    if not _enter(context, ply):
        return 0
    end = _end_value(context, frame, ply)
    if end == NO_VALUE:
        end = _table_value(context, frame, ply)
    if end != NO_VALUE:
        return end
    alpha = max(alpha, ply - WIN)
    beta = min(beta, WIN - ply - 1)
    if alpha >= beta:
        return alpha
    exact = beta - alpha > 1
    key = node_key(context, frame, depth)
    data = probe(context, key)
    table_move = -1
    if data != MISS:
        table_move = move_of(data)
        if not exact and usable(context, frame, depth, data):
            score = score_of(data, ply)
            bound = bound_of(data)
            if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
                return score
        static = static_of(data)
    else:
        static = evaluate(context, frame)
    store(frame, STATIC, static)
    guess = _prospect(context, frame, static)
    hidden = load(frame, HIDDEN)
    if not exact and abs(beta) < TABLE_WIN - 500:
        if depth <= _weight(context, FUTILITY_DEPTH) and guess - _weight(context, FUTILITY_MARGIN) * depth >= beta:
            return guess
        if may_pass != 0 and hidden != 0 and depth >= 3 and guess >= beta:
            _pass(child, frame)
            score = -_search(
                context, ply + 1, depth - 1 - _weight(context, PASS_REDUCTION), -beta, -alpha, NO_SQUARE, MAY_NOT_PASS
            )
            if load(context, ABORTED) != 0:
                return 0
            if score >= beta:
                return score

    count = _candidates(context, frame, depth, table_move)
    if count == 0:
        return _lost(context, frame, ply)
    best = -INFINITE
    best_move = -1
    floor = alpha
    for index in range(count):
        move = pick(frame, index, count)
        quiet = False
        if move % 33 == 0:
            left = depth - 1 - _weight(context, FLIP_REDUCTION)
            score = alpha + 1
            if exact and index > 0:
                score = _search(context, ply, left, alpha, alpha + 1, move & 31, MAY_PASS)
            if score > alpha:
                score = _search(context, ply, left, alpha, beta, move & 31, MAY_PASS)
        else:
            quiet = piece_at(frame, move & 31) == 0
            copy_state(child, frame)
            play_move(child, move >> 5, move & 31)
            left = depth - 1
            score = alpha + 1
            if index > 0:
                less = left - _reduction(context, depth, index) if quiet else left
                score = -_search(context, ply + 1, less, -alpha - 1, -alpha, NO_SQUARE, MAY_PASS)
                if score > alpha and less < left:
                    score = -_search(context, ply + 1, left, -alpha - 1, -alpha, NO_SQUARE, MAY_PASS)
            if index == 0 or (score > alpha and exact):
                score = -_search(context, ply + 1, left, -beta, -alpha, NO_SQUARE, MAY_PASS)
        if load(context, ABORTED) != 0:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                _extend_pv(frame, move)
                if score >= beta:
                    if quiet:
                        reward(context, frame, move, index, depth)
                    break
    if hidden != 0 and depth < _weight(context, FLIP_DEPTH) and best < beta and guess > best:
        _pass(child, frame)
        score = -_search(
            context, ply + 1, depth - _weight(context, PASS_REDUCTION), -beta, -alpha, NO_SQUARE, MAY_NOT_PASS
        )
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
            left = depth - 1 - _weight(context, FLIP_REDUCTION)
            if narrow:
                score = search(context, AT_ROOT, left, alpha, alpha + 1, move & 31, MAY_PASS)
            if score > alpha:
                score = search(context, AT_ROOT, left, alpha, beta, move & 31, MAY_PASS)
        else:
            left = depth - 1
            copy_state(child, frame)
            play_move(child, move >> 5, move & 31)
            if narrow:
                score = -search(context, BELOW_ROOT, left, -alpha - 1, -alpha, NO_SQUARE, MAY_PASS)
            if score > alpha:
                score = -search(context, BELOW_ROOT, left, -beta, -alpha, NO_SQUARE, MAY_PASS)
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
            _extend_pv(frame, move)
            if score >= beta:
                break
    return best
