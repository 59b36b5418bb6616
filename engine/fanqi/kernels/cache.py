"""Where compiled kernels are kept between runs, and when they are no longer good.

numba keeps a compiled function as long as the file that defines it is unchanged. A function that *calls* one from
a changed file would be used stale (numba #1833), so Fanqi keeps the kernels of each game in a directory named after
a digest of every source file they can depend on: change one byte, and that game is compiled anew.

The root is, in this order: ``FANQI_CACHE_DIR``, ``NUMBA_CACHE_DIR``, the user's cache directory. It is never inside
the installed package, so a read-only installation works. Nothing here imports numba.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import tempfile
from pathlib import Path

__all__ = ["cache_directory", "cache_problem", "cache_root", "kernel_mode", "source_digest"]

SHARED_PACKAGES = ("fanqi.kernels", "fanqi.bits")


def kernel_mode() -> str:
    """``vector`` or ``portable``: which twin of the bit kernels this process compiles.

    ``FANQI_KERNELS`` chooses; the default ``vector`` is right for every processor with 256-bit integer vectors, and
    `fanqi.bits` falls back to ``portable`` by itself where those are missing.

    Raises:
        ValueError: the variable holds anything else.
    """
    mode = os.environ.get("FANQI_KERNELS", "auto")
    if mode not in ("auto", "vector", "portable"):
        raise ValueError(f"FANQI_KERNELS={mode!r}: expected auto, vector or portable")
    return mode


def cache_root() -> Path:
    """The directory below which every kernel cache lives. It need not exist yet."""
    for variable in ("FANQI_CACHE_DIR", "NUMBA_CACHE_DIR"):
        if chosen := os.environ.get(variable):
            return Path(chosen)
    import platformdirs  # only where it is needed: it costs a few milliseconds

    return Path(platformdirs.user_cache_dir("fanqi", appauthor=False)) / "kernels"


def package_of(module: str) -> str:
    """``fanqi.othello`` for ``fanqi.othello.endgame.last`` and for itself."""
    return ".".join(module.split(".")[:2])


@functools.cache
def source_digest(package: str) -> str:
    """Sixteen hex digits over the sources of ``package`` and of the packages all kernels share."""
    digest = hashlib.sha256(kernel_mode().encode())
    for name in dict.fromkeys((*SHARED_PACKAGES, package)):
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            continue
        root = Path(next(iter(spec.submodule_search_locations)))
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{name}/{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_directory(package: str) -> Path:
    """The directory of the compiled kernels of ``package`` as its sources are now."""
    return cache_root() / f"{package.rpartition('.')[2]}-{source_digest(package)}"


@functools.cache
def cache_problem() -> str | None:
    """Why kernels cannot be kept on disk here, as one sentence for people; None when they can."""
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        return (
            f"the kernel cache {root} cannot be written ({error.strerror or error}): kernels are compiled again at "
            "every start; set FANQI_CACHE_DIR to a directory that can be written"
        )
    return None
