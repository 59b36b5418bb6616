"""Legal moves, playing them, and the ends of the game.

A *move* is ``origin * 32 + target``; a flip has origin = target. All take a state (see `fanqi.banqi.state`).
"""

from __future__ import annotations

from fanqi.banqi.board import CANNON, NEIGHBOURS, OPEN
from fanqi.banqi.chase import attacked_from, clear_chases, count_chase, is_banned, occupied
from fanqi.banqi.state import (
    CHASE_WORDS,
    CHASES,
    HIDDEN,
    KINDS,
    LIVE,
    MEN,
    QUIET,
    QUIET_LIMIT,
    SIDES,
    TURN,
    lift,
    pass_turn,
    piece_at,
    put,
    turn_up,
)
from fanqi.bits.memory import keep_apart, load, store
from fanqi.bits.scalar import popcount, trailing_zeros
from fanqi.kernels import kernel

__all__ = [
    "ALL_BANNED",
    "EXTINCT",
    "MAX_MOVES",
    "NO_MOVES",
    "NO_PROGRESS",
    "RUNNING",
    "count_moves",
    "ending",
    "generate",
    "play_flip",
    "play_move",
]

MAX_MOVES = 128  # 32 squares with four directions or one flip each bound it; 32 is the most ever seen

RUNNING = 0
EXTINCT = 1
NO_MOVES = 2
ALL_BANNED = 3
NO_PROGRESS = 4


@kernel
def generate(state: int, moves: int, banned: int) -> int:
    """Write the moves of the side to move to the words at ``moves``; returns how many.

    Args:
        state: the position; whether its game is over already is not asked.
        moves: address of room for `MAX_MOVES` words.
        banned: 0 for the legal moves, 1 for the moves that only the chase ban forbids.
    """
    keep_apart()
    count = 0
    turn = load(state, TURN)
    if banned == 0:
        hidden = load(state, HIDDEN)
        while hidden != 0:
            store(moves, count, trailing_zeros(hidden) * 33)
            count += 1
            hidden &= hidden - 1
    if turn == OPEN:
        return count
    board = occupied(state)
    for kind in range(7):
        men = load(state, KINDS + 7 * turn + kind)
        while men != 0:
            origin = trailing_zeros(men)
            men &= men - 1
            if banned == 0:
                prey = attacked_from(state, turn, kind, origin, board)
                while prey != 0:
                    store(moves, count, origin * 32 + trailing_zeros(prey))
                    count += 1
                    prey &= prey - 1
            steps = NEIGHBOURS[origin] & ~board
            while steps != 0:
                target = trailing_zeros(steps)
                steps &= steps - 1
                if is_banned(state, turn, origin, target) == (banned != 0):
                    store(moves, count, origin * 32 + target)
                    count += 1
    return count


@kernel
def count_moves(state: int) -> int:
    """The number of legal moves, as `generate` would write them."""
    keep_apart()
    turn = load(state, TURN)
    count = popcount(load(state, HIDDEN))
    if turn == OPEN:
        return count
    board = occupied(state)
    chasing = load(state, CHASES + CHASE_WORDS * turn) != 0
    for kind in range(7):
        men = load(state, KINDS + 7 * turn + kind)
        while men != 0:
            origin = trailing_zeros(men)
            men &= men - 1
            if kind != CANNON or board & (board - 1) != 0:
                count += popcount(attacked_from(state, turn, kind, origin, board))
            steps = NEIGHBOURS[origin] & ~board
            if not chasing:
                count += popcount(steps)
            else:
                while steps != 0:
                    if not is_banned(state, turn, origin, trailing_zeros(steps)):
                        count += 1
                    steps &= steps - 1
    return count


@kernel
def play_move(state: int, origin: int, target: int) -> None:
    """Play a step or a capture of the side to move, which must be legal."""
    keep_apart()
    turn = load(state, TURN)
    if piece_at(state, target) != 0:
        taken = lift(state, target)
        put(state, target, lift(state, origin))
        store(state, LIVE, load(state, LIVE) - (1 << (4 * (7 * (taken >> 3) + (taken & 7) - 1))))
        store(state, MEN + 1 - turn, load(state, MEN + 1 - turn) - 1)
        store(state, QUIET, 0)
        clear_chases(state)
    else:
        put(state, target, lift(state, origin))
        store(state, QUIET, load(state, QUIET) + 1)
        count_chase(state, turn, origin, target)
    pass_turn(state, 1 - turn)


@kernel
def play_flip(state: int, square: int, code: int) -> None:
    """Turn up a covered square, which shows ``code``. The first flip gives the flipper its colour."""
    keep_apart()
    turn = load(state, TURN)
    if turn == OPEN:
        turn = code >> 3
    turn_up(state, square, code)
    store(state, QUIET, 0)
    clear_chases(state)
    pass_turn(state, 1 - turn)


@kernel
def ending(state: int) -> int:
    """How the game has ended: the first that applies of `EXTINCT`, `NO_MOVES` or `ALL_BANNED`, `NO_PROGRESS`.

    The colour without men has lost an `EXTINCT` game, the side to move a `NO_MOVES` or `ALL_BANNED` one.
    """
    if load(state, MEN) == 0 or load(state, MEN + 1) == 0:
        return EXTINCT
    if count_moves(state) == 0:
        board = occupied(state)
        men = load(state, SIDES + load(state, TURN))
        while men != 0:
            if NEIGHBOURS[trailing_zeros(men)] & ~board != 0:
                return ALL_BANNED
            men &= men - 1
        return NO_MOVES
    if load(state, QUIET) >= load(state, QUIET_LIMIT):
        return NO_PROGRESS
    return RUNNING
