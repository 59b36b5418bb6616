"""The transposition table, and how quiet plies and chase counters keep out of each other's scores.

A bucket is four entries of two words, ``key ^ data`` and ``data``::

    bits 0-15 score + 32768   16-23 depth   24-25 bound   26-36 move + 1 (0: none)   37-42 age
    bits 43-58 static evaluation + 32768

The score of a search of d plies depends on more than board, bag and turn:

* *quiet plies* q, if some line can reach the no-progress draw or the fading of static evaluations: ``q + d >
  FADE``;
* a *chase counter* n, if its colour can come to a banned move in d plies or right after: ``n + d // 2 + 1 >
  limit``.

Captures and flips, and so the quiescence search, only ever clear both. What a search of d plies depends on is
mixed into its key; what it does not depend on is left out, so that transpositions meet. An entry may come
from a deeper search than asked for, for which the asker's counts would have mattered: `usable` refuses its
score then, and only its move is used. So no score is ever taken where another count could have changed it.
"""

from __future__ import annotations

from fanqi.banqi.chase import COUNTER_BITS
from fanqi.banqi.context import AGE, FADE, SALT, TABLE, TABLE_MASK, WIN
from fanqi.banqi.state import CHASE_LIMIT, CHASE_WORDS, CHASES, KEY, QUIET
from fanqi.bits.memory import keep_apart, load, store
from fanqi.bits.tables import prefetch
from fanqi.kernels import kernel

__all__ = [
    "BUCKET_WORDS",
    "EXACT",
    "LOWER",
    "MISS",
    "UPPER",
    "bound_of",
    "depth_of",
    "expect",
    "highest_count",
    "move_of",
    "node_key",
    "probe",
    "remember",
    "score_of",
    "static_of",
    "usable",
]

WAYS = 4
BUCKET_WORDS = 2 * WAYS

LOWER = 1
UPPER = 2
EXACT = 3
MISS = 0  # no data: real data has a bound

_LOW = 0xFFFFFFFF
_MIX_LOW = 0x5BD1E995  # odd and below 2**31: the products of `_mix` stay below 2**63
_MIX_HIGH = 0x1B873593
_MIX_QUIET = 0x2545F4914F6CDD


@kernel
def _mix(word: int) -> int:
    return ((word & _LOW) * _MIX_LOW) ^ (((word >> 32) & 0x7FFFFFFF) * _MIX_HIGH << 1)


@kernel
def highest_count(state: int) -> int:
    """The highest chase count of either colour."""
    highest = 0
    for word in range(2 * CHASE_WORDS):
        rest = load(state, CHASES + word)
        while rest != 0:
            highest = max(highest, (rest >> 10) & 31)
            rest >>= COUNTER_BITS
    return highest


@kernel
def _chases_matter(state: int, depth: int) -> bool:
    first = load(state, CHASES)
    second = load(state, CHASES + CHASE_WORDS)
    if first | second == 0:
        return False
    return highest_count(state) + depth // 2 + 1 > load(state, CHASE_LIMIT)


@kernel
def node_key(context: int, state: int, depth: int) -> int:
    """The key under which the score of a search of ``depth`` plies is kept."""
    keep_apart()
    key = load(state, KEY) ^ load(context, SALT)
    if load(state, QUIET) + depth > load(context, FADE):
        key ^= load(state, QUIET) * _MIX_QUIET
    if _chases_matter(state, depth):
        for word in range(2 * CHASE_WORDS):
            counters = load(state, CHASES + word)
            if counters != 0:
                key ^= _mix(counters + word)
    return key


@kernel
def usable(context: int, state: int, depth: int, data: int) -> bool:
    """Whether the score of ``data``, found under ``node_key(depth)``, holds for this state's counts."""
    deeper = depth_of(data)
    if deeper < depth:
        return False
    if deeper == depth:
        return True
    quiet = load(state, QUIET)
    fade = load(context, FADE)
    if quiet + depth <= fade < quiet + deeper:
        return False
    return _chases_matter(state, depth) or not _chases_matter(state, deeper)


@kernel
def score_of(data: int, ply: int) -> int:
    """The score, with wins counted from the root again."""
    score = (data & 0xFFFF) - 32768
    if score > WIN - 500:
        return score - ply
    if score < 500 - WIN:
        return score + ply
    return score


@kernel
def depth_of(data: int) -> int:
    """The depth it was searched to."""
    return (data >> 16) & 255


@kernel
def bound_of(data: int) -> int:
    """`LOWER`, `UPPER` or `EXACT`."""
    return (data >> 24) & 3


@kernel
def move_of(data: int) -> int:
    """The best move, or -1."""
    return ((data >> 26) & 2047) - 1


@kernel
def static_of(data: int) -> int:
    """The static evaluation in cp."""
    return ((data >> 43) & 0xFFFF) - 32768


@kernel
def probe(context: int, key: int) -> int:
    """The data kept under a key, or `MISS`."""
    bucket = load(context, TABLE) + 8 * BUCKET_WORDS * (key & load(context, TABLE_MASK))
    for way in range(WAYS):
        data = load(bucket, 2 * way + 1)
        if load(bucket, 2 * way) ^ data == key and data != MISS:
            return data
    return MISS


@kernel
def expect(context: int, position_key: int) -> None:
    """Ask for the bucket of a state that will be looked up soon, by its `KEY`, to which hardly ever more is mixed."""
    key = position_key ^ load(context, SALT)
    prefetch(load(context, TABLE) + 8 * BUCKET_WORDS * (key & load(context, TABLE_MASK)))


@kernel
def remember(context: int, key: int, depth: int, ply: int, score: int, bound: int, move: int, static: int) -> None:
    """Keep a result, in place of the one under the same key or else the least useful one of the bucket."""
    keep_apart()
    if score > WIN - 500:
        score += ply
    elif score < 500 - WIN:
        score -= ply
    depth = max(0, depth)
    bucket = load(context, TABLE) + 8 * BUCKET_WORDS * (key & load(context, TABLE_MASK))
    age = load(context, AGE) & 63
    place = 0
    lowest = 1 << 30
    for way in range(WAYS):
        data = load(bucket, 2 * way + 1)
        if load(bucket, 2 * way) ^ data == key and data != MISS:
            if move < 0:
                move = move_of(data)
            if depth_of(data) > depth + 3 and bound != EXACT and (data >> 37) & 63 == age:
                return
            place = way
            break
        worth = depth_of(data) - 8 * ((age - ((data >> 37) & 63)) & 63)
        if data == MISS:
            worth = -(1 << 20)
        if worth < lowest:
            lowest = worth
            place = way
    static = min(32767, max(-32768, static)) + 32768
    data = (score + 32768) | depth << 16 | bound << 24 | (move + 1) << 26 | age << 37 | static << 43
    store(bucket, 2 * place, key ^ data)
    store(bucket, 2 * place + 1, data)
