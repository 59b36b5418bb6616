"""The two operations everything stands on: which squares may be played, and which discs a move turns.

Bit layout as in `fanqi.othello.notation`: a1 is bit 0, h1 bit 7, h8 bit 63; ``own`` are the discs of the side
to move, ``opp`` the other ones. Eight directions::

    -9 -8 -7
    -1  .  1
     7  8  9

Each operation has three forms which agree everywhere (tests/engine/othello): a plain Python one, read first;
a portable compiled one on 64-bit words; and a vector one in LLVM IR that does four or eight directions at
once. `fanqi.bits.target.FORM` chooses at import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from fanqi.bits import lanes, trailing_zeros
from fanqi.bits.target import FORM
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from llvmlite import ir

__all__ = [
    "bit",
    "flips",
    "flips_portable",
    "legal_moves",
    "legal_moves_portable",
    "lowest_square",
    "without_lowest",
]

ZERO = np.uint64(0)
ONE = np.uint64(1)

STEPS = ((1, 0), (0, 1), (-1, 1), (1, 1), (-1, 0), (0, -1), (1, -1), (-1, -1))
"""Column and row step of each direction: four towards higher squares, then their opposites."""


def ray(square: int, step: tuple[int, int]) -> int:
    """The squares beyond ``square`` in one direction up to the edge."""
    bits = 0
    column, row = square % 8 + step[0], square // 8 + step[1]
    while 0 <= column < 8 and 0 <= row < 8:
        bits |= 1 << (8 * row + column)
        column, row = column + step[0], row + step[1]
    return bits


RAYS_UP = [ray(square, step) for square in range(64) for step in STEPS[:4]]
RAYS_DOWN = [ray(square, step) for square in range(64) for step in STEPS[4:]]
RAYS = np.array([[ray(square, step) for step in STEPS] for square in range(64)], np.uint64)

INNER_COLUMNS = 0x7E7E7E7E7E7E7E7E
INNER_ROWS = 0x00FFFFFFFFFFFF00
ALL = 0xFFFFFFFFFFFFFFFF


# ---------------------------------------------------------------------------------------------- plain


def legal_moves(own: Any, opp: Any) -> Any:
    """The squares where the side to move can play, as a bitboard; 0 when it has to pass."""
    found = 0
    for square in range(64):
        if not (int(own) | int(opp)) >> square & 1 and flips(own, opp, square):
            found |= 1 << square
    return np.uint64(found)


def flips(own: Any, opp: Any, square: Any) -> Any:
    """The discs that a move of ``own`` to the empty ``square`` turns; 0 when it is not legal."""
    mine, theirs, turned = int(own), int(opp), 0
    for column_step, row_step in STEPS:
        column, row, line = int(square) % 8 + column_step, int(square) // 8 + row_step, 0
        while 0 <= column < 8 and 0 <= row < 8 and theirs >> (8 * row + column) & 1:
            line |= 1 << (8 * row + column)
            column, row = column + column_step, row + row_step
        if 0 <= column < 8 and 0 <= row < 8 and mine >> (8 * row + column) & 1:
            turned |= line
    return np.uint64(turned)


@kernel
def bit(square: Any) -> Any:
    """The bitboard of one square."""
    return ONE << np.uint64(square)


@kernel
def lowest_square(bits: Any) -> Any:
    """The lowest square of a bitboard that is not 0."""
    return trailing_zeros(bits)


@kernel
def without_lowest(bits: Any) -> Any:
    """A bitboard that is not 0 less its lowest square."""
    return bits & (bits - ONE)


# ------------------------------------------------------------------------------------------- portable


@kernel
def reach(own: Any, opp: Any, shift: Any) -> Any:
    """Squares next to a run of ``opp`` that starts next to ``own``, both ways along one line.

    Parallel prefix: runs of one, two, four, six discs. ``opp`` lacks the files where the line would wrap.
    """
    twice = shift + shift
    up = opp & (own << shift)
    down = opp & (own >> shift)
    up |= opp & (up << shift)
    down |= opp & (down >> shift)
    pairs_up = opp & (opp << shift)
    pairs_down = pairs_up >> shift
    up |= pairs_up & (up << twice)
    down |= pairs_down & (down >> twice)
    up |= pairs_up & (up << twice)
    down |= pairs_down & (down >> twice)
    return (up << shift) | (down >> shift)


@kernel
def legal_moves_portable(own: Any, opp: Any) -> Any:
    """`legal_moves` on 64-bit words."""
    inner = opp & np.uint64(INNER_COLUMNS)
    reached = (
        reach(own, inner, np.uint64(1))
        | reach(own, opp, np.uint64(8))
        | reach(own, inner, np.uint64(7))
        | reach(own, inner, np.uint64(9))
    )
    return reached & ~(own | opp)


@kernel
def flips_portable(own: Any, opp: Any, square: Any) -> Any:
    """`flips` on 64-bit words: along each ray the first square that is not ``opp``, kept if it is ``own``."""
    turned = ZERO
    for direction in range(4):
        line = RAYS[square, direction]
        end = ~opp & line
        if end != ZERO:
            end &= ~(end - ONE)  # its lowest bit
            if (end & own) != ZERO:
                turned |= line & (end - ONE)
        line = RAYS[square, direction + 4]
        end = ~opp & line
        end |= end >> np.uint64(1)  # its highest bit: smear, then take what is new
        end |= end >> np.uint64(2)
        end |= end >> np.uint64(4)
        end |= end >> np.uint64(8)
        end |= end >> np.uint64(16)
        end |= end >> np.uint64(32)
        if (end & ~(end >> ONE) & own) != ZERO:
            turned |= line & ~end
    return turned


# --------------------------------------------------------------------------------------------- vector


@intrinsic
def legal_moves_vector(typingctx: Any, own: Any, opp: Any) -> Any:
    """`legal_moves` with one lane for each of the lines 1, 8, 7, 9, shifted both ways."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        own_word, opp_word = arguments
        once, twice = lanes.constant([1, 8, 7, 9]), lanes.constant([2, 16, 14, 18])
        columns = lanes.constant([INNER_COLUMNS, ALL, INNER_COLUMNS, INNER_COLUMNS])
        own4 = lanes.splat(builder, own_word, 4)
        opp4 = builder.and_(lanes.splat(builder, opp_word, 4), columns)
        up = builder.and_(opp4, builder.shl(own4, once))
        down = builder.and_(opp4, builder.lshr(own4, once))
        up = builder.or_(up, builder.and_(opp4, builder.shl(up, once)))
        down = builder.or_(down, builder.and_(opp4, builder.lshr(down, once)))
        pairs_up = builder.and_(opp4, builder.shl(opp4, once))
        pairs_down = builder.lshr(pairs_up, once)
        for _ in range(2):
            up = builder.or_(up, builder.and_(pairs_up, builder.shl(up, twice)))
            down = builder.or_(down, builder.and_(pairs_down, builder.lshr(down, twice)))
        reached = lanes.reduce_or(builder, builder.or_(builder.shl(up, once), builder.lshr(down, once)))
        return builder.and_(reached, builder.not_(builder.or_(own_word, opp_word)))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def legal_moves_wide(typingctx: Any, own: Any, opp: Any) -> Any:
    """`legal_moves` with one lane a direction: rotations; masked edges keep runs from wrapping around."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        own_word, opp_word = arguments
        amounts = [1, 8, 7, 9, 64 - 1, 64 - 8, 64 - 7, 64 - 9]
        once, twice = lanes.constant(amounts), lanes.constant([2 * amount % 64 for amount in amounts])
        diagonal = INNER_COLUMNS & INNER_ROWS
        inner = lanes.constant([INNER_COLUMNS, INNER_ROWS, diagonal, diagonal] * 2)
        own8 = lanes.splat(builder, own_word, 8)
        opp8 = builder.and_(lanes.splat(builder, opp_word, 8), inner)
        run = builder.and_(opp8, lanes.funnel_left(builder, own8, once))
        run = builder.or_(run, builder.and_(opp8, lanes.funnel_left(builder, run, once)))
        pairs = builder.and_(opp8, lanes.funnel_left(builder, opp8, once))
        for _ in range(2):
            run = builder.or_(run, builder.and_(pairs, lanes.funnel_left(builder, run, twice)))
        reached = lanes.reduce_or(builder, lanes.funnel_left(builder, run, once))
        return builder.and_(reached, builder.not_(builder.or_(own_word, opp_word)))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def flips_vector(typingctx: Any, own: Any, opp: Any, square: Any) -> Any:
    """`flips` with one lane a ray: a carry ends a run upwards, leading zeros end it downwards."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        own_word, opp_word, square_word = arguments
        own4, opp4 = lanes.splat(builder, own_word, 4), lanes.splat(builder, opp_word, 4)
        zero, one = lanes.constant([0] * 4), lanes.constant([1] * 4)

        # upwards: adding 1 to (opponents or squares off the ray) carries to the first other square of the ray
        line = lanes.load_row(builder, lanes.table(builder, "fanqi_rays_up", RAYS_UP, 4), square_word)
        carried = builder.add(builder.or_(opp4, lanes.invert(builder, line)), one)
        end = builder.and_(carried, builder.and_(line, own4))
        minus_one_if_any = builder.sext(builder.icmp_unsigned("!=", end, zero), lanes.vector_type(4))
        turned_up = builder.and_(builder.add(end, minus_one_if_any), line)

        # downwards: bit 0 is set so that no lane is 0; the last and drops it again where it is off the ray
        line = lanes.load_row(builder, lanes.table(builder, "fanqi_rays_down", RAYS_DOWN, 4), square_word)
        others = builder.or_(builder.and_(lanes.invert(builder, opp4), line), one)
        highest = builder.lshr(lanes.constant([1 << 63] * 4), lanes.leading_zeros(builder, others))
        end = builder.and_(highest, builder.and_(line, own4))
        turned_down = builder.and_(builder.sub(zero, builder.add(end, end)), line)
        return lanes.reduce_or(builder, builder.or_(turned_up, turned_down))

    return types.uint64(types.uint64, types.uint64, types.int64), codegen


@overload(legal_moves)
def _legal_moves(own: Any, opp: Any) -> Any:
    form = {"portable": legal_moves_portable, "vector": legal_moves_vector, "wide": legal_moves_wide}[FORM]

    def implementation(own: Any, opp: Any) -> Any:
        return form(own, opp)

    return implementation


@overload(flips)
def _flips(own: Any, opp: Any, square: Any) -> Any:
    form = flips_portable if FORM == "portable" else flips_vector

    def implementation(own: Any, opp: Any, square: Any) -> Any:
        return form(own, opp, square)

    return implementation


# ------------------------------------------------------------------------------- entry points for Python


@kernel("uint64(uint64, uint64)")
def legal_moves_of(own: Any, opp: Any) -> Any:
    """`legal_moves` for callers outside kernels; arguments are ``numpy.uint64``."""
    return legal_moves(own, opp)


@kernel("uint64(uint64, uint64, int64)")
def flips_of(own: Any, opp: Any, square: Any) -> Any:
    """`flips` for callers outside kernels; bitboards are ``numpy.uint64``."""
    return flips(own, opp, square)
