"""Which sources a compiled kernel can depend on, as one digest a module.

A kernel depends on the module that defines it and on everything that module imports, directly or not: callees are
compiled into their callers, and constants are frozen into the code. The imports are read from the text, so nothing
is imported to find out, and an import inside a function counts as well. ``from package import module`` counts as the
module alone, unless the package's ``__init__`` knows that name.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from pathlib import Path

from fanqi.kernels.mode import kernel_mode

__all__ = ["closure_digest", "import_closure"]

IMPORT = re.compile(r"\n[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]+))")
NAME = re.compile(r"([\w.]+)(?:[ \t]+as[ \t]+\w+)?")
WORD = re.compile(r"\w+")


@functools.cache
def listing(directory: str) -> frozenset[str]:
    """The names in a directory: one question to the system where one a module would make hundreds."""
    try:
        with os.scandir(directory) as entries:
            return frozenset(entry.name for entry in entries)
    except OSError:
        return frozenset()


@functools.cache
def source_file(module: str) -> Path | None:
    """The file of a module whose top-level package has been imported; None where it has no file."""
    top, *rest = module.split(".")
    for root in getattr(sys.modules.get(top), "__path__", ()):
        parent = "/".join([root, *rest[:-1]])
        if rest and f"{rest[-1]}.py" in listing(parent):
            return Path(parent, f"{rest[-1]}.py")
        path = "/".join([root, *rest])
        if (not rest or rest[-1] in listing(parent)) and "__init__.py" in listing(path):
            return Path(path, "__init__.py")
    return None


@functools.cache
def words(module: str) -> frozenset[str]:
    return frozenset(WORD.findall(source(module).decode()))


def only_modules(package: str, names: list[str]) -> bool:
    """Whether ``from package import names`` takes modules alone, so that what else is in the package is not used."""
    return all(source_file(f"{package}.{name}") and name not in words(package) for name in names)


@functools.cache
def source(module: str) -> bytes:
    path = source_file(module)
    return path.read_bytes() if path else b""


@functools.cache
def direct_imports(module: str) -> frozenset[str]:
    """The modules of the same top-level package, or of ``fanqi``, that the text of ``module`` imports."""
    ours = (module.partition(".")[0], "fanqi")
    found = set()
    for origin, listed, plain in IMPORT.findall("\n" + source(module).decode()):
        if origin.partition(".")[0] in ours:
            names = NAME.findall(listed)
            modules = {f"{origin}.{name}" for name in names if source_file(f"{origin}.{name}")}
            candidates = [*modules, *([] if only_modules(origin, names) else [origin])]
        else:
            candidates = [name for name in NAME.findall(plain) if name.partition(".")[0] in ours]
        found |= {name for name in candidates if source_file(name)}
    return frozenset(found)


@functools.cache
def import_closure(module: str) -> tuple[str, ...]:
    """``module`` and everything of ours it imports, directly or not, sorted."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += direct_imports(name) - seen
    return tuple(sorted(seen))


@functools.cache
def closure_digest(module: str) -> str:
    """Sixteen hex digits over every source that the kernels of ``module`` can depend on."""
    digest = hashlib.sha256(kernel_mode().encode())
    for name in import_closure(module):
        digest.update(f"\0{name}\0".encode())
        digest.update(source(name))
    return digest.hexdigest()[:16]
