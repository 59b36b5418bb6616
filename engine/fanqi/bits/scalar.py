"""Single-instruction operations on 64-bit words.

Each is a plain Python function (what readers and ``NUMBA_DISABLE_JIT=1`` see) whose compiled form is one LLVM
intrinsic. LLVM lowers them on every processor, so they need no portable twin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

__all__ = ["atomic_load", "leading_zeros", "popcount", "trailing_zeros"]


def popcount(bits: Any) -> int:
    """Number of one bits of a uint64, as int64."""
    return int(bits).bit_count()


def trailing_zeros(bits: Any) -> int:
    """Index of the lowest one bit of a uint64, as int64; 64 for 0."""
    word = int(bits)
    return (word & -word).bit_length() - 1 if word else 64


def leading_zeros(bits: Any) -> int:
    """63 minus the index of the highest one bit of a uint64, as int64; 64 for 0."""
    return 64 - int(bits).bit_length()


def atomic_load(array: Any, index: Any) -> Any:
    """``array[index]`` of a contiguous int64 array, read anew each time it is asked for.

    A plain load of a stop flag in a loop may be hoisted out of it by LLVM and then never seen to change.
    """
    return array[index]


@intrinsic
def _ctpop(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def _cttz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.uint64), codegen


@intrinsic
def _ctlz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], cgutils.false_bit)

    return types.int64(types.uint64), codegen


@intrinsic
def _atomic_load(typingctx: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load_atomic(builder.gep(data, [args[1]]), "monotonic", 8)

    return types.int64(array, types.int64), codegen


@overload(popcount)
def _popcount(bits: Any) -> Any:
    def implementation(bits: Any) -> Any:
        return _ctpop(np.uint64(bits))

    return implementation


@overload(trailing_zeros)
def _trailing_zeros(bits: Any) -> Any:
    def implementation(bits: Any) -> Any:
        return _cttz(np.uint64(bits))

    return implementation


@overload(leading_zeros)
def _leading_zeros(bits: Any) -> Any:
    def implementation(bits: Any) -> Any:
        return _ctlz(np.uint64(bits))

    return implementation


@overload(atomic_load)
def _atomic_load_overload(array: Any, index: Any) -> Any:
    def implementation(array: Any, index: Any) -> Any:
        return _atomic_load(array, np.int64(index))

    return implementation
