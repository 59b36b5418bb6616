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


def read_secret(path: Path) -> str:
    """The first line of a file.

    Raises:
        SecretError: it cannot be read, its first line is empty, or others may read it.
    """
    try:
        mode = path.stat().st_mode
        line = path.read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise SecretError(reason_of(error)) from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SecretError("others may read it; run chmod 600 on it")
    if not line:
        raise SecretError("its first line is empty")
    return line
