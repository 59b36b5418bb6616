"""The errors of the rules: each carries the text that was wrong, and says why. And that of an engine's data files."""

from __future__ import annotations

from fanqi.game.quoting import quoted

__all__ = ["DataError", "DepthError", "GameError", "MoveError", "PositionError", "QuestionError", "RulesError"]


class GameError(ValueError):
    """Root of everything the rules can refuse.

    Attributes:
        text: the offending text as it was given.
        reason: one clause for people, without the text.
    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{quoted(text)}: {reason}")
        self.text = text
        self.reason = reason


class DepthError(GameError):
    """More plies than a game can count its leaves to."""


class MoveError(GameError):
    """A move that cannot be read, or is not legal in the position."""


class PositionError(GameError):
    """A position that cannot be read, or cannot be."""


class QuestionError(GameError):
    """A question about a position that its game does not know.

    Attributes:
        known: those it knows.
    """

    def __init__(self, text: str, known: tuple[str, ...]) -> None:
        super().__init__(text, f"no such question; expected {', '.join(known[:-1])} or {known[-1]}")
        self.known = known


class RulesError(GameError):
    """Rule parameters that cannot be read."""


class DataError(ValueError):
    """A data file of an engine (weights, error model), the shipped or another, that cannot be used: which, and why."""
