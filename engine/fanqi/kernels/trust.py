"""Which files and folders may hold code that this process executes.

They belong to this user or to root, and nobody else can write them. A digest of the content tells damage, but whoever
can write a file can write its digest as well.

On Windows only the content is checked: owners and rights are not in what `os.stat` says there. The user's cache
directory, where kernels are by default, can be written by the user and administrators alone.
"""

from __future__ import annotations

import os
import stat

__all__ = ["distrust", "reason_of"]


def distrust(status: os.stat_result) -> str | None:
    """Why a file or folder with this status is not trusted, as the end of a sentence; None when it is.

    Rights that an access control list gives to others show in the bits of the group.
    """
    if not hasattr(os, "geteuid"):
        return None
    if status.st_uid not in (0, os.geteuid()):
        return f"belongs to another user (uid {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by other users (mode {stat.S_IMODE(status.st_mode):o}; chmod go-w helps)"
    return None


def reason_of(error: OSError) -> str:
    """What the system says about an error."""
    return error.strerror or str(error)
