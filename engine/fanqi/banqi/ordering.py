"""Which moves a node searches, and in which order.

A move list holds words ``score * 1024 + move``; `pick` brings the best of the rest to the front.
"""

from __future__ import annotations

from fanqi.banqi.board import NEIGHBOURS
from fanqi.banqi.chase import attacked_from, is_banned, occupied
from fanqi.banqi.context import HISTORY, KILLER, MOVES, SECOND_KILLER
from fanqi.banqi.exchange import exchange, value_of
from fanqi.banqi.flips import flip_estimate
from fanqi.banqi.lanes import covered_counts, values
from fanqi.banqi.state import HIDDEN, KINDS, TURN, piece_at
from fanqi.bits.memory import keep_apart, load, store
from fanqi.bits.scalar import trailing_zeros
from fanqi.kernels import kernel

__all__ = ["list_captures", "list_flips", "list_for_search", "pick", "reward"]

FIRST = 1 << 30  # the move from the table
GOOD = 1 << 24  # captures that do not lose material
KILLERS = 1 << 23
BAD = -(1 << 24)  # captures that do
HISTORY_MOST = 1 << 20


@kernel
def list_captures(context: int, frame: int, entry: int) -> int:
    """Write the captures that do not lose material to the frame; returns how many."""
    keep_apart()
    own = load(frame, TURN)
    board = occupied(frame)
    count = 0
    for kind in range(7):
        men = load(frame, KINDS + 7 * own + kind)
        while men != 0:
            origin = trailing_zeros(men)
            men &= men - 1
            prey = attacked_from(frame, own, kind, origin, board)
            while prey != 0:
                target = trailing_zeros(prey)
                prey &= prey - 1
                gain = exchange(context, frame, entry, origin, target)
                if gain >= 0:
                    store(frame, MOVES + count, gain * 1024 + (origin * 32 + target))
                    count += 1
    return count


@kernel
def list_for_search(context: int, frame: int, entry: int, table_move: int) -> int:
    """Write all steps and captures with their scores to the frame; returns how many. Flips: see
    `list_flips`."""
    keep_apart()
    own = load(frame, TURN)
    board = occupied(frame)
    history = load(context, HISTORY)
    killer = load(frame, KILLER)
    second = load(frame, SECOND_KILLER)
    count = 0
    for kind in range(7):
        men = load(frame, KINDS + 7 * own + kind)
        code = 8 * own + kind + 1
        while men != 0:
            origin = trailing_zeros(men)
            men &= men - 1
            prey = attacked_from(frame, own, kind, origin, board)
            while prey != 0:
                target = trailing_zeros(prey)
                prey &= prey - 1
                move = origin * 32 + target
                gain = exchange(context, frame, entry, origin, target)
                score = FIRST
                if move != table_move:
                    score = gain * 16 + (GOOD if gain >= 0 else BAD)
                    score += value_of(entry, piece_at(frame, target))
                store(frame, MOVES + count, score * 1024 + move)
                count += 1
            steps = int(NEIGHBOURS[origin]) & ~board
            while steps != 0:
                target = trailing_zeros(steps)
                steps &= steps - 1
                if is_banned(frame, own, origin, target):
                    continue
                move = origin * 32 + target
                if move == table_move:
                    score = FIRST
                elif move == killer:
                    score = KILLERS + 1
                elif move == second:
                    score = KILLERS
                else:
                    score = load(history, code * 32 + target)
                store(frame, MOVES + count, score * 1024 + move)
                count += 1
    return count


@kernel
def list_flips(frame: int, entry: int, count: int, most: int, table_move: int) -> int:
    """Append the ``most`` flips with the best estimates; returns the new number of moves.

    They come after all other moves but the captures that lose material.
    """
    keep_apart()
    hidden = load(frame, HIDDEN)
    covered = covered_counts(frame)
    worth = values(entry)
    board = occupied(frame)
    first = count
    while hidden != 0:
        square = trailing_zeros(hidden)
        hidden &= hidden - 1
        score = flip_estimate(frame, entry, covered, worth, board, square) - HISTORY_MOST * 2
        if square * 33 == table_move:
            score = FIRST
        place = count
        if count - first == most:
            place = first
            for index in range(first + 1, count):
                if load(frame, MOVES + index) < load(frame, MOVES + place):
                    place = index
            if load(frame, MOVES + place) >= score * 1024 + square * 33:
                continue
        else:
            count += 1
        store(frame, MOVES + place, score * 1024 + square * 33)
    return count


@kernel
def pick(frame: int, index: int, count: int) -> int:
    """Bring the best of the moves from ``index`` on to ``index`` and return it."""
    best = index
    for other in range(index + 1, count):
        if load(frame, MOVES + other) > load(frame, MOVES + best):
            best = other
    word = load(frame, MOVES + best)
    store(frame, MOVES + best, load(frame, MOVES + index))
    store(frame, MOVES + index, word)
    return word & 1023


@kernel
def _shift(history: int, word: int, bonus: int) -> None:
    """Add a bonus that weighs less the nearer the counter is to its end of the scale already."""
    old = load(history, word)
    store(history, word, old + bonus - old * abs(bonus) // HISTORY_MOST)


@kernel
def reward(context: int, frame: int, move: int, tried: int, depth: int) -> None:
    """A step has refuted the node: remember it as killer and in the history, against those tried before
    it."""
    keep_apart()
    if load(frame, KILLER) != move:
        store(frame, SECOND_KILLER, load(frame, KILLER))
        store(frame, KILLER, move)
    history = load(context, HISTORY)
    bonus = min(HISTORY_MOST // 8, depth * depth * 512)
    _shift(history, piece_at(frame, move >> 5) * 32 + (move & 31), bonus)
    for index in range(tried):
        other = load(frame, MOVES + index) & 1023
        if other % 33 != 0 and piece_at(frame, other & 31) == 0:
            _shift(history, piece_at(frame, other >> 5) * 32 + (other & 31), -bonus)
