"""How the training tool compiles its kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import config

from fanqi.kernels.numba_cache import KernelCache

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function with numba, without the GIL, when it is first called.

    The code is kept in the engine's cache, under a digest of the tool's sources and of the engine's that they import.
    A function made within another is compiled by each process: what it closes over has no name that the next one knows.
    """
    kernel: Any = numba.njit(nogil=True)(function)
    if function.__closure__ is None and not config.DISABLE_JIT:
        kernel._cache = KernelCache(function)  # noqa: SLF001, numba has no public way
    return kernel  # type: ignore[no-any-return]
