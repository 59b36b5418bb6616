"""Constant tables inside compiled code, and a few words that have no address in Python.

A numpy array that is global to a kernel is frozen into it too, but indexing it costs a check for negative
indices.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from fanqi.bits.lanes import constant_array, load_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["load_bits", "prefetch", "word_table"]

WORD = ir.IntType(64)


def word_table(name: str, values: Sequence[int]) -> Callable[[Any], Any]:
    """A function from an index (in range; unchecked) to one of 64-bit ``values``, as uint64, for use in
    kernels.

    Args:
        name: unique to the contents over the whole program, since compiled modules are linked together.
        values: at most 64 bits each.
    """
    words = [np.uint64(value) for value in values]

    def lookup(index: Any) -> Any:
        return words[int(index)]

    @intrinsic
    def _lookup(typingctx: Any, index: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            return load_row(builder, constant_array(builder, name, WORD, values, 8), arguments[0])

        return types.uint64(types.int64), codegen

    @overload(lookup)
    def _overload(index: Any) -> Any:
        def implementation(index: Any) -> Any:
            return _lookup(np.int64(index))

        return implementation

    lookup.__name__ = lookup.__qualname__ = name
    return lookup


def load_bits(address: Any, index: Any) -> Any:
    """The ``index``-th 64-bit word behind ``address``, as uint64."""
    return np.uint64(ctypes.c_uint64.from_address(int(address) + 8 * int(index)).value)


def prefetch(address: Any) -> None:
    """Ask for the cache line at ``address``; changes nothing but time."""


@intrinsic
def _load_bits(typingctx: Any, address: Any, index: Any) -> Any:
    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        base = builder.inttoptr(arguments[0], WORD.as_pointer())
        return builder.load(builder.gep(base, [arguments[1]]))

    return types.uint64(types.int64, types.int64), codegen


@intrinsic
def _prefetch(typingctx: Any, address: Any) -> Any:
    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
        builder.call(function, [builder.inttoptr(arguments[0], pointer), flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@overload(load_bits)
def _load_bits_overload(address: Any, index: Any) -> Any:
    def implementation(address: Any, index: Any) -> Any:
        return _load_bits(np.int64(address), np.int64(index))

    return implementation


@overload(prefetch)
def _prefetch_overload(address: Any) -> Any:
    def implementation(address: Any) -> None:
        _prefetch(np.int64(address))

    return implementation
