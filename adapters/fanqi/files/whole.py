"""Files that are replaced as a whole."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes | memoryview) -> None:
    """Replace a file in one step, so that no reader and no crash ever sees half of it.

    A link stays one, to what is new. What is there and no regular file, such as a device, is written to.

    Raises:
        OSError: it cannot be written; it names ``path``.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f"{target.name}.new")
        try:
            temporary.write_bytes(data)
            temporary.replace(target)
        except OSError:
            with suppress(OSError):  # it may be that which is in the way
                temporary.unlink(missing_ok=True)  # half a file on a full disk is in the way
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
