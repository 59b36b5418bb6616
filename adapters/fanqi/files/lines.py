"""Files to which a line is added now and then, each of which has to stay readable."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from fanqi.files.regular import require_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["append_line"]


def append_line(path: Path, line: bytes) -> None:
    """Append a line in one write, all of it or nothing.

    Raises:
        OSError: it cannot be written, or is no regular file.
    """
    require_regular(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        written = os.write(descriptor, line + b"\n")
        if written <= len(line):  # the disk is full: without this, the next line would be joined to a part of this one
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(descriptor)
