"""The last one out: a tiny process that kills the engines' process groups when the runner has gone.

It reads ``+GROUP`` and ``-GROUP`` lines from its standard input. At the end of the input, which comes at the
latest when the runner has been killed, it kills every group still registered. Standard library only, and
little of that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["Keeper"]


class Keeper:
    """The runner's side: starts the process when the first group is registered. On Windows it does nothing."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """Have ``group`` killed when this process ends, however it ends."""
        if os.name != "posix":
            return
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(__file__))],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt from the terminal is not for it
            )
        self._tell(f"+{group}\n")

    def remove(self, group: int) -> None:
        """``group`` is gone."""
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """Kill what is still registered and wait for the process."""
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        self._process = None

    def _tell(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        with contextlib.suppress(OSError):  # somebody killed the keeper; the runner still cleans up itself
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()


def keep() -> None:
    """The process's own side."""
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        group = int(line[1:])
        if line.startswith(b"+"):
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    keep()
