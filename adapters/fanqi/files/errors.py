"""What the system says was wrong, for people: which file it is, and why, in one sentence without error numbers."""

from __future__ import annotations

import errno
from pathlib import Path

__all__ = ["FileError", "described", "reason_of"]


class FileError(OSError):
    """A file that cannot be had; the message is a sentence that names it as it was given.

    What has been put into words once, as of stdin or stdout, stays as it is.
    """

    @classmethod
    def reading(cls, path: str | Path, error: OSError) -> FileError:
        if isinstance(error, FileError):
            return error
        if isinstance(error, FileNotFoundError):
            return cls(f"{path}: {reason_of(error)}")
        return cls(f"{path} cannot be read: {reason_of(error)}")

    @classmethod
    def writing(cls, path: str | Path, error: OSError) -> FileError:
        if isinstance(error, FileError):
            return error
        folder = Path(path).parent
        why = f"there is no folder {folder}" if not folder.exists() else reason_of(error)
        return cls(f"{path} cannot be written: {why}")


def described(error: Exception, path: str | Path = "") -> str:
    """``PATH: REASON``, or without a path the reason alone. Of an error that is not one of the system, its text.

    Args:
        path: the file meant where the error names none.
    """
    name = (error.filename or path) if isinstance(error, OSError) else ""
    if not name:
        return reason_of(error)
    folder = Path(str(name)).parent
    missing = isinstance(error, FileNotFoundError) and not folder.exists()
    return f"{name}: {f'there is no folder {folder}' if missing else reason_of(error)}"


def reason_of(error: Exception) -> str:
    """Why: of an error of the system its words, of any other its text."""
    if isinstance(error, OSError):
        if error.errno == errno.EBADF:  # a standard stream that whoever started us did not give
            return "it is closed"
        return error.strerror or str(error)
    return str(error)
