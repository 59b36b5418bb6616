"""Memory for transposition tables, shared by all sessions of a process."""

from __future__ import annotations

import threading

__all__ = ["HashBudget"]

SMALLEST_MIB = 1


class HashBudget:
    """Hands out MiB; what is asked for beyond the total is cut to what is left, but never below 1 MiB.

    Args:
        total_mib: None for no limit.
    """

    def __init__(self, total_mib: int | None = None) -> None:
        self._total = total_mib
        self._lock = threading.Lock()
        self._granted: dict[object, int] = {}

    @property
    def used_mib(self) -> int:
        """What is handed out now."""
        return sum(self._granted.values())

    def take(self, owner: object, mib: int) -> int:
        """Let ``owner`` have up to ``mib`` instead of what it had before; returns what it gets."""
        with self._lock:
            self._granted.pop(owner, None)
            left = mib if self._total is None else self._total - self.used_mib
            granted = max(min(mib, left), SMALLEST_MIB)
            self._granted[owner] = granted
            return granted

    def give_back(self, owner: object) -> None:
        """``owner`` has dropped its table."""
        with self._lock:
            self._granted.pop(owner, None)
