"""Files that are replaced as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes | memoryview) -> None:
    """Replace a file in one step, so that no reader and no crash ever sees half of it.

    Raises:
        OSError: it cannot be written; it names ``path``.
    """
    temporary = path.with_name(f"{path.name}.new")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)  # half a file on a full disk is in the way
        raise OSError(error.errno, error.strerror, str(path)) from None
