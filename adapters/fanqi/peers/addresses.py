"""What one address may do: so many connections at a time, so many a minute, fewer after wrong secrets."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["AddressBook", "source_of"]

MOST_ADDRESSES = 100_000
LOOPBACK_6 = "::/64"  # the network of ::1
WRONG_SECRET_COSTS = 20.0  # as many connections


@dataclass(slots=True)
class Visitor:
    """One address: its open connections, and how many more it may make right now."""

    open: int
    allowance: float
    seen: float


def source_of(peer: str) -> str:
    """What limits apply to: an IPv4 address, or an IPv6 network of 64 bits, which is what one host commands."""
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return peer
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


class AddressBook:
    """Counts connections by address. Loopback is not limited: a proxy in front brings everybody from there.

    Args:
        most_open: connections at a time of one address.
        per_minute: connections a minute of one address, in the long run; a burst of as many is fine.
        clock: monotonic seconds.
        limit_loopback: for tests.
    """

    def __init__(
        self, most_open: int, per_minute: float, clock: Callable[[], float], *, limit_loopback: bool = False
    ) -> None:
        self._most_open = most_open
        self._per_minute = per_minute
        self._clock = clock
        self._limit_loopback = limit_loopback
        self._visitors: dict[str, Visitor] = {}

    def enter(self, source: str) -> str | None:
        """A connection comes in: None if it may stay, else why not. `leave` is due only if it may."""
        if self._exempt(source):
            return None
        now = self._clock()
        visitor = self._visitors.get(source)
        if visitor is None:
            if len(self._visitors) >= MOST_ADDRESSES:
                self._forget_idle(now)
            visitor = self._visitors[source] = Visitor(0, self._per_minute, now)
        visitor.allowance, visitor.seen = self._allowance(visitor, now), now
        if visitor.open >= self._most_open:
            return f"{self._most_open} connections from {source} are open already"
        if visitor.allowance < 1.0:
            wait = math.ceil((1.0 - visitor.allowance) * 60.0 / self._per_minute)
            return f"too many connections from {source}; the next one in {wait} s"
        visitor.allowance -= 1.0
        visitor.open += 1
        return None

    def leave(self, source: str) -> None:
        """A connection that might stay has ended."""
        visitor = self._visitors.get(source)
        if visitor is not None:
            visitor.open -= 1

    def blame(self, source: str) -> None:
        """A wrong token or password came from there."""
        visitor = self._visitors.get(source)
        if visitor is not None:
            visitor.allowance -= WRONG_SECRET_COSTS

    def _exempt(self, source: str) -> bool:
        return not self._limit_loopback and (source.startswith("127.") or source == LOOPBACK_6)

    def _allowance(self, visitor: Visitor, now: float) -> float:
        return min(self._per_minute, visitor.allowance + (now - visitor.seen) * self._per_minute / 60.0)

    def _forget_idle(self, now: float) -> None:
        """Drop those with nothing open who could do everything again; if there are none, the longest unseen."""
        idle = [name for name, visitor in self._visitors.items() if visitor.open == 0]
        restored = [name for name in idle if self._allowance(self._visitors[name], now) >= self._per_minute]
        for name in restored or sorted(idle, key=lambda name: self._visitors[name].seen)[: MOST_ADDRESSES // 10]:
            del self._visitors[name]
