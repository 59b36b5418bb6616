"""A terminal with one line at its bottom that is rewritten, and the log above it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["StatusLine"]

ERASE = "\r\x1b[2K"


class StatusLine:
    """The line, and a stream for `fanqi.logs.Logger` whose events do not run into it.

    Args:
        terminal: where both go.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._shown = ""

    def show(self, text: str) -> None:
        """Write the line anew, as far as it fits; an empty one takes it away."""
        self._shown = text[: self._columns() - 1]
        self._terminal.write(f"{ERASE}{self._shown}")
        self._terminal.flush()

    def _columns(self) -> int:
        """How wide the terminal is; where stdout goes does not matter."""
        try:
            columns = os.get_terminal_size(self._terminal.fileno()).columns
        except OSError:  # it is none
            columns = 0
        return columns or shutil.get_terminal_size().columns

    def write(self, text: str) -> None:
        """Whole lines, which stand above from now on."""
        self._terminal.write(f"{ERASE}{text}{self._shown}" if self._shown else text)

    def flush(self) -> None:
        self._terminal.flush()

    def isatty(self) -> bool:
        return self._terminal.isatty()
