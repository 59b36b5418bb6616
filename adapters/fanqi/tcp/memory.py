"""Giving the memory of ended sessions back to the operating system."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["return_freed_memory"]

M_MMAP_THRESHOLD = -3  # of mallopt(3)
THRESHOLD_BYTES = 128 * 1024


def return_freed_memory() -> bool:
    """Keep glibc's threshold for separately mapped blocks where it starts; whether that was possible.

    Left alone, glibc raises it whenever such a block is freed. The arrays of an engine then come from a heap whose
    holes stay with the process: a server that 200 clients had used kept 200 MiB after they had gone, with this 30.
    """
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, THRESHOLD_BYTES))
    except (OSError, AttributeError):  # another C library
        return False
