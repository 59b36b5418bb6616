"""Files that have to be files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

__all__ = ["require_place", "require_regular"]


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
            require_folder(path)
            continue
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))


def require_place(*paths: Path) -> None:
    """Refuse what could not be written at the end of a long work, before it begins.

    Raises:
        OSError: the folder of one is not there, or it is a folder itself.
    """
    for path in paths:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        require_folder(path)


def require_folder(path: Path) -> None:
    """
    Raises:
        FileNotFoundError: there is none for a file of this name.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}", str(path))
