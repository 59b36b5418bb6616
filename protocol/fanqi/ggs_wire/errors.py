"""The one error of the wire: text that is not what the service writes or reads."""

from __future__ import annotations

__all__ = ["WireError"]

SHOWN = 60


class WireError(ValueError):
    """Text that cannot be read.

    Attributes:
        text: as it was given.
        reason: one clause for people.
    """

    def __init__(self, text: str, reason: str) -> None:
        shown = text if len(text) <= SHOWN else text[:SHOWN] + "…"
        super().__init__(f"{shown!r}: {reason}")
        self.text = text
        self.reason = reason
