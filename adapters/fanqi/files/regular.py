"""Files that have to be files."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

__all__ = ["require_regular"]


def require_regular(*paths: Path) -> None:
    """Refuse what is there and no regular file. Whoever opens a named pipe waits for its other end, perhaps for ever.

    Args:
        paths: of files that are kept from one run to the next; those that are not there yet are good where their folder
            is.

    Raises:
        OSError: one is something else, or cannot be looked at.
    """
    for path in paths:
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            if not path.parent.is_dir():
                raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}", str(path)) from None
            continue
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
