"""Files named on the command line that cannot be read or written: one sentence for each."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["FileError", "described"]


class FileError(OSError):
    """A file that cannot be had; the message is a sentence that names it as it was given, without error numbers.

    What has been put into words once, as of stdin or stdout, stays as it is.
    """

    @classmethod
    def reading(cls, path: str | Path, error: OSError) -> FileError:
        if isinstance(error, FileError):
            return error
        return cls(f"{path} cannot be read: {reason(error)}")

    @classmethod
    def writing(cls, path: str | Path, error: OSError) -> FileError:
        if isinstance(error, FileError):
            return error
        folder = Path(path).parent
        why = f"there is no folder {folder}" if not folder.exists() else reason(error)
        return cls(f"{path} cannot be written: {why}")


def described(error: OSError) -> str:
    """An error of the system in one sentence: the file, if it names one, and why, without error numbers."""
    if isinstance(error, FileError):
        return str(error)
    if not error.filename:
        return reason(error)
    folder = Path(str(error.filename)).parent
    missing = isinstance(error, FileNotFoundError) and not folder.exists()
    return f"{error.filename}: {f'there is no folder {folder}' if missing else reason(error)}"


def reason(error: OSError) -> str:
    """What the system says, in its words."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if error.errno == errno.EBADF:  # a standard stream that whoever started us did not give
        return "it is closed"
    text = error.strerror or (os.strerror(error.errno) if error.errno else str(error))
    return text[:1].lower() + text[1:]
