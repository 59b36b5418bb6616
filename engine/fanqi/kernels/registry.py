"""The `kernel` decorator, the list of kernels it makes, and their compilation ahead of time.

A *kernel* is a function compiled by numba that runs without the GIL. Kernels called from Python state their
signature; those are compiled (or loaded from the cache) by `compile_kernels`, in the order of definition, so that
callees come before callers and a progress bar moves evenly. Helpers without a signature are compiled with their
callers.

With ``NUMBA_DISABLE_JIT=1`` a kernel is the plain Python function: slow, but steppable and visible to coverage.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from numba.core import config
from numba.core.caching import _CacheLocator

from fanqi.kernels.cache import cache_directory, cache_problem, complete_marker, package_of
from fanqi.kernels.sources import closure_digest

__all__ = ["CompileStep", "compile_kernels", "is_compiled", "kernel", "kernel_count"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class CompileStep:
    """One kernel made ready: its name, the seconds it took, and whether the cache had it."""

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


class KernelCacheLocator(_CacheLocator):  # type: ignore[misc]
    """Puts each function into `cache_directory`, which names the state of all sources it can depend on.

    The path of the source file is no part of it, so a cache survives a copy or a move of the installation.
    """

    def __init__(self, py_func: Any) -> None:
        self._path = cache_directory(py_func.__module__)
        self._stamp = closure_digest(py_func.__module__)
        self._line = str(py_func.__code__.co_firstlineno)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return self._line

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> KernelCacheLocator:
        locator = cls(py_func)
        if cache_problem() is None:
            locator.ensure_cache_path()
        return locator


def _jit(func: Any, options: dict[str, Any]) -> Any:
    if config.DISABLE_JIT:
        return func
    cached = cache_problem() is None or cache_directory(func.__module__).is_dir()  # what is read-only can be read
    previous = config.CACHE_LOCATOR_CLASSES
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{KernelCacheLocator.__name__}"
    try:
        dispatcher = numba.njit(nogil=True, cache=cached, error_model="numpy", **options)(func)
    finally:
        config.CACHE_LOCATOR_CLASSES = previous
    if cached:
        _save_if_possible(dispatcher._cache)  # noqa: SLF001, numba has no public way
    return dispatcher


def _save_if_possible(cache: Any) -> None:
    """A kernel that cannot be kept, on a full or read-only disk, is a kernel all the same."""
    save = cache.save_overload

    def try_to_save(signature: Any, data: Any) -> None:
        with suppress(OSError):
            save(signature, data)

    cache.save_overload = try_to_save


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


def _marker(entries: list[_Entry]) -> Path:
    return complete_marker(frozenset(entry.module for entry in entries))


def _registered(package: str) -> list[_Entry]:
    return [entry for entry in _registry if package_of(entry.module) == package]


def _entries(package: str) -> list[_Entry]:
    entries = _registered(package)
    return [entry for entry in entries if not entry.inner] if is_compiled(package) else entries


def kernel_count(package: str) -> int:
    """How many steps `compile_kernels` will report for ``package``, whose modules must have been imported."""
    return 0 if config.DISABLE_JIT else len(_entries(package))


def is_compiled(package: str) -> bool:
    """Whether all kernels of ``package``, whose modules must have been imported, have been compiled and kept."""
    entries = _registered(package)
    return config.DISABLE_JIT or not entries or _marker(entries).exists()


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
        hits = sum(entry.dispatcher.stats.cache_hits.values())
        entry.dispatcher.compile(entry.signature)
        cached = sum(entry.dispatcher.stats.cache_hits.values()) > hits
        step = CompileStep(entry.name, time.perf_counter() - started, cached)
        steps.append(step)
        if progress is not None:
            progress(done, len(entries), step)
    if cache_problem() is None and entries:
        marker = _marker(_registered(package))
        with suppress(OSError):
            marker.parent.mkdir(parents=True, exist_ok=True)
            marker.touch()
    return steps
