"""Compiled kernels: the decorator that makes them and the cache that keeps them.

Importing this package imports numba.
"""

from fanqi.kernels.cache import cache_directory, cache_problem, cache_root, package_of
from fanqi.kernels.notices import notices_to
from fanqi.kernels.registry import CompileStep, compile_kernels, import_kernels, is_compiled, kernel, kernel_count

__all__ = [
    "CompileStep",
    "cache_directory",
    "cache_problem",
    "cache_root",
    "compile_kernels",
    "import_kernels",
    "is_compiled",
    "kernel",
    "kernel_count",
    "notices_to",
    "package_of",
]
