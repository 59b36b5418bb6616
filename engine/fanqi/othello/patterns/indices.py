"""Index vectors of the two pattern sets: from a board, after a move, after a pass, and the sum of their weights.

A *state* is a vector of int16 indices (`PatternSet.lanes` of them) somewhere in raw memory, always seen by the side
to move; a search keeps one a ply and names it by its address. Why a few vector additions are enough is told in
`fanqi.othello.patterns.shapes`. Undoing a move is going back to the state of the ply before::

    ply n      | i0 i1 i2 … |          evaluation_move(state n, state n + 1, square, flipped)
    ply n + 1  | i0 i1 i2 … |  <----   writes the indices after the move, as the next mover sees them

Each operation is a plain Python function with a compiled form in LLVM IR. The IR is the same for all processors: LLVM
splits the vectors as the processor needs it.

Measured (Zen 5, nanoseconds a move, every move of midgame positions): flips 2.6; with `evaluation_move` 10, with
`evaluation_sum` 28. Adding the rows of four flipped discs at a time, with a row of zeros where there are fewer, halves
the cost of an update (20 with one at a time), since the number of rounds is then mostly one and well predicted. The
loads of `evaluation_sum` are scalar: gather instructions were measured 1 to 2 ns slower.
"""

from __future__ import annotations

import ctypes
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from fanqi.bits.lanes import constant_array
from fanqi.othello.patterns.shapes import EVALUATION, ORDERING, VECTOR, PatternSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "EVALUATION_BYTES",
    "ORDERING_BYTES",
    "evaluation_board",
    "evaluation_move",
    "evaluation_pass",
    "evaluation_sum",
    "ordering_board",
    "ordering_move",
    "ordering_pass",
    "ordering_sum",
]

I16, I32, I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
WIDE = 32  # lanes handled as one IR vector where as many are left
ROUND = 4  # rows added a round

EVALUATION_BYTES = 2 * EVALUATION.lanes
"""Size of a state of the midgame evaluation."""
ORDERING_BYTES = 2 * ORDERING.lanes
"""Size of a state of the ordering evaluation."""


@dataclass(frozen=True, slots=True)
class Operations:
    """The four operations on the states of one pattern set, as functions that kernels can call.

    Addresses are int64, bitboards uint64, squares int64.

    Attributes:
        board: ``(state, own, opp)`` writes the indices of a position.
        move: ``(state, after, square, flipped)`` writes to ``after`` the indices after a move; the two may be the
            same address.
        passed: ``(state, after)`` does so for a pass.
        total: ``(state, tables)`` is the sum of the int16 entries that the indices choose in one phase of tables.
    """

    board: Callable[[Any, Any, Any], None]
    move: Callable[[Any, Any, Any, Any], None]
    passed: Callable[[Any, Any], None]
    total: Callable[[Any, Any], Any]


def vector_at(address: Any, lanes: int) -> NDArray[np.int16]:
    """The int16 lanes at an address, as an array over that memory (plain Python form)."""
    return np.ctypeslib.as_array((ctypes.c_int16 * lanes).from_address(int(address)))


def plain_operations(patterns: PatternSet) -> Operations:
    """The operations as readers and ``NUMBA_DISABLE_JIT=1`` see them."""
    lanes, rows = patterns.lanes, patterns.rows

    def row_sum(bits: Any) -> NDArray[np.int16]:
        squares = [square for square in range(64) if int(bits) >> square & 1]
        total: NDArray[np.int16] = rows[squares].sum(axis=0, dtype=np.int16)
        return total

    def board(state: Any, own: Any, opp: Any) -> None:
        vector_at(state, lanes)[:] = row_sum(own) - row_sum(opp)

    def move(state: Any, after: Any, square: Any, flipped: Any) -> None:
        vector_at(after, lanes)[:] = -(vector_at(state, lanes) + rows[int(square)] + 2 * row_sum(flipped))

    def passed(state: Any, after: Any) -> None:
        vector_at(after, lanes)[:] = -vector_at(state, lanes)

    def total(state: Any, tables: Any) -> Any:
        entries = patterns.centres[: patterns.count] + vector_at(state, lanes)[: patterns.count]
        return int(vector_at(tables, patterns.size)[entries].sum(dtype=np.int64))

    return Operations(board, move, passed, total)


# ------------------------------------------------------------------------------------------------ LLVM IR


def chunks(lanes: int) -> list[tuple[int, int]]:
    """(first lane, lanes) of the IR vectors that make up a state."""
    wide = lanes // WIDE * WIDE
    return [(first, WIDE) for first in range(0, wide, WIDE)] + [(first, VECTOR) for first in range(wide, lanes, VECTOR)]


def zeros(lanes: int) -> ir.Constant:
    return ir.Constant(ir.VectorType(I16, lanes), [0] * lanes)


def int16_pointer(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    return builder.inttoptr(address, I16.as_pointer())


def load_vector(builder: ir.IRBuilder, base: ir.Value, element: ir.Value, lanes: int) -> ir.Value:
    pointer = builder.bitcast(builder.gep(base, [element]), ir.VectorType(I16, lanes).as_pointer())
    value = builder.load(pointer)
    value.align = 2
    return value


def store_vector(builder: ir.IRBuilder, value: ir.Value, base: ir.Value, element: ir.Value) -> None:
    builder.store(value, builder.bitcast(builder.gep(base, [element]), value.type.as_pointer())).align = 2


def rows_pointer(builder: ir.IRBuilder, name: str, patterns: PatternSet) -> ir.Value:
    """The rows of all squares as a constant of the module, with a 65th row of zeros."""
    values = [int(value) for value in patterns.rows.ravel()] + [0] * patterns.lanes
    return builder.bitcast(constant_array(builder, name, I16, values, 64), I16.as_pointer())


def add_rows(builder: ir.IRBuilder, rows: ir.Value, patterns: PatternSet, bits: ir.Value) -> list[ir.Value]:
    """The sum of the rows of all squares in ``bits``, one IR vector a chunk."""
    parts = chunks(patterns.lanes)
    entry = builder.block
    head = builder.append_basic_block("rows.head")
    body = builder.append_basic_block("rows.body")
    done = builder.append_basic_block("rows.done")
    builder.branch(head)

    builder.position_at_end(head)
    left = builder.phi(I64)
    left.add_incoming(bits, entry)
    sums = [builder.phi(ir.VectorType(I16, lanes)) for _, lanes in parts]
    for total, (_, lanes) in zip(sums, parts, strict=True):
        total.add_incoming(zeros(lanes), entry)
    builder.cbranch(builder.icmp_unsigned("!=", left, I64(0)), body, done)

    builder.position_at_end(body)
    rest, added = left, list(sums)
    for _ in range(ROUND):
        square = builder.cttz(rest, ir.IntType(1)(0))  # 64, the row of zeros, when none is left
        start = builder.mul(square, I64(patterns.lanes))
        added = [
            builder.add(total, load_vector(builder, rows, builder.add(start, I64(first)), lanes))
            for total, (first, lanes) in zip(added, parts, strict=True)
        ]
        rest = builder.and_(rest, builder.sub(rest, I64(1)))
    left.add_incoming(rest, body)
    for total, value in zip(sums, added, strict=True):
        total.add_incoming(value, body)
    builder.branch(head)

    builder.position_at_end(done)
    return sums


def intrinsics(patterns: PatternSet) -> tuple[Any, Any, Any, Any]:
    """The compiled forms of the `Operations` of a pattern set."""
    # modules are linked together, so a name must be unique to the contents
    rows_name = f"fanqi_pattern_rows_{hashlib.sha256(patterns.rows.tobytes()).hexdigest()[:16]}"
    parts = chunks(patterns.lanes)

    @intrinsic
    def board(typingctx: Any, state: Any, own: Any, opp: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            rows = rows_pointer(builder, rows_name, patterns)
            plus = add_rows(builder, rows, patterns, arguments[1])
            minus = add_rows(builder, rows, patterns, arguments[2])
            target = int16_pointer(builder, arguments[0])
            for a, b, (first, _) in zip(plus, minus, parts, strict=True):
                store_vector(builder, builder.sub(a, b), target, I64(first))
            return context.get_dummy_value()

        return types.void(types.int64, types.uint64, types.uint64), codegen

    @intrinsic
    def move(typingctx: Any, state: Any, after: Any, square: Any, flipped: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            rows = rows_pointer(builder, rows_name, patterns)
            flipped = add_rows(builder, rows, patterns, arguments[3])
            source, target = int16_pointer(builder, arguments[0]), int16_pointer(builder, arguments[1])
            start = builder.mul(arguments[2], I64(patterns.lanes))
            for turned, (first, lanes) in zip(flipped, parts, strict=True):
                placed = load_vector(builder, rows, builder.add(start, I64(first)), lanes)
                before = load_vector(builder, source, I64(first), lanes)
                total = builder.add(builder.add(before, placed), builder.add(turned, turned))
                store_vector(builder, builder.sub(zeros(lanes), total), target, I64(first))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, types.uint64), codegen

    @intrinsic
    def passed(typingctx: Any, state: Any, after: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            source, target = int16_pointer(builder, arguments[0]), int16_pointer(builder, arguments[1])
            for first, lanes in parts:
                before = load_vector(builder, source, I64(first), lanes)
                store_vector(builder, builder.sub(zeros(lanes), before), target, I64(first))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), codegen

    @intrinsic
    def total(typingctx: Any, state: Any, tables: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            source, base = int16_pointer(builder, arguments[0]), int16_pointer(builder, arguments[1])
            sums = [I32(0)] * 4
            for lane in range(patterns.count):
                index = builder.sext(builder.load(builder.gep(source, [I64(lane)])), I64)
                centre = builder.gep(base, [I64(int(patterns.centres[lane]))])
                weight = builder.sext(builder.load(builder.gep(centre, [index])), I32)
                sums[lane % 4] = builder.add(sums[lane % 4], weight)
            halves = builder.add(sums[0], sums[1]), builder.add(sums[2], sums[3])
            return builder.sext(builder.add(*halves), I64)

        return types.int64(types.int64, types.int64), codegen

    return board, move, passed, total


def operations(patterns: PatternSet) -> Operations:
    """The plain operations of a pattern set, with the compiled ones behind them for kernels."""
    plain = plain_operations(patterns)
    compiled_board, compiled_move, compiled_passed, compiled_total = intrinsics(patterns)

    @overload(plain.board)
    def board(state: Any, own: Any, opp: Any) -> Any:
        def implementation(state: Any, own: Any, opp: Any) -> Any:
            compiled_board(np.int64(state), np.uint64(own), np.uint64(opp))

        return implementation

    @overload(plain.move)
    def move(state: Any, after: Any, square: Any, flipped: Any) -> Any:
        def implementation(state: Any, after: Any, square: Any, flipped: Any) -> Any:
            compiled_move(np.int64(state), np.int64(after), np.int64(square), np.uint64(flipped))

        return implementation

    @overload(plain.passed)
    def passed(state: Any, after: Any) -> Any:
        def implementation(state: Any, after: Any) -> Any:
            compiled_passed(np.int64(state), np.int64(after))

        return implementation

    @overload(plain.total)
    def total(state: Any, tables: Any) -> Any:
        def implementation(state: Any, tables: Any) -> Any:
            return compiled_total(np.int64(state), np.int64(tables))

        return implementation

    return plain


_evaluation = operations(EVALUATION)
evaluation_board = _evaluation.board
evaluation_move = _evaluation.move
evaluation_pass = _evaluation.passed
evaluation_sum = _evaluation.total

_ordering = operations(ORDERING)
ordering_board = _ordering.board
ordering_move = _ordering.move
ordering_pass = _ordering.passed
ordering_sum = _ordering.total
