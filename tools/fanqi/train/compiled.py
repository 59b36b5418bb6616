"""How the training tool compiles its kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function with numba, without the GIL, for this process only.

    The engine's kernels are kept on disk under a digest of the engine's sources. The tool's call the engine's, so they
    would need a digest of both; they run for minutes to hours, and a few seconds of compilation do not count.
    """
    kernel: F = numba.njit(nogil=True)(function)
    return kernel
