"""Counting all lines of play under a known layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.moves import MAX_MOVES, count_moves, generate, play_flip, play_move
from fanqi.banqi.state import KEY, MEN, QUIET, QUIET_LIMIT, STATE_WORDS, copy_state
from fanqi.bits.memory import address_of, load, store
from fanqi.kernels import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["perft_frames", "perft_state"]

FRAME_WORDS = STATE_WORDS + MAX_MOVES + 1


def perft_frames(depth: int) -> int:
    """Words of scratch memory for `perft_state`."""
    return (depth + 1) * FRAME_WORDS


@kernel
def _repeated(frame: int, keys: int, played: int) -> bool:
    """Whether the position of ``frame`` has now occurred three times since the last capture or flip."""
    key = load(frame, KEY)
    seen = 1
    back = 1
    while back <= load(frame, QUIET) and back <= played:
        if load(keys, played - back) == key:
            seen += 1
        back += 1
    return seen >= 3


@kernel
def _count(frame: int, layout: int, depth: int, keys: int, played: int, repetition: int) -> int:
    """Lines of exactly ``depth`` plies from the state in ``frame``; the frames behind it are scratch."""
    if load(frame, MEN) == 0 or load(frame, MEN + 1) == 0 or load(frame, QUIET) >= load(frame, QUIET_LIMIT):
        return 0
    if repetition != 0 and _repeated(frame, keys, played):
        return 0
    if depth == 1:
        return count_moves(frame)
    store(keys, played, load(frame, KEY))
    moves = frame + 8 * STATE_WORDS
    count = generate(frame, moves, 0)
    child = frame + 8 * FRAME_WORDS
    nodes = 0
    for index in range(count):
        move = load(moves, index)
        copy_state(child, frame)
        if move % 33 == 0:
            play_flip(child, move & 31, load(layout, move & 31))
        else:
            play_move(child, move >> 5, move & 31)
        nodes += _count(child, layout, depth - 1, keys, played + 1, repetition)
    return nodes


@kernel("int64(Array(int64, 1, 'C', readonly=True), int64[::1], int64, int64[::1], int64, int64, int64[::1])")
def perft_state(
    state: NDArray[np.int64],
    layout: NDArray[np.int64],
    depth: int,
    keys: NDArray[np.int64],
    played: int,
    repetition: int,
    scratch: NDArray[np.int64],
) -> int:
    """Number of legal action sequences of exactly ``depth`` >= 1 plies; a finished game has no continuation.

    Args:
        state: the words of a position.
        layout: for each square the piece code under its cover.
        depth: plies.
        keys: keys of the positions before this one, oldest first, and room for ``depth`` more.
        played: how many keys are there.
        repetition: 0 where repetition is nothing, else three occurrences end the game.
        scratch: ``perft_frames(depth)`` words.
    """
    frame = address_of(scratch)
    copy_state(frame, address_of(state))
    return _count(frame, address_of(layout), depth, address_of(keys), played, repetition)
