"""What a job asks of a worker beside time: the part of a job by which workers are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.mqtt.messages import Presence

__all__ = ["Need"]


@dataclass(frozen=True, slots=True)
class Need:
    """Jobs with equal needs are interchangeable when a worker is to be found.

    Attributes:
        kind: as in `fanqi.mqtt.work.KINDS`.
        game: None where the kind has none.
        threads, hash_mib: what one job gets.
        engines: names that the worker's configuration must know, sorted.
    """

    kind: str
    game: str | None = None
    threads: int = 1
    hash_mib: int = 16
    engines: tuple[str, ...] = ()

    def missing_in(self, presence: Presence) -> str | None:
        """Why a worker cannot do such jobs, as one clause; None when it can."""
        if self.kind not in presence.kinds:
            return f"does no {self.kind} jobs"
        if self.game is not None and self.game not in presence.games:
            return f"does not play {self.game}"
        if self.threads > presence.threads:
            return f"has {presence.threads} threads, {self.threads} are needed"
        if self.hash_mib > presence.hash_mib:
            return f"has {presence.hash_mib} MiB for hash tables, {self.hash_mib} are needed"
        unknown = [name for name in self.engines if name not in presence.engines]
        if unknown:
            return f"knows no engine called {', '.join(map(repr, unknown))}"
        return None

    def concurrency(self, presence: Presence) -> int:
        """How many such jobs a worker that can do them runs at once."""
        by_memory = presence.hash_mib // self.hash_mib if self.hash_mib else presence.threads
        return max(1, min(presence.threads // self.threads, by_memory))

    def __str__(self) -> str:
        parts = [self.kind if self.game is None else f"{self.kind} ({self.game})"]
        if self.threads > 1:
            parts.append(f"{self.threads} threads")
        if self.engines:
            parts.append("engines " + ", ".join(self.engines))
        return ", ".join(parts)
