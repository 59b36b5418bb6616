"""What numba asks for compiled functions, and gives them to, in place of its own cache.

numba's cache unpickles whatever lies in its folder, and keeps an index that two processes can leave out of step with
the code. This one reads and writes files of `fanqi.kernels.file`, one a kernel. What fails there is a miss: numba then
compiles, and the file is written anew.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import llvmlite
import numba
from numba.core import config, serialize, sigutils
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target

from fanqi.kernels.cache import cache_directory, cache_refusal, unwritable
from fanqi.kernels.file import KernelFileError, kernel_path, read_kernel, write_kernel
from fanqi.kernels.notices import tell

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["KernelCache"]

CODE_OPTIONS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")
"""Settings of numba that change the code it makes, of those that anybody may set by ``NUMBA_…`` variables."""

tell_once = cache(tell)
"""For what is wrong with the whole cache, or with a folder in it."""


class KernelCache(_Cache):  # type: ignore[misc]
    """The compiled forms of one function; see numba's `_Cache` for the methods.

    Neither the path of the source file nor the times of any files count, so a cache survives a copy or a move of the
    installation, or of itself.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._module = function.__module__
        stem = "package" if self._module.count(".") < 2 else self._module.rpartition(".")[2]
        self._name = f"{stem}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._refused: set[Path] = set()

    @property
    def cache_path(self) -> str:
        return str(cache_directory(self._module))

    def has(self, signature: Any) -> bool:
        """Whether there is a file for a signature, as far as can be told without reading it."""
        path, _ = self._place(signature, cpu_target.target_context)
        return cache_refusal(self._module) is None and path not in self._refused and path.exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        refusal = cache_refusal(self._module)
        if refusal is not None:
            tell_once(refusal)
            return None
        path, key = self._place(sig, target_context)
        try:
            payload = read_kernel(path, key)
            result = None if payload is None else rebuild(target_context, payload)
        except KernelFileError as error:
            self._refused.add(path)
            tell(f"the kernel file {path} {error.reason}: it is compiled and written anew")
            return None
        _, declared = sigutils.normalize_signature(sig)
        return result if declared is None or result is None or result.signature.return_type == declared else None

    def save_overload(self, sig: Any, data: Any) -> None:
        if cache_refusal(self._module) is not None or data.library.has_dynamic_globals:
            return
        path, key = self._place(sig, data.target_context)
        try:
            write_kernel(path, key, serialize.dumps(data._reduce()))  # noqa: SLF001, as numba's own cache does
            self._refused.discard(path)
        except OSError as error:  # a kernel that cannot be kept, on a full or read-only disk, is a kernel all the same
            tell_once(unwritable(error))

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    def _place(self, signature: Any, target_context: Any) -> tuple[Path, str]:
        """The file for a signature, and its key: all that the code depends on beside the sources."""
        code = self._function.__code__
        closure = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        frozen = code.co_code + (serialize.dumps(closure) if closure else b"")
        parts = (
            (numba.__version__, llvmlite.__version__, sys.implementation.cache_tag),
            (self._name, code.co_firstlineno, hashlib.sha256(frozen).hexdigest()),
            sigutils.normalize_signature(signature)[0],  # kernels that call this one leave open what it returns
            target_context.codegen().magic_tuple(),
            tuple((name, getattr(config, name, None)) for name in CODE_OPTIONS),
        )
        key = repr(parts)
        return kernel_path(cache_directory(self._module), self._name, key), key


def rebuild(target_context: Any, payload: bytes) -> Any:
    """The compiled function of a payload.

    Raises:
        KernelFileError: it is whole, and yet this process can make nothing of it.
    """
    try:
        return CompileResult._rebuild(target_context, *pickle.loads(payload))  # noqa: SLF001, it was checked
    except Exception as error:
        raise KernelFileError(f"cannot be used ({type(error).__name__}: {error})") from None
