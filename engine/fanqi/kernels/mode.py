"""Which twin of the bit kernels a process compiles."""

from __future__ import annotations

import os

__all__ = ["kernel_mode"]


def kernel_mode() -> str:
    """``vector`` or ``portable``: which twin of the bit kernels this process compiles.

    ``FANQI_KERNELS`` chooses; the default ``auto`` is right for every processor with 256-bit integer vectors, and
    `fanqi.bits` falls back to ``portable`` by itself where those are missing.

    Raises:
        ValueError: the variable holds anything else.
    """
    mode = os.environ.get("FANQI_KERNELS", "auto")
    if mode not in ("auto", "vector", "portable"):
        raise ValueError(f"FANQI_KERNELS={mode!r}: expected auto, vector or portable")
    return mode
