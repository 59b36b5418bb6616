"""What an arbiter can refuse. Every message names the text that was wrong."""

from __future__ import annotations

from fanqi.game import quoted

__all__ = [
    "ArbiterError",
    "CommandError",
    "DealError",
    "DrawError",
    "FlipError",
    "NoDealError",
    "RecordError",
    "SeedError",
    "TooEarlyError",
]


class ArbiterError(ValueError):
    """Root of everything an arbiter refuses.

    Attributes:
        text: the offending text as it was given.
        reason: one clause for people, without the text.
    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{quoted(text)}: {reason}")
        self.text = text
        self.reason = reason


class SeedError(ArbiterError):
    """A seed that is no integer from 0 to 2**128 - 1."""


class DealError(ArbiterError):
    """Pieces and squares that do not make a deal, or a layout that does not follow from its seed."""


class DrawError(ArbiterError):
    """A five-piece draw with a place that does not exist, the same place twice, or at the wrong time."""


class FlipError(ArbiterError):
    """A square that does not exist, is not covered, or was flipped before."""


class TooEarlyError(ArbiterError):
    """The secret was asked for while the game goes on."""


class NoDealError(ArbiterError):
    """A question about a deal when nothing has been dealt."""


class CommandError(ArbiterError):
    """An arbiter command that cannot be read.

    Attributes:
        index: of the offending word, counted from 0 after the word ``arbiter``.
    """

    def __init__(self, text: str, reason: str, index: int) -> None:
        super().__init__(text, reason)
        self.index = index


class RecordError(ArbiterError):
    """A record in which the proof of a deal is missing or cannot be read."""
