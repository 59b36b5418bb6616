"""Files that are replaced as a whole."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

__all__ = ["write_whole"]

MAX_PREFIX = 50
"""Characters of a file's name that its temporary file shares: names have 255 bytes at most, characters up to four."""


def write_whole(path: Path, data: bytes | memoryview) -> None:
    """Replace a file in one step, so that no reader and no crash ever sees half of it.

    Of several writers of one file the last one wins; each has a temporary file of its own beside it. A link stays one,
    to what is new. What is there and no regular file, such as a device, is written to.

    Raises:
        OSError: it cannot be written; it names ``path``.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f"{target.name[:MAX_PREFIX]}.{secrets.token_hex(8)}.new")
        try:
            temporary.write_bytes(data)
            temporary.replace(target)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)  # half a file on a full disk is in the way
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
