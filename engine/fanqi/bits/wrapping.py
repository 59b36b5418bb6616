"""Arithmetic modulo 2**64, for hashing.

Compiled code wraps around by itself. numpy's scalars, which is what kernels compute with under
``NUMBA_DISABLE_JIT=1``, do too, but take it for a mistake and warn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

__all__ = ["wrapping_product"]

MASK = (1 << 64) - 1


def wrapping_product(left: Any, right: Any) -> Any:
    """The product of two uint64, as uint64, modulo 2**64."""
    return np.uint64(int(left) * int(right) & MASK)


@overload(wrapping_product)
def _wrapping_product(left: Any, right: Any) -> Any:
    def implementation(left: Any, right: Any) -> Any:
        return np.uint64(left) * np.uint64(right)

    return implementation
