"""The transposition table: buckets of four entries, shared by all threads without a lock.

An entry is two words, ``key ^ data`` beside ``data``, so that one torn by two writers fails its check and is not found
(Hyatt and Mann, "A lock-less transposition table implementation"). A bucket is one cache line. ``data``::

    bits  0-13  lower bound + 8192, in hundredths of a disc
    bits 14-27  upper bound + 8192
    bits 28-34  best move (0 to 63, 64 pass, 65 none)
    bits 35-41  second best move
    bits 42-47  depth in plies
    bits 48-50  certainty level (index of `fanqi.othello.levels.LEVELS`; the highest is exact)
    bits 51-58  age: number of the search that stored it, modulo 256
    bit  63     always set

Bounds are from the view of the side to move. Positions are hashed by their 128 bits; symmetric ones differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, store
from fanqi.bits.tables import load_bits, prefetch
from fanqi.bits.wrapping import wrapping_product
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.moves import ZERO

__all__ = [
    "BUCKET_WORDS",
    "HIGHEST",
    "INFINITE",
    "NO_MOVE",
    "data_depth",
    "data_level",
    "data_lower",
    "data_move",
    "data_second",
    "data_upper",
    "hash_position",
    "prefetch_bucket",
    "probe",
    "store_result",
]

BUCKET_WORDS = 8
NO_MOVE = 65
INFINITE: Any = np.int64(8000)  # typed: a literal must never reach a recursive kernel (see fanqi.kernels)
"""Beyond every score, in hundredths of a disc."""
HIGHEST: Any = np.int64(6400)
"""The best final score: the other side has no disc left, or no empty square is."""

OFFSET = 8192
FIELD = np.uint64(0x3FFF)
MOVE_FIELD = np.uint64(0x7F)
OCCUPIED = np.uint64(1 << 63)

MULTIPLIER_1 = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio; the others are random odd numbers
MULTIPLIER_2 = np.uint64(0xD1B54A32D192ED03)
MULTIPLIER_3 = np.uint64(0x8CB92BA72F3D8DD7)


@kernel
def hash_position(own: Any, opp: Any) -> Any:
    """A 64-bit key of a position seen by the side to move."""
    mixed = wrapping_product(own, MULTIPLIER_1) ^ wrapping_product(opp ^ (opp >> np.uint64(32)), MULTIPLIER_2)
    mixed = wrapping_product(mixed ^ (mixed >> np.uint64(29)), MULTIPLIER_3)
    return mixed ^ (mixed >> np.uint64(32))


@kernel
def data_lower(data: Any) -> Any:
    """Lower bound of an entry."""
    return np.int64(data & FIELD) - OFFSET


@kernel
def data_upper(data: Any) -> Any:
    """Upper bound of an entry."""
    return np.int64((data >> np.uint64(14)) & FIELD) - OFFSET


@kernel
def data_move(data: Any) -> Any:
    """Best move of an entry, `NO_MOVE` if none is known."""
    return np.int64((data >> np.uint64(28)) & MOVE_FIELD)


@kernel
def data_second(data: Any) -> Any:
    """Second best move of an entry."""
    return np.int64((data >> np.uint64(35)) & MOVE_FIELD)


@kernel
def data_depth(data: Any) -> Any:
    """Depth of an entry."""
    return np.int64((data >> np.uint64(42)) & np.uint64(63))


@kernel
def data_level(data: Any) -> Any:
    """Certainty level of an entry."""
    return np.int64((data >> np.uint64(48)) & np.uint64(7))


@kernel
def data_worth(data: Any) -> Any:
    """Depth and level as one number: what replaces what."""
    return np.int64((data >> np.uint64(42)) & np.uint64(0x1FF))


@kernel
def data_age(data: Any) -> Any:
    """Age of an entry."""
    return np.int64((data >> np.uint64(51)) & np.uint64(255))


@kernel
def bucket_address(block: Any, key: Any) -> Any:
    """Address of the bucket of a key."""
    return load(block, ctx.TABLE) + np.int64(key & load_bits(block, ctx.TABLE_MASK)) * np.int64(64)


@kernel
def prefetch_bucket(block: Any, key: Any) -> Any:
    """Have the bucket of a key on its way."""
    prefetch(bucket_address(block, key))


@kernel
def probe(block: Any, key: Any) -> Any:
    """The data stored for a key, or 0."""
    bucket = bucket_address(block, key)
    for slot in range(0, 2 * 4, 2):
        data = load_bits(bucket, slot + 1)
        if (load_bits(bucket, slot) ^ data) == key and data != ZERO:
            return data
    return ZERO


@kernel
def store_result(block: Any, key: Any, depth: Any, level: Any, alpha: Any, beta: Any, score: Any, move: Any) -> Any:
    """Keep the result of a search of one position.

    A result of the same depth and level as the one already there narrows its bounds; a less deep one of the
    same search leaves it alone. Otherwise the least worthy entry of the bucket goes: old ones first, then
    shallow ones.
    """
    bucket = bucket_address(block, key)
    age = load(block, ctx.AGE)
    lower = score if score > alpha else -INFINITE
    upper = score if score < beta else INFINITE
    second = NO_MOVE
    worst, worst_worth = 0, 1 << 30
    for slot in range(0, 2 * 4, 2):
        data = load_bits(bucket, slot + 1)
        if data == ZERO:
            if worst_worth > -1:
                worst, worst_worth = slot, -1
            continue
        if (load_bits(bucket, slot) ^ data) == key:
            worth = depth | (level << 6)
            old_worth = data_worth(data)
            if data_age(data) == age and old_worth > worth and data_depth(data) >= depth:
                return
            if old_worth == worth:
                if data_lower(data) > lower and data_lower(data) <= upper:
                    lower = data_lower(data)
                if data_upper(data) < upper and data_upper(data) >= lower:
                    upper = data_upper(data)
            second = data_move(data)
            if second == move or move == NO_MOVE:
                if move == NO_MOVE:
                    move = second
                second = data_second(data)
            worst = slot
            break
        worth = data_depth(data) + (data_level(data) >> 1)
        if data_age(data) == age:
            worth += 256
        if worth < worst_worth:
            worst, worst_worth = slot, worth
    packed = (
        np.uint64(lower + OFFSET)
        | (np.uint64(upper + OFFSET) << np.uint64(14))
        | (np.uint64(move) << np.uint64(28))
        | (np.uint64(second) << np.uint64(35))
        | (np.uint64(depth) << np.uint64(42))
        | (np.uint64(level) << np.uint64(48))
        | (np.uint64(age) << np.uint64(51))
        | OCCUPIED
    )
    store(bucket, worst, key ^ packed)
    store(bucket, worst + 1, packed)


@kernel
def local_address(block: Any, key: Any) -> Any:
    """Address of the only place a position can have in the thread's own small table."""
    return load(block, ctx.LOCAL) + np.int64(key >> load_bits(block, ctx.LOCAL_SHIFT)) * np.int64(16)


@kernel
def probe_local(block: Any, key: Any) -> Any:
    """The data stored for a key in the thread's own table, or 0."""
    place = local_address(block, key)
    data = load_bits(place, 1)
    return data if (load_bits(place, 0) ^ data) == key else ZERO


@kernel
def store_local(block: Any, key: Any, alpha: Any, score: Any, move: Any) -> Any:
    """Keep the result of a null-window search in the thread's own table, in place of what was there."""
    place = local_address(block, key)
    lower = score * 100 if score > alpha else -INFINITE
    upper = INFINITE if score > alpha else score * 100
    packed = (
        np.uint64(lower + OFFSET)
        | (np.uint64(upper + OFFSET) << np.uint64(14))
        | (np.uint64(move) << np.uint64(28))
        | OCCUPIED
    )
    store(place, 0, key ^ packed)
    store(place, 1, packed)
