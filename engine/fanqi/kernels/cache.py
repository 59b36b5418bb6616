"""Where compiled kernels are kept between runs, and when they are no longer good.

numba keeps a compiled function as long as the file that defines it is unchanged. A function that *calls* one from
a changed file would be used stale (numba #1833), so Fanqi keeps the kernels of each module in a directory named after
a digest of every source file they can depend on (`fanqi.kernels.sources`): change one byte, and what depends on it is
compiled anew, and nothing else.

The root is, in this order: ``FANQI_CACHE_DIR``, ``NUMBA_CACHE_DIR``, the user's cache directory. It is never inside
the installed package, so a read-only installation works. Nothing here imports numba.
"""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path

from fanqi.kernels.sources import closure_digest, package_digest

__all__ = ["cache_directory", "cache_problem", "cache_root", "complete_marker", "package_of"]


def cache_root() -> Path:
    """The directory below which every kernel cache lives. It need not exist yet, and begins with ``~`` if it cannot."""
    for variable in ("FANQI_CACHE_DIR", "NUMBA_CACHE_DIR"):
        if chosen := os.environ.get(variable):
            return Path(chosen)
    import platformdirs  # only where it is needed: it costs a few milliseconds

    try:
        folder = platformdirs.user_cache_dir("fanqi", appauthor=False)
    except RuntimeError:  # no HOME, and a user whom the system does not know
        folder = "~/.cache/fanqi"
    return Path(folder) / "kernels"


def package_of(module: str) -> str:
    """``fanqi.othello`` for ``fanqi.othello.endgame.last`` and for itself."""
    return ".".join(module.split(".")[:2])


def package_directory(package: str) -> Path:
    return cache_root() / package.rpartition(".")[2]


@functools.cache
def cache_directory(module: str) -> Path:
    """The directory of the compiled kernels of ``module`` as its sources are now."""
    package = package_of(module)
    inner = module.removeprefix(package).lstrip(".") or "package"
    return package_directory(package) / f"{inner}-{closure_digest(module)}"


def complete_marker(modules: frozenset[str]) -> Path:
    """The file that says that every kernel of ``modules``, all of one package, is in the cache as it is now."""
    return package_directory(package_of(min(modules))) / f"complete-{package_digest(modules)}"


@functools.cache
def cache_problem() -> str | None:
    """Why kernels cannot be kept on disk here, as one sentence for people; None when they can."""
    root = cache_root()
    remedy = "what is not in it is compiled at every start; set FANQI_CACHE_DIR to a directory that can be written"
    if root.parts[:1] == ("~",):
        return f"there is no home directory for the kernel cache {root}: {remedy}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        return f"the kernel cache {root} cannot be written ({error.strerror or error}): {remedy}"
    return None
