"""Sixteen 32-bit integers as one value in kernels.

Numba carries a `Vector` like any number: in variables, as argument and as result. Its operators are those of
integers, lane by lane and modulo 2**32; ``>>`` shifts zeros in. Nothing here is specific to a processor: LLVM makes
one 512-bit, two 256-bit or four 128-bit instructions of each operation.

The halves, lanes 0 to 7 and 8 to 15, are meant for two sides of something: sums and maxima are taken of each.

With ``NUMBA_DISABLE_JIT=1`` a vector is the plain object below.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic, models, overload, register_model

from fanqi.bits.lanes import call_vector, constant_array, load_row
from fanqi.bits.lanes import splat as fill
from fanqi.bits.memory import load

__all__ = [
    "LANES",
    "Vector",
    "any_bit",
    "choose",
    "fixed",
    "greater",
    "halves",
    "load_vector",
    "maxima",
    "nonzero",
    "permutation",
    "popcounts",
    "splat",
    "sums",
    "vector_table",
]

LANES = 16
HALF = 8
MASK = 0xFFFFFFFF


def _signed(lane: int) -> int:
    return lane - (1 << 32) if lane >> 31 else lane


class Vector:
    """Sixteen lanes, each 0 to 2**32 - 1; what is negative is in two's complement."""

    __slots__ = ("lanes",)

    def __init__(self, lanes: Sequence[int]) -> None:
        self.lanes = tuple(int(lane) & MASK for lane in lanes)

    def _with(self, other: Vector, operation: Callable[[int, int], int]) -> Vector:
        return Vector([operation(a, b) for a, b in zip(self.lanes, other.lanes, strict=True)])

    def __and__(self, other: Vector) -> Vector:
        return self._with(other, operator.and_)

    def __or__(self, other: Vector) -> Vector:
        return self._with(other, operator.or_)

    def __xor__(self, other: Vector) -> Vector:
        return self._with(other, operator.xor)

    def __add__(self, other: Vector) -> Vector:
        return self._with(other, operator.add)

    def __sub__(self, other: Vector) -> Vector:
        return self._with(other, operator.sub)

    def __mul__(self, other: Vector) -> Vector:
        return self._with(other, operator.mul)

    def __lshift__(self, other: Vector) -> Vector:
        return self._with(other, operator.lshift)

    def __rshift__(self, other: Vector) -> Vector:
        return self._with(other, operator.rshift)


LANE = ir.IntType(32)
WORD = ir.IntType(64)
LANES_TYPE = ir.VectorType(LANE, LANES)


class VectorType(types.Type):  # type: ignore[misc]
    """What numba calls a `Vector`."""

    def __init__(self) -> None:
        super().__init__(name="Vector")


_VECTOR = VectorType()
_PAIR = types.UniTuple(types.int64, 2)


@register_model(VectorType)
class VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector is one LLVM value."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, LANES_TYPE)


def _constant(lanes: Sequence[int]) -> Any:
    return ir.Constant(LANES_TYPE, [lane & MASK for lane in lanes])


def fixed(lanes: Sequence[int]) -> Callable[[], Vector]:
    """A callable that gives a kernel these lanes."""
    if config.DISABLE_JIT:
        return lambda: Vector(lanes)

    @intrinsic
    def give(typingctx: Any) -> Any:
        return _VECTOR(), lambda context, builder, signature, args: _constant(lanes)

    result: Callable[[], Vector] = give
    return result


def vector_table(name: str, rows: Sequence[Sequence[int]]) -> Callable[[int], Vector]:
    """A callable that gives a kernel the row of an index (in range; unchecked).

    Args:
        name: unique to the contents over the whole program, since compiled modules are linked together.
        rows: sixteen lanes each.
    """
    if config.DISABLE_JIT:
        return lambda index: Vector(rows[index])

    @intrinsic
    def look_up(typingctx: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            constants = [_constant(row) for row in rows]
            return load_row(builder, constant_array(builder, name, LANES_TYPE, constants, 4 * LANES), args[0])

        return _VECTOR(types.int64), codegen

    result: Callable[[int], Vector] = look_up
    return result


def permutation(sources: Sequence[int]) -> Callable[[Vector], Vector]:
    """A callable that gives each lane what is in lane ``sources[lane]``, or 0 where that is -1."""
    if config.DISABLE_JIT:
        return lambda vector: Vector([vector.lanes[source] if source >= 0 else 0 for source in sources])

    @intrinsic
    def permute(typingctx: Any, vector: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.shuffle_vector(args[0], _constant([0] * LANES), _constant([s % 32 for s in sources]))

        return _VECTOR(_VECTOR), codegen

    result: Callable[[Vector], Vector] = permute
    return result


if TYPE_CHECKING or config.DISABLE_JIT:

    def splat(word: int) -> Vector:
        """The low 32 bits of a word in every lane."""
        return Vector([word] * LANES)

    def halves(low: int, high: int) -> Vector:
        """The low 32 bits of one word in lanes 0 to 7, those of the other in lanes 8 to 15."""
        return Vector([low] * HALF + [high] * HALF)

    def load_vector(low: int, high: int) -> Vector:
        """The low 32 bits of each of the eight words at ``low`` and of the eight at ``high``, both addresses."""
        return Vector([load(low, lane) for lane in range(HALF)] + [load(high, lane) for lane in range(HALF)])

    def popcounts(vector: Vector) -> Vector:
        """The number of one bits of each lane."""
        return Vector([lane.bit_count() for lane in vector.lanes])

    def nonzero(vector: Vector) -> Vector:
        """All bits where a lane is not 0, else none."""
        return Vector([-1 if lane else 0 for lane in vector.lanes])

    def choose(mask: Vector, one: Vector, other: Vector) -> Vector:
        """Bit by bit what is in ``one`` where the mask is set, else what is in ``other``."""
        return one & mask | other & Vector([lane ^ MASK for lane in mask.lanes])

    def greater(left: Vector, right: Vector) -> Vector:
        """The greater of each two lanes, taken as signed."""
        return Vector([max(pair, key=_signed) for pair in zip(left.lanes, right.lanes, strict=True)])

    def any_bit(vector: Vector) -> bool:
        """Whether a lane is not 0."""
        return any(vector.lanes)

    def sums(vector: Vector) -> tuple[int, int]:
        """The sums of either half, as signed 32-bit numbers."""
        lanes = vector.lanes
        return _signed(sum(lanes[:HALF]) & MASK), _signed(sum(lanes[HALF:]) & MASK)

    def maxima(vector: Vector) -> tuple[int, int]:
        """The greatest lane of either half, as signed 32-bit numbers."""
        lanes = [_signed(lane) for lane in vector.lanes]
        return max(lanes[:HALF]), max(lanes[HALF:])

else:

    def _operator(function: Any, method: str) -> None:
        """Let numba use one method of the LLVM builder for an operator between two vectors."""

        @intrinsic
        def apply(typingctx: Any, left: Any, right: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return getattr(builder, method)(args[0], args[1])

            return _VECTOR(_VECTOR, _VECTOR), codegen

        @overload(function)
        def choose(left: Any, right: Any) -> Any:
            def implementation(left: Any, right: Any) -> Any:
                return apply(left, right)

            return implementation if left == _VECTOR and right == _VECTOR else None

    for _method, *_functions in (
        ("and_", operator.and_, operator.iand),
        ("or_", operator.or_, operator.ior),
        ("xor", operator.xor, operator.ixor),
        ("add", operator.add, operator.iadd),
        ("sub", operator.sub, operator.isub),
        ("mul", operator.mul, operator.imul),
        ("shl", operator.lshift, operator.ilshift),
        ("lshr", operator.rshift, operator.irshift),
    ):
        for _function in _functions:
            _operator(_function, _method)

    @intrinsic
    def splat(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return fill(builder, builder.trunc(args[0], LANE), LANES)

        return _VECTOR(types.int64), codegen

    @intrinsic
    def halves(typingctx: Any, low: Any, high: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pair = ir.Constant(ir.VectorType(LANE, 2), ir.Undefined)
            for place, word in enumerate(args):
                pair = builder.insert_element(pair, builder.trunc(word, LANE), LANE(place))
            return builder.shuffle_vector(pair, pair, _constant([0] * HALF + [1] * HALF))

        return _VECTOR(types.int64, types.int64), codegen

    @intrinsic
    def load_vector(typingctx: Any, low: Any, high: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            words = ir.VectorType(WORD, HALF)
            halves = []
            for address in args:
                loaded = builder.load(builder.inttoptr(address, words.as_pointer()))
                loaded.align = 8
                halves.append(builder.trunc(loaded, ir.VectorType(LANE, HALF)))
            return builder.shuffle_vector(*halves, _constant(range(LANES)))

        return _VECTOR(types.int64, types.int64), codegen

    @intrinsic
    def popcounts(typingctx: Any, vector: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return call_vector(builder, "llvm.ctpop.v16i32", LANES_TYPE, args)

        return _VECTOR(_VECTOR), codegen

    @intrinsic
    def nonzero(typingctx: Any, vector: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.sext(builder.icmp_unsigned("!=", args[0], _constant([0] * LANES)), LANES_TYPE)

        return _VECTOR(_VECTOR), codegen

    @intrinsic
    def choose(typingctx: Any, mask: Any, one: Any, other: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            mask, one, other = args
            return builder.xor(builder.and_(builder.xor(one, other), mask), other)

        return _VECTOR(_VECTOR, _VECTOR, _VECTOR), codegen

    def _greater(builder: Any, left: Any, right: Any) -> Any:
        return builder.select(builder.icmp_signed(">", left, right), left, right)

    @intrinsic
    def greater(typingctx: Any, left: Any, right: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _greater(builder, *args)

        return _VECTOR(_VECTOR, _VECTOR), codegen

    @intrinsic
    def any_bit(typingctx: Any, vector: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.icmp_unsigned(
                "!=", call_vector(builder, "llvm.vector.reduce.or.v16i32", LANE, args), LANE(0)
            )

        return types.boolean(_VECTOR), codegen

    def _reduce(context: Any, builder: Any, vector: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """Both halves reduced at once, by combining lanes 4, 2 and 1 apart; a pair of signed words."""
        for distance in (4, 2, 1):
            other = builder.shuffle_vector(vector, vector, _constant([lane ^ distance for lane in range(LANES)]))
            vector = combine(vector, other)
        ends = [builder.sext(builder.extract_element(vector, LANE(lane)), WORD) for lane in (0, HALF)]
        return context.make_tuple(builder, _PAIR, ends)

    @intrinsic
    def sums(typingctx: Any, vector: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _reduce(context, builder, args[0], builder.add)

        return _PAIR(_VECTOR), codegen

    @intrinsic
    def maxima(typingctx: Any, vector: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _reduce(context, builder, args[0], lambda left, right: _greater(builder, left, right))

        return _PAIR(_VECTOR), codegen
