"""The `kernel` decorator, the list of kernels it makes, and their compilation ahead of time.

A *kernel* is a function compiled by numba that runs without the GIL. Kernels called from Python state their
signature; those are compiled (or loaded from the cache) by `compile_kernels`, in the order of definition, so that
callees come before callers and a progress bar moves evenly. Helpers without a signature are compiled with their
callers.

With ``NUMBA_DISABLE_JIT=1`` a kernel is the plain Python function: slow, but steppable and visible to coverage.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numba
from numba.core import config

from fanqi.kernels.cache import package_of
from fanqi.kernels.numba_cache import KernelCache

__all__ = ["CompileStep", "compile_kernels", "import_kernels", "is_compiled", "kernel", "kernel_count"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class CompileStep:
    """One kernel made ready: its name, the seconds it took, and whether it was there without compiling."""

    name: str
    seconds: float
    cached: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    module: str
    name: str
    dispatcher: Any
    signature: Any
    inner: bool


_registry: list[_Entry] = []


def _jit(func: Any, options: dict[str, Any]) -> Any:
    if config.DISABLE_JIT:
        return func
    dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(func)
    dispatcher._cache = KernelCache(func)  # noqa: SLF001, numba has no public way
    return dispatcher


@overload
def kernel(signature: F, /) -> F: ...
@overload
def kernel(signature: str | list[str] | None = None, /, *, inner: bool = False, **options: Any) -> Callable[[F], F]: ...
def kernel(signature: Any = None, /, *, inner: bool = False, **options: Any) -> Any:
    """Compile a function with numba: nogil, cached on disk, numpy's error model (no division checks).

    Used bare (``@kernel``) for helpers that only other kernels call, or with a numba signature
    (``@kernel("uint64(uint64, uint64)")``) for kernels to be compiled ahead of time.

    Args:
        signature: a numba signature or a string of one; several signatures as a list.
        inner: the kernel is called from other kernels only and is listed merely to make the progress of a cold
            compilation finer; a warm start does not load it.
        options: passed to ``numba.njit``.
    """
    if callable(signature) and not isinstance(signature, numba.core.typing.templates.Signature):
        return _jit(signature, {})

    def decorate(func: F) -> F:
        dispatcher = _jit(func, options)
        if signature is not None:
            signatures = signature if isinstance(signature, list) else [signature]
            _registry.extend(
                _Entry(
                    func.__module__,
                    f"{func.__module__.removeprefix('fanqi.')}.{func.__name__}",
                    dispatcher,
                    s,
                    inner,
                )
                for s in signatures
            )
        return dispatcher  # type: ignore[no-any-return]

    return decorate


def _registered(package: str) -> list[_Entry]:
    return [entry for entry in _registry if package_of(entry.module) == package]


def _entries(package: str) -> list[_Entry]:
    entries = _registered(package)
    return [entry for entry in entries if not entry.inner] if is_compiled(package) else entries


def kernel_count(package: str) -> int:
    """How many steps `compile_kernels` will report for ``package``, whose modules must have been imported."""
    return 0 if config.DISABLE_JIT else len(_entries(package))


def is_compiled(package: str) -> bool:
    """Whether the cache has every kernel of ``package`` that Python calls, as far as its modules have been imported."""
    outer = [entry for entry in _registered(package) if not entry.inner]
    return config.DISABLE_JIT or all(entry.dispatcher._cache.has(entry.signature) for entry in outer)  # noqa: SLF001


def import_kernels(package: str) -> None:
    """Import every module of a package, so that all its kernels are registered, those that few commands use too."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)


def compile_kernels(package: str, progress: Callable[[int, int, CompileStep], None] | None = None) -> list[CompileStep]:
    """Make every kernel of an imported package ready to be called without further compilation.

    Args:
        package: ``fanqi.othello`` or ``fanqi.banqi``; `fanqi.bits` has only helpers.
        progress: called after each step with (steps done, steps in all, the step).

    Returns:
        The steps in order; empty with ``NUMBA_DISABLE_JIT=1``.
    """
    if config.DISABLE_JIT:
        return []
    entries = _entries(package)
    steps: list[CompileStep] = []
    for done, entry in enumerate(entries, start=1):
        started = time.perf_counter()
        misses = sum(entry.dispatcher.stats.cache_misses.values())
        entry.dispatcher.compile(entry.signature)
        cached = sum(entry.dispatcher.stats.cache_misses.values()) == misses
        step = CompileStep(entry.name, time.perf_counter() - started, cached)
        steps.append(step)
        if progress is not None:
            progress(done, len(entries), step)
    return steps
