"""Passwords and the like, kept in files that nobody else may read."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from fanqi.files.errors import reason_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SecretError", "read_secret"]


class SecretError(ValueError):
    """A file with a secret that cannot be used; the message is one clause that says why and does not name the file."""


LONGEST_BYTES = 4096


def read_secret(path: Path) -> str:
    """The first line of a file, or of what another program writes into a pipe.

    Raises:
        SecretError: it cannot be read, its first line is empty or too long, or others may read it.
    """
    try:
        mode = path.stat().st_mode
        with path.open("rb") as file:
            first = file.readline(LONGEST_BYTES + 1)
        line = first.decode().removesuffix("\n").rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise SecretError(reason_of(error)) from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SecretError("others may read it; run chmod 600 on it")
    if len(first) > LONGEST_BYTES:
        raise SecretError(f"its first line is longer than {LONGEST_BYTES:,} bytes")
    if not line:
        raise SecretError("its first line is empty")
    return line
