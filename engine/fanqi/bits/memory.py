"""Raw memory for search kernels: words and bytes at an address.

A NamedTuple of arrays passed down a recursion costs three times the time (reference counts at every call), so the
searches keep their state in one block and hand its address down as a plain integer. Nothing is checked.

In kernels these names are numba intrinsics, not overloads: an overload would be compiled anew for every literal
index. With ``NUMBA_DISABLE_JIT=1`` they are the plain functions.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic, overload

__all__ = ["address_of", "keep_apart", "load", "load_byte", "store", "store_byte"]


def address_of(array: Any) -> int:
    """The address of the first element of a contiguous array, which the caller must keep alive."""
    return int(array.ctypes.data)


@overload(address_of)
def _address_of(array: Any) -> Any:
    def implementation(array: Any) -> Any:
        return np.int64(array.ctypes.data)

    return implementation


if TYPE_CHECKING or config.DISABLE_JIT:

    def load(address: int, index: int) -> int:
        """The ``index``-th 64-bit word behind ``address``, as int64."""
        return ctypes.c_int64.from_address(int(address) + 8 * int(index)).value

    def store(address: int, index: int, value: Any) -> None:
        """Set the ``index``-th 64-bit word behind ``address``."""
        ctypes.c_int64.from_address(int(address) + 8 * int(index)).value = int(value)

    def load_byte(address: int, index: int) -> int:
        """The ``index``-th byte behind ``address``, 0 to 255, as int64."""
        return ctypes.c_uint8.from_address(int(address) + int(index)).value

    def store_byte(address: int, index: int, value: int) -> None:
        """Set the ``index``-th byte behind ``address`` to the low eight bits of ``value``."""
        ctypes.c_uint8.from_address(int(address) + int(index)).value = int(value)

    def keep_apart() -> None:
        """Called in a kernel, keeps LLVM from inlining that kernel into its callers.

        Numba optimises all callees again with each caller, so a large helper that is inlined in many places
        multiplies the time to compile.
        """

else:

    def _pointer(builder: Any, address: Any, index: Any, bits: int) -> Any:
        base = builder.inttoptr(address, ir.IntType(bits).as_pointer())
        return builder.gep(base, [index])

    @intrinsic
    def load(typingctx: Any, address: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(_pointer(builder, args[0], args[1], 64))

        return types.int64(types.int64, types.int64), codegen

    @intrinsic
    def store(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(args[2], _pointer(builder, args[0], args[1], 64))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), codegen

    @intrinsic
    def load_byte(typingctx: Any, address: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.zext(builder.load(_pointer(builder, args[0], args[1], 8)), ir.IntType(64))

        return types.int64(types.int64, types.int64), codegen

    @intrinsic
    def store_byte(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(builder.trunc(args[2], ir.IntType(8)), _pointer(builder, args[0], args[1], 8))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), codegen

    @intrinsic
    def keep_apart(typingctx: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.function.attributes.add("noinline")
            return context.get_dummy_value()

        return types.void(), codegen
