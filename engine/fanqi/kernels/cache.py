"""Where compiled kernels are kept between runs, when they are no longer good, and which folders are trusted.

numba keeps a compiled function as long as the file that defines it is unchanged. A function that *calls* one from
a changed file would be used stale (numba #1833), so Fanqi keeps the kernels of each module in a directory named after
a digest of every source file they can depend on (`fanqi.kernels.sources`): change one byte, and what depends on it is
compiled anew, and nothing else.

The root is, in this order: ``FANQI_CACHE_DIR``, ``NUMBA_CACHE_DIR``, the user's cache directory. It is never inside
the installed package, so a read-only installation works. Nothing here imports numba.

What is in the cache is executed, so the root and the folders in it must be safe (`fanqi.kernels.trust`). The folders
above the root need not be: whoever can write those can put a folder in the place of the root, but it is his then.
"""

from __future__ import annotations

import functools
import os
import stat
import tempfile
from pathlib import Path

from fanqi.kernels.sources import closure_digest
from fanqi.kernels.trust import distrust, reason_of

__all__ = ["FOLDER_MODE", "cache_directory", "cache_problem", "cache_refusal", "cache_root", "package_of", "unwritable"]

FOLDER_MODE = 0o755
"""Others may read, as in an image that is made by root; the umask may take more away."""

INCOMPLETE = "what is not in it is compiled at every start; set FANQI_CACHE_DIR to a directory that can be written"
UNUSED = "all kernels are compiled at every start; set FANQI_CACHE_DIR to a directory that only you can write"


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


@functools.cache
def cache_directory(module: str) -> Path:
    """The directory of the compiled kernels of ``module`` as its sources are now."""
    package = package_of(module)
    inner = module.removeprefix(package).lstrip(".") or "package"
    return cache_root() / package.rpartition(".")[2] / f"{inner}-{closure_digest(module)}"


@functools.cache
def folder_refusal(folder: Path) -> str | None:
    """Why nothing is read from a folder nor written there, as one sentence; None for one that does not exist yet."""
    try:
        status = folder.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        reason: str | None = f"cannot be read ({reason_of(error)})"
    else:
        reason = distrust(status) if stat.S_ISDIR(status.st_mode) else "is not a directory"
    return reason and f"the kernel cache {folder} {reason} and is not used: {UNUSED}"


def root_refusal() -> str | None:
    """Why the whole cache is neither read nor written, as one sentence for people; None when it is."""
    root = cache_root()
    if root.parts[:1] == ("~",):
        return f"there is no home directory for the kernel cache {root}: {UNUSED}"
    return folder_refusal(root)


@functools.cache
def cache_refusal(module: str) -> str | None:
    """Why the kernels of ``module`` are neither read nor written, as one sentence for people; None when they are."""
    folder = cache_directory(module)
    return root_refusal() or folder_refusal(folder.parent) or folder_refusal(folder)


@functools.cache
def cache_problem() -> str | None:
    """Why kernels cannot be kept on disk here, as one sentence for people; None when they can. Makes the root."""
    root = cache_root()
    refusal = root_refusal()
    if refusal is None:
        try:
            root.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                pass
        except OSError as error:
            return unwritable(error)
    return refusal


def unwritable(error: OSError) -> str:
    """The sentence for a cache that is read and cannot be written."""
    return f"the kernel cache {cache_root()} cannot be written ({reason_of(error)}): {INCOMPLETE}"
