"""Which form of the vector kernels this processor gets.

``wide``      512-bit vectors with a rotate a lane (AVX-512): eight directions in one register
``vector``    256-bit vectors with a shift a lane (AVX2): four directions in one register
``portable``  plain 64-bit code, for everything else

The 512- and 256-bit forms are written in target-independent LLVM IR, so they are *right* on every processor
and merely slow where LLVM has to take them apart. ``FANQI_KERNELS=portable`` forces the plain code,
``FANQI_KERNELS=vector`` the 256-bit code.
"""

from __future__ import annotations

import platform
from typing import Final

import llvmlite.binding as llvm
from numba.core import config

from fanqi.kernels.mode import kernel_mode

__all__ = ["FORM", "choose_form", "processor_features"]

PLAIN_PROCESSORS = ("generic", "x86-64", "x86-64-v2")


def processor_features() -> frozenset[str]:
    """LLVM's names of the features numba compiles for: the host's, or those the user fixed for a shared
    cache.

    A processor named by ``NUMBA_CPU_NAME`` without ``NUMBA_CPU_FEATURES`` is taken to have 256-bit vectors
    unless the name says otherwise.
    """
    if config.CPU_FEATURES is not None:
        return frozenset(f[1:] for f in config.CPU_FEATURES.split(",") if f.startswith("+"))
    if config.CPU_NAME not in (None, "host"):
        return frozenset() if config.CPU_NAME in PLAIN_PROCESSORS else frozenset({"avx2"})
    return frozenset(name for name, present in llvm.get_host_cpu_features().items() if present)


def choose_form(mode: str, machine: str, features: frozenset[str]) -> str:
    """``wide``, ``vector`` or ``portable``.

    Args:
        mode: what the user asked for: ``auto``, ``vector`` or ``portable``.
        machine: `platform.machine`.
        features: of the processor compiled for.
    """
    if mode != "auto":
        return mode
    if machine.lower() not in ("x86_64", "amd64") or "avx2" not in features:
        return "portable"
    return "wide" if "avx512f" in features and "avx512vl" in features else "vector"


FORM: Final[str] = choose_form(kernel_mode(), platform.machine(), processor_features())
