"""The state of a game as one block of 64-bit words, and the kernels that move pieces about in it.

A *state* is the address of `STATE_WORDS` int64 words (see `fanqi.bits.memory`):

==============  =====================================================================================
`TURN`          0 red, 1 black, 2 while nobody has a colour
`QUIET`         plies since the last capture or flip
`HIDDEN`        board of the covered squares
`SIDES` + s     board of the face-up pieces of colour s
`KINDS` + 7s+k  board of those of kind k
`BAG`           how many of each of the 14 pieces are covered: four bits each at 4 * (7s + k)
`MEN` + s       men of colour s still in the game, covered ones included
`LIVE`          how many of each of the 14 pieces are in the game at all, packed as in the bag
`KEY`           Zobrist key of board, bag and side to move; quiet plies and chase counts are no part of it
`SQUARES`       32 bytes, the piece code of each square
`CHASES` + 4s   chase counters of colour s, see `fanqi.banqi.chase`
`CHASE_LIMIT`   how often a chase may be repeated, 0 for no limit (a rule parameter)
`QUIET_LIMIT`   quiet plies that make a draw (a rule parameter)
==============  =====================================================================================

Everything a rule needs is in it, and nothing of what lies under a covered square: that is known to the
referee only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.board import COVERED
from fanqi.bits.memory import load, load_byte, store, store_byte
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BAG",
    "CHASES",
    "CHASE_LIMIT",
    "CHASE_WORDS",
    "HIDDEN",
    "KEY",
    "KINDS",
    "LIVE",
    "MEN",
    "QUIET",
    "QUIET_LIMIT",
    "SIDES",
    "SQUARES",
    "STATE_WORDS",
    "TURN",
    "copy_state",
    "covered_count",
    "key_after_flip",
    "key_after_move",
    "lift",
    "new_state",
    "pass_turn",
    "piece_at",
    "put",
    "turn_up",
]

TURN = 0
QUIET = 1
HIDDEN = 2
SIDES = 3
KINDS = 5
BAG = 19
MEN = 20
LIVE = 22
KEY = 23
SQUARES = 24
CHASES = 28
CHASE_WORDS = 4
CHASE_LIMIT = CHASES + 2 * CHASE_WORDS
QUIET_LIMIT = CHASE_LIMIT + 1
STATE_WORDS = QUIET_LIMIT + 1

_RANDOM = np.random.Generator(np.random.PCG64(0x62616E7169))
ZOBRIST: NDArray[np.int64] = _RANDOM.integers(-(2**63), 2**63, 16 * 32, np.int64)  # [code * 32 + square]
ZOBRIST_BAG: NDArray[np.int64] = _RANDOM.integers(-(2**63), 2**63, 14 * 8, np.int64)  # [piece * 8 + count]
ZOBRIST_TURN: NDArray[np.int64] = _RANDOM.integers(-(2**63), 2**63, 4, np.int64)  # [turn]


@kernel
def piece_at(state: int, square: int) -> int:
    """The piece code on a square."""
    return load_byte(state + 8 * SQUARES, square)


@kernel
def covered_count(state: int, piece: int) -> int:
    """How many of a piece (7 * colour + kind) are covered."""
    return (load(state, BAG) >> (4 * piece)) & 15


@kernel
def copy_state(target: int, source: int) -> None:
    """Copy all words of one state over another."""
    for word in range(STATE_WORDS):
        store(target, word, load(source, word))


@kernel
def put(state: int, square: int, code: int) -> None:
    """Place a face-up piece on an empty square."""
    colour = code >> 3
    bit = 1 << square
    store_byte(state + 8 * SQUARES, square, code)
    store(state, SIDES + colour, load(state, SIDES + colour) | bit)
    kind = KINDS + 7 * colour + (code & 7) - 1
    store(state, kind, load(state, kind) | bit)
    store(state, KEY, load(state, KEY) ^ ZOBRIST[code * 32 + square])


@kernel
def lift(state: int, square: int) -> int:
    """Take a face-up piece off its square and return its code. The men count stays."""
    code = piece_at(state, square)
    colour = code >> 3
    bit = 1 << square
    store_byte(state + 8 * SQUARES, square, 0)
    store(state, SIDES + colour, load(state, SIDES + colour) ^ bit)
    kind = KINDS + 7 * colour + (code & 7) - 1
    store(state, kind, load(state, kind) ^ bit)
    store(state, KEY, load(state, KEY) ^ ZOBRIST[code * 32 + square])
    return code


@kernel
def turn_up(state: int, square: int, code: int) -> None:
    """Turn a covered square into the face-up piece ``code``, one of which the bag must hold."""
    store(state, HIDDEN, load(state, HIDDEN) ^ (1 << square))
    piece = 7 * (code >> 3) + (code & 7) - 1
    count = covered_count(state, piece)
    store(state, BAG, load(state, BAG) - (1 << (4 * piece)))
    store(
        state,
        KEY,
        load(state, KEY)
        ^ ZOBRIST[COVERED * 32 + square]
        ^ ZOBRIST_BAG[piece * 8 + count]
        ^ ZOBRIST_BAG[piece * 8 + count - 1],
    )
    put(state, square, code)


@kernel
def pass_turn(state: int, turn: int) -> None:
    """Give the move to ``turn``."""
    store(state, KEY, load(state, KEY) ^ ZOBRIST_TURN[load(state, TURN)] ^ ZOBRIST_TURN[turn])
    store(state, TURN, turn)


@kernel
def key_after_move(state: int, origin: int, target: int) -> int:
    """What `KEY` will be after a step or a capture."""
    key: int = load(state, KEY) ^ ZOBRIST_TURN[0] ^ ZOBRIST_TURN[1]
    taken = piece_at(state, target)
    if taken != 0:
        key ^= ZOBRIST[taken * 32 + target]
    code = piece_at(state, origin)
    key ^= ZOBRIST[code * 32 + origin] ^ ZOBRIST[code * 32 + target]
    return key


@kernel
def key_after_flip(state: int, square: int, code: int) -> int:
    """What `KEY` will be when a covered square has shown ``code`` and the turn has passed."""
    key: int = load(state, KEY) ^ ZOBRIST_TURN[0] ^ ZOBRIST_TURN[1]
    piece = 7 * (code >> 3) + (code & 7) - 1
    count = covered_count(state, piece)
    key ^= ZOBRIST_BAG[piece * 8 + count] ^ ZOBRIST_BAG[piece * 8 + count - 1]
    key ^= ZOBRIST[COVERED * 32 + square] ^ ZOBRIST[code * 32 + square]
    return key


def new_state(
    codes: list[int], bag: list[int], turn: int, quiet: int, chase_limit: int, quiet_limit: int
) -> NDArray[np.int64]:
    """The words of a position without chase counters.

    Args:
        codes: piece codes of the 32 squares, 8 for covered.
        bag: how many of each of the 14 pieces are covered; sums to the number of covered squares.
        turn: 0, 1, or 2 while nobody has a colour.
        quiet: plies since the last capture or flip.
        chase_limit: rule parameter, 0 for none.
        quiet_limit: rule parameter.
    """
    words = [0] * STATE_WORDS
    words[CHASE_LIMIT] = chase_limit
    words[QUIET_LIMIT] = quiet_limit
    words[TURN] = turn
    words[QUIET] = quiet
    key = int(ZOBRIST_TURN[turn])
    for piece, count in enumerate(bag):
        words[BAG] |= count << (4 * piece)
        words[LIVE] += count << (4 * piece)
        words[MEN + piece // 7] += count
        key ^= int(ZOBRIST_BAG[piece * 8 + count])
    for square, code in enumerate(codes):
        if code == COVERED:
            words[HIDDEN] |= 1 << square
        elif code:
            words[SIDES + (code >> 3)] |= 1 << square
            words[KINDS + 7 * (code >> 3) + (code & 7) - 1] |= 1 << square
            words[MEN + (code >> 3)] += 1
            words[LIVE] += 1 << (4 * (7 * (code >> 3) + (code & 7) - 1))
        if code:
            key ^= int(ZOBRIST[code * 32 + square])
    words[KEY] = key
    state = np.array(words, np.int64)
    state[SQUARES : SQUARES + 4] = np.frombuffer(bytes(codes), np.int64)
    return state
