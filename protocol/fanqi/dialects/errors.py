"""The one error of the foreign dialects."""

from __future__ import annotations

from fanqi.game import quoted

__all__ = ["DialectError"]


class DialectError(ValueError):
    """A line, or a part of one, that a dialect cannot take.

    Attributes:
        reason: one clause for people.
        text: what was wrong, as it was given; empty where something was missing.
    """

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(f"{quoted(text)}: {reason}" if text else reason)
        self.reason = reason
        self.text = text
