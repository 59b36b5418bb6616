"""How messages quote what was wrong."""

from __future__ import annotations

__all__ = ["quoted"]

LONGEST = 80
"""Characters shown; as much as a position of either game has."""


def quoted(text: str) -> str:
    """A text in quotation marks, on one line whatever is in it, and cut where it is too long to be read."""
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")
