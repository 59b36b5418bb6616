"""Files that are read as a whole because none of them is large, such as configurations."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from fanqi.files.regular import require_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MOST_BYTES", "read_small"]

MOST_BYTES = 16 << 20


def read_small(path: Path) -> bytes:
    """All of a file; a device or a named pipe, which may have no end, is not even opened.

    Raises:
        OSError: it cannot be read, is no regular file, or has more than `MOST_BYTES` in it.
    """
    require_regular(path)
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MOST_BYTES >> 20} MiB", str(path))
    return data
