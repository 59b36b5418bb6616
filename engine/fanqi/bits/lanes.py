"""Small vocabulary for vector code in LLVM IR, used inside numba intrinsics.

Every function takes the llvmlite builder first and returns an IR value. Vectors are ``<n x i64>`` where nothing else
is said; they live only inside one intrinsic, so numba never sees their type. Nothing here is specific to a processor:
LLVM lowers each operation to one instruction where there is one and to a sequence elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba.core import cgutils

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "call_vector",
    "constant",
    "constant_array",
    "funnel_left",
    "invert",
    "leading_zeros",
    "load_row",
    "reduce_or",
    "splat",
    "table",
    "vector_type",
]

WORD = ir.IntType(64)
WORD_MASK = (1 << 64) - 1


def vector_type(lanes: int) -> ir.VectorType:
    """``<lanes x i64>``."""
    return ir.VectorType(WORD, lanes)


def constant(values: Sequence[int]) -> ir.Constant:
    """A vector constant, one 64-bit value a lane (negative ones in two's complement)."""
    return ir.Constant(vector_type(len(values)), [value & WORD_MASK for value in values])


def splat(builder: ir.IRBuilder, number: ir.Value, lanes: int) -> ir.Value:
    """The same integer, of any width, in every lane."""
    undefined = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    first = builder.insert_element(undefined, number, ir.IntType(32)(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes))


def invert(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """Bitwise complement (llvmlite's ``not_`` does not take vectors)."""
    return builder.xor(vector, constant([WORD_MASK] * vector.type.count))


def call_vector(builder: ir.IRBuilder, name: str, result: ir.Type, arguments: Sequence[ir.Value]) -> ir.Value:
    """Call an LLVM intrinsic by its full name; llvmlite's `declare_intrinsic` cannot name vector types."""
    function_type = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), arguments)


def reduce_or(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """All lanes ored into one word."""
    return call_vector(builder, f"llvm.vector.reduce.or.v{vector.type.count}i64", WORD, [vector])


def leading_zeros(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """Leading zeros of each lane; no lane may be 0."""
    name = f"llvm.ctlz.v{vector.type.count}i64"
    return call_vector(builder, name, vector.type, [vector, ir.IntType(1)(1)])


def funnel_left(builder: ir.IRBuilder, vector: ir.Value, amounts: ir.Value) -> ir.Value:
    """Each lane rotated left by its own amount."""
    return call_vector(builder, f"llvm.fshl.v{vector.type.count}i64", vector.type, [vector, vector, amounts])


def constant_array(
    builder: ir.IRBuilder, name: str, element: ir.Type, values: Sequence[Any], align: int
) -> ir.GlobalVariable:
    """A constant array in the compiled module; ``values`` are numbers or IR constants of type ``element``.

    It lives in the module itself: an address taken from Python would be another one in the process that loads
    the module from the cache. ``name`` must be unique to the contents, since modules are linked together.
    """
    module = builder.module
    if name in module.globals:
        return module.get_global(name)
    array_type = ir.ArrayType(element, len(values))
    variable = ir.GlobalVariable(module, array_type, name)
    variable.linkage = "linkonce_odr"
    variable.global_constant = True
    variable.align = align
    variable.initializer = ir.Constant(array_type, values)
    return variable


def table(builder: ir.IRBuilder, name: str, values: Sequence[int], lanes: int) -> ir.GlobalVariable:
    """A `constant_array` of vectors, ``lanes`` consecutive values a row."""
    rows = [constant(values[start : start + lanes]) for start in range(0, len(values), lanes)]
    return constant_array(builder, name, vector_type(lanes), rows, 8 * lanes)


def load_row(builder: ir.IRBuilder, variable: Any, index: ir.Value) -> ir.Value:
    """Row ``index`` of a `constant_array`."""
    return builder.load(builder.gep(variable, [WORD(0), index], inbounds=True))
