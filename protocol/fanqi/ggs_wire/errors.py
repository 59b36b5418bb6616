"""The one error of the wire: text that is not what the service writes or reads."""

from __future__ import annotations

from fanqi.game import quoted

__all__ = ["WireError"]


class WireError(ValueError):
    """Text that cannot be read.

    Attributes:
        text: as it was given.
        reason: one clause for people.
    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{quoted(text)}: {reason}")
        self.text = text
        self.reason = reason
