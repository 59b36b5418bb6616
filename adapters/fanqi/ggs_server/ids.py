"""Ids of requests and matches: small numbers, written with a dot before them."""

from __future__ import annotations

from collections import deque

__all__ = ["IdPool", "number_of"]


def number_of(text: str) -> int | None:
    """The number of an id such as ``.8``; None for anything else."""
    number = text[1:]
    readable = text.startswith(".") and number.isascii() and number.isdigit() and len(number) < 12
    return int(number) if readable else None


class IdPool:
    """Small numbers, each used again only after all others: a stale id rarely hits a new match."""

    def __init__(self, at_least: int = 64) -> None:
        self._free = deque(range(at_least))
        self._next = at_least

    def take(self) -> int:
        if not self._free:
            self._free.append(self._next)
            self._next += 1
        return self._free.popleft()

    def give_back(self, number: int) -> None:
        self._free.append(number)
