"""Standard streams that whoever started the process has closed."""

from __future__ import annotations

import os

__all__ = ["fill_gaps"]

MODES = {0: os.O_WRONLY, 1: os.O_RDONLY, 2: os.O_RDWR}


def fill_gaps() -> None:
    """Occupy standard descriptors that are closed, or the next file opened would get their numbers, and our output.

    What stands in for stdin cannot be read, for stdout not written, so that using them fails as before. What goes to
    stderr is lost.
    """
    for descriptor, mode in MODES.items():
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, mode)  # the lowest free number, which is this one
            os.set_inheritable(opened, True)
