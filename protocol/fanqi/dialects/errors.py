"""The one error of the foreign dialects."""

from __future__ import annotations

__all__ = ["DialectError"]

SHOWN = 60


class DialectError(ValueError):
    """A line, or a part of one, that a dialect cannot take.

    Attributes:
        reason: one clause for people.
        text: what was wrong, as it was given; empty where something was missing.
    """

    def __init__(self, reason: str, text: str = "") -> None:
        shown = text if len(text) <= SHOWN else text[:SHOWN] + "…"
        super().__init__(f"{shown!r}: {reason}" if shown else reason)
        self.reason = reason
        self.text = text
