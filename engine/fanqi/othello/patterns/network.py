"""The correction: a small network that says what a sum of table entries cannot.

A sum takes patterns for independent: it cannot know that a corner is worth less to a side that has run out of moves.
So each table entry also holds eight small numbers, its *features*. Those of all instances are added up, six facts
about the board join them, and one layer of hidden units makes a correction of the sum out of it::

    features(8) = sum over instances of table[index]        1/64
    facts(6)    = moves of the side to move, moves of the other side, empty squares next to the other side's discs,
                  empty squares next to its own, empty squares of the board, sum of the evaluation       1/64
    hidden(16)  = first · (features, facts, 1)
    correction  = last · max(hidden, hidden / 16)            hundredths of a disc

All arithmetic is on integers, so that it is the same on every processor. Each *band* of numbers of empty squares has a
network of its own.

In memory a network is one block that kernels reach by its address::

    word e    (e = 0..63)        int64, byte offset from the block's start of the band for e empty squares
    then for each band           int32 first[15][16], the last row for the constant; int32 last[16];
                                 int8 tables[entries of the pattern set][8]

Measured (Zen 5, nanoseconds): the correction of a position whose indices are known takes about as long as the sum.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from fanqi.bits import load, popcount
from fanqi.bits.lanes import splat
from fanqi.bits.memory import keep_apart
from fanqi.kernels import kernel
from fanqi.othello.features import neighbourhood
from fanqi.othello.moves import legal_moves
from fanqi.othello.patterns.indices import I16, I32, I64, int16_pointer, vector_at
from fanqi.othello.patterns.shapes import EVALUATION, PatternSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CENTRE", "FACTS", "FEATURES", "INPUTS", "ONE", "UNITS", "Network", "correction"]

FEATURES, FACTS, UNITS = 8, 6, 16
INPUTS = FEATURES + FACTS + 1
ONE = 64
"""The constant input; inputs are in 1/`ONE`."""
CENTRE = 30
"""Number of empty squares that counts as 0."""
SLOPE = 4  # hidden units below zero count 2**-SLOPE
SHIFT = 8  # the first layer's weights are in 1/256
LARGEST = (1 << 14) - 1  # of a hidden unit

I8 = ir.IntType(8)
BAND_HEADER = 4 * (INPUTS * UNITS + UNITS)  # bytes
HEADER_WORDS = 64
COUNTS = 61  # numbers of empty squares, 0 to 60


@dataclass(frozen=True, slots=True)
class Network:
    """The networks of all bands, as the file has them.

    Attributes:
        patterns: the set whose indices choose the features.
        band_of_empties: (61,) the band of each number of empty squares.
        tables: int8 (bands, patterns.folded_size, `FEATURES`).
        first: int16 (bands, `INPUTS`, `UNITS`).
        last: int16 (bands, `UNITS`).
    """

    patterns: PatternSet
    band_of_empties: NDArray[np.int64]
    tables: NDArray[np.int8]
    first: NDArray[np.int16]
    last: NDArray[np.int16]

    def block(self) -> NDArray[np.int64]:
        """The network as kernels read it (see the module)."""
        bands, size = len(self.tables), self.patterns.size
        stride = BAND_HEADER + -(-size * FEATURES // 64) * 64
        block = np.zeros(HEADER_WORDS + bands * stride // 8, np.int64)
        block[:COUNTS] = 8 * HEADER_WORDS + self.band_of_empties * stride
        block[COUNTS:HEADER_WORDS] = block[COUNTS - 1]
        raw = block[HEADER_WORDS:].view(np.uint8).reshape(bands, stride)
        dense = raw[:, :BAND_HEADER].view(np.int32)
        dense[:, : INPUTS * UNITS] = self.first.reshape(bands, -1)
        dense[:, INPUTS * UNITS :] = self.last
        tables = raw[:, BAND_HEADER : BAND_HEADER + size * FEATURES].view(np.int8).reshape(bands, size, FEATURES)
        for band in range(bands):
            np.take(self.tables[band], self.patterns.fold, axis=0, out=tables[band])
        return block


# ---------------------------------------------------------------------------------------------- plain and compiled


def propagate(
    state: Any, band: Any, moves: Any, replies: Any, around_opp: Any, around_own: Any, stage: Any, value: Any
) -> Any:
    """The correction from the indices at ``state``, a band's address and the six facts in 1/`ONE`."""
    dense = np.ctypeslib.as_array((ctypes.c_int32 * (BAND_HEADER // 4)).from_address(int(band))).astype(np.int64)
    size = EVALUATION.size * FEATURES
    tables = np.ctypeslib.as_array((ctypes.c_int8 * size).from_address(int(band) + BAND_HEADER))
    entries = EVALUATION.centres[: EVALUATION.count] + vector_at(state, EVALUATION.lanes)[: EVALUATION.count]
    features = tables.reshape(-1, FEATURES)[entries].sum(axis=0, dtype=np.int64)
    facts = [int(fact) for fact in (moves, replies, around_opp, around_own, stage, value)]
    inputs = np.concatenate([features, np.array([*facts, ONE], np.int64)])
    hidden = inputs @ dense[: INPUTS * UNITS].reshape(INPUTS, UNITS)
    hidden = np.minimum(np.maximum(hidden, hidden >> SLOPE) >> SHIFT, LARGEST)
    return int((hidden * dense[INPUTS * UNITS :]).sum()) >> 6


@intrinsic
def compiled_propagate(
    typingctx: Any,
    state: Any,
    band: Any,
    moves: Any,
    replies: Any,
    around_opp: Any,
    around_own: Any,
    stage: Any,
    value: Any,
) -> Any:
    """`propagate` in LLVM IR: one load of eight bytes an instance, one vector of hidden units."""
    features_type, units_type = ir.VectorType(I16, FEATURES), ir.VectorType(I32, UNITS)

    def vector(numbers: int) -> ir.Constant:
        return ir.Constant(units_type, [numbers] * UNITS)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        indices = int16_pointer(builder, arguments[0])
        tables = builder.inttoptr(builder.add(arguments[1], I64(BAND_HEADER)), I8.as_pointer())
        sums = [ir.Constant(features_type, [0] * FEATURES)] * 4
        for lane in range(EVALUATION.count):
            index = builder.sext(builder.load(builder.gep(indices, [I64(lane)])), I64)
            centre = builder.gep(tables, [I64(FEATURES * int(EVALUATION.centres[lane]))])
            place = builder.gep(centre, [builder.mul(index, I64(FEATURES))])
            entry = builder.load(builder.bitcast(place, ir.VectorType(I8, FEATURES).as_pointer()), align=1)
            sums[lane % 4] = builder.add(sums[lane % 4], builder.sext(entry, features_type))
        features = builder.add(builder.add(sums[0], sums[1]), builder.add(sums[2], sums[3]))
        inputs = [builder.sext(builder.extract_element(features, I32(k)), I32) for k in range(FEATURES)]
        inputs += [builder.trunc(fact, I32) for fact in arguments[2:]]
        weights = builder.inttoptr(arguments[1], units_type.as_pointer())
        rows = [builder.load(builder.gep(weights, [I64(k)]), align=4) for k in range(INPUTS + 1)]
        parts = [builder.mul(rows[INPUTS - 1], vector(ONE)), vector(0)]
        for k, number in enumerate(inputs):
            parts[k % 2] = builder.add(parts[k % 2], builder.mul(rows[k], splat(builder, number, UNITS)))
        hidden = builder.add(*parts)
        low = builder.ashr(hidden, vector(SLOPE))
        hidden = builder.select(builder.icmp_signed(">", hidden, low), hidden, low)
        hidden = builder.ashr(hidden, vector(SHIFT))
        hidden = builder.select(builder.icmp_signed("<", hidden, vector(LARGEST)), hidden, vector(LARGEST))
        products = builder.mul(hidden, rows[INPUTS])
        width = UNITS
        while width > 1:
            width //= 2
            upper = ir.Constant(ir.VectorType(I32, width), [width + k for k in range(width)])
            lower = ir.Constant(ir.VectorType(I32, width), list(range(width)))
            undefined = ir.Constant(products.type, ir.Undefined)
            products = builder.add(
                builder.shuffle_vector(products, undefined, lower), builder.shuffle_vector(products, undefined, upper)
            )
        total = builder.ashr(builder.extract_element(products, I32(0)), I32(6))
        return builder.sext(total, I64)

    return types.int64(*[types.int64] * 8), codegen


@overload(propagate)
def _propagate(
    state: Any, band: Any, moves: Any, replies: Any, around_opp: Any, around_own: Any, stage: Any, value: Any
) -> Any:
    def implementation(
        state: Any, band: Any, moves: Any, replies: Any, around_opp: Any, around_own: Any, stage: Any, value: Any
    ) -> Any:
        return compiled_propagate(
            np.int64(state),
            np.int64(band),
            np.int64(moves),
            np.int64(replies),
            np.int64(around_opp),
            np.int64(around_own),
            np.int64(stage),
            np.int64(value),
        )

    return implementation


@kernel
def correction(state: Any, own: Any, opp: Any, network: Any, empties: Any, value: Any) -> Any:
    """What to add to ``value``, the sum of the evaluation, in hundredths of a disc.

    Args:
        state: address of the indices of the position.
        own, opp: the position.
        network: address of `Network.block`.
        empties: its empty squares, 0 to 60.
    """
    keep_apart()
    empty = ~(own | opp)
    return propagate(
        state,
        network + load(network, empties),
        12 * popcount(legal_moves(own, opp)) - 108,
        12 * popcount(legal_moves(opp, own)) - 108,
        8 * popcount(neighbourhood(opp) & empty) - 112,
        8 * popcount(neighbourhood(own) & empty) - 112,
        6 * (empties - CENTRE),
        value >> 5,
    )
