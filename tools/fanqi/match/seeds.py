"""Many seeds from one, so that a match can be repeated and no game's seed tells another's."""

from __future__ import annotations

import hashlib

__all__ = ["derived"]


def derived(seed: int, purpose: str, *numbers: int) -> int:
    """A 128-bit seed for ``purpose`` and ``numbers``: the first half of a SHA-256 of all of them."""
    text = ":".join((f"fanqi/match/{purpose}", str(seed), *map(str, numbers)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
