"""Files named on the command line that cannot be read or written: one sentence for each."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["FileError"]


class FileError(OSError):
    """A file that cannot be had; the message is a sentence that names it as it was given, without error numbers."""

    @classmethod
    def reading(cls, path: str | Path, error: OSError) -> FileError:
        return cls(f"{path} cannot be read: {reason(error)}")

    @classmethod
    def writing(cls, path: str | Path, error: OSError) -> FileError:
        folder = Path(path).parent
        why = f"there is no folder {folder}" if not folder.exists() else reason(error)
        return cls(f"{path} cannot be written: {why}")


def reason(error: OSError) -> str:
    """What the system says, in its words."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    text = error.strerror or (os.strerror(error.errno) if error.errno else str(error))
    return text[:1].lower() + text[1:]
