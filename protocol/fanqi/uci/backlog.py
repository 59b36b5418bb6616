"""What waits until a session is free: commands in the order in which they came, and not too many of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.uci.commands import Go, IsReady
from fanqi.uci.errors import ProtocolError
from fanqi.uci.parse import format_command

if TYPE_CHECKING:
    from fanqi.uci.commands import Command

__all__ = ["Backlog", "Waiting"]


@dataclass(eq=False, slots=True)
class Waiting:
    """A command that waits, or is about to be carried out.

    Attributes:
        command: what was said.
        received: when, by the session's clock.
        size: bytes of its line.
        stopped: a ``stop`` came after it.
        hit: when a ``ponderhit`` came after it.
        prepared: for ``isready``, whether memory has been asked for. If the engine fails then, it is told once.
    """

    command: Command
    received: float
    size: int = 0
    stopped: bool = False
    hit: float | None = None
    prepared: bool = False

    @property
    def word(self) -> str:
        """The word its line began with."""
        return format_command(self.command).split()[0]


class Backlog:
    """The commands that wait; true while there are any. Used with the session's lock held.

    Args:
        max_bytes: how much input may wait.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: deque[Waiting] = deque()
        self._bytes = 0

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def first(self) -> Command:
        """The command whose turn it is next."""
        return self._entries[0].command

    def add(self, entry: Waiting) -> None:
        """Let a command wait behind the others.

        Raises:
            ProtocolError: too much waits already.
        """
        if self._bytes + entry.size > self._max_bytes:
            raise ProtocolError("too many commands wait", 1, entry.word)
        self._entries.append(entry)
        self._bytes += entry.size

    def next(self) -> Waiting:
        """Take out the first."""
        entry = self._entries.popleft()
        self._bytes -= entry.size
        return entry

    def put_back(self, entry: Waiting) -> None:
        """What was taken out has to wait again, before all others."""
        self._entries.appendleft(entry)
        self._bytes += entry.size

    def take_ready(self) -> int:
        """Take out every ``isready``; returns how many there were."""
        others = [entry for entry in self._entries if not isinstance(entry.command, IsReady)]
        taken = len(self._entries) - len(others)
        self._entries = deque(others)
        self._bytes = sum(entry.size for entry in others)
        return taken

    def clear(self) -> None:
        """Nothing of it will be done."""
        self._entries.clear()
        self._bytes = 0

    def stop(self) -> None:
        """A ``stop`` also belongs to every ``go`` that was sent before it."""
        for entry in self._entries:
            entry.stopped = True

    def hit(self, now: float) -> bool:
        """A ``ponderhit`` belongs to the last ``go`` sent; False when none waits."""
        for entry in reversed(self._entries):
            if isinstance(entry.command, Go):
                if entry.command.ponder and entry.hit is None:
                    entry.hit = now
                return True
        return False
