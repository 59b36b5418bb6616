"""The errors of the rules: each carries the text that was wrong, and says why."""

from __future__ import annotations

__all__ = ["GameError", "MoveError", "PositionError", "RulesError"]


class GameError(ValueError):
    """Root of everything the rules can refuse.

    Attributes:
        text: the offending text as it was given.
        reason: one clause for people, without the text.
    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{text!r}: {reason}")
        self.text = text
        self.reason = reason


class MoveError(GameError):
    """A move that cannot be read, or is not legal in the position."""


class PositionError(GameError):
    """A position that cannot be read, or cannot be."""


class RulesError(GameError):
    """Rule parameters that cannot be read."""
