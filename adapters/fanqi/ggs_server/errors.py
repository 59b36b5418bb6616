"""What a player can ask for in vain."""

from __future__ import annotations

__all__ = ["GgsServerError", "RuleError", "StoreError"]


class GgsServerError(ValueError):
    """Root of everything this package refuses."""


class RuleError(GgsServerError):
    """A move or a wish against the rules; the message is in the words that the player is told."""


class StoreError(GgsServerError):
    """The database cannot be opened, or is not ours."""
