"""Keepers: one small process for each engine, which ends all that came of the engine, however the runner ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Keeper"]

PROGRAM = str(Path(__file__).with_name("keeper_process.py"))
PATIENCE_S = 10.0
"""How long `Keeper.wait` waits for processes that cannot be killed, such as another user's."""


class Keeper:
    """The runner's side of a keeper, not yet started. For POSIX systems only.

    Attributes:
        descriptor: the keeper's end of the line between the two, which it must inherit under this number.
    """

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self.descriptor = self._theirs.fileno()

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command of the keeper that runs ``arguments``."""
        return [sys.executable, "-I", "-S", PROGRAM, str(self.descriptor), *arguments]

    async def engine(self) -> int:
        """The engine's process id, once it runs.

        Raises:
            OSError: the engine cannot be run.
        """
        self._theirs.close()
        loop, line = asyncio.get_running_loop(), b""
        while not line.endswith(b"\n"):
            data = await loop.sock_recv(self._ours, 64)
            if not data:
                raise ChildProcessError(0, "the process that was to start it has ended")
            line += data
        word, number = line.split()
        if word == b"errno":
            raise OSError(int(number), os.strerror(int(number)))
        return int(number)

    def end(self) -> None:
        """Have the engine and all that came of it killed. Does nothing when that was said before."""
        self._theirs.close()
        with contextlib.suppress(OSError):  # closed, or the keeper has gone
            self._ours.shutdown(socket.SHUT_WR)

    def wait(self) -> None:
        """Block until the keeper has gone, after `end`."""
        with contextlib.suppress(OSError):
            self._ours.settimeout(PATIENCE_S)
            while self._ours.recv(64):
                pass
        self.close()

    def close(self) -> None:
        """The keeper has gone."""
        self._theirs.close()
        self._ours.close()

    @property
    def closed(self) -> bool:
        return self._ours.fileno() < 0
