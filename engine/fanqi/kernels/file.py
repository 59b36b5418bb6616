"""One compiled kernel in one file, which is checked as a whole before anything of it is used.

A file is `MAGIC`, the SHA-256 digest of what follows, the length of the key as four bytes (little-endian), the key in
UTF-8, and the payload. The key says what the code was made from and for. The file's name ends in a digest of the key,
so kernels for other processors or of other versions lie side by side, and no index has to be kept in step with them.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import secrets
import stat
import time
from pathlib import Path

from fanqi.kernels.cache import FOLDER_MODE
from fanqi.kernels.trust import distrust, reason_of

__all__ = ["KernelFileError", "kernel_path", "read_kernel", "write_kernel"]

MAGIC = b"fanqi kernel 1\n"
SUFFIX = ".nbi"
"""As numba calls its index files, which this takes the place of."""
UNFINISHED = ".tmp"
UNFINISHED_SECONDS = 3600
"""Nobody takes so long to write a file."""
FILE_MODE = 0o644
HEADER_BYTES = len(MAGIC) + 32 + 4
MOST_BYTES = 64 << 20
"""The largest kernel has 2 MB; a file that is much larger is not read at all."""


class KernelFileError(Exception):
    """A file that cannot be trusted.

    Attributes:
        reason: the end of a sentence about the file.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def kernel_path(folder: Path, name: str, key: str) -> Path:
    """The file of the kernel called ``name`` that was made as ``key`` says."""
    return folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}{SUFFIX}"


def read_kernel(path: Path, key: str) -> bytes | None:
    """The payload of a kernel file; None when there is no such file.

    Raises:
        KernelFileError: it is not what `write_kernel` wrote for this key, or others could have written it.
    """
    try:
        content = read_trusted(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KernelFileError(f"cannot be read ({reason_of(error)})") from None
    digest, body = content[len(MAGIC) : len(MAGIC) + 32], content[len(MAGIC) + 32 :]
    if not content.startswith(MAGIC) or hashlib.sha256(body).digest() != digest:
        raise KernelFileError("is damaged")
    length = int.from_bytes(body[:4], "little")
    if body[4 : 4 + length] != key.encode():
        raise KernelFileError("is the file of another kernel")
    return body[4 + length :]


def read_trusted(path: Path) -> bytes:
    """The content of a regular file that nobody else can write.

    Raises:
        OSError: it cannot be read.
        KernelFileError: it is something else.
    """
    # without waiting for the other end of a pipe that lies there
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        reason = distrust(status) if stat.S_ISREG(status.st_mode) else "is not a regular file"
        if reason is None and not HEADER_BYTES <= status.st_size <= MOST_BYTES:
            reason = "is damaged"
        if reason is not None:
            raise KernelFileError(reason)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(MOST_BYTES)
    finally:
        os.close(descriptor)


def write_kernel(path: Path, key: str, payload: bytes) -> None:
    """Write a kernel file as a whole, or not at all.

    Nothing waits for the disk: what a power cut leaves behind is found to be damaged by the next reader.

    Raises:
        OSError: it cannot be written.
    """
    body = len(key.encode()).to_bytes(4, "little") + key.encode() + payload
    for folder in reversed(path.parents[:3]):  # one at a time: the mode is that of the last folder alone
        folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{secrets.token_hex(8)}{UNFINISHED}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(MAGIC + hashlib.sha256(body).digest() + body)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    remove_unfinished(path)


def remove_unfinished(path: Path) -> None:
    """Remove what processes left that were killed while they wrote this file."""
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f"{glob.escape(path.stem)}.*{UNFINISHED}"):
            if left.stat().st_mtime < time.time() - UNFINISHED_SECONDS:
                left.unlink()
