"""The rule parameters of Othello, and their text form ``rules=1890`` or ``rules=1886,start=parallel``."""

from __future__ import annotations

from dataclasses import dataclass

from fanqi.game import RulesError, quoted

__all__ = ["Rules"]

VALUES = {"rules": ("othello", "1886", "1890"), "start": ("diagonal", "parallel")}
EXPECTED = "rules=1890 or rules=1886, and with that start=diagonal or start=parallel"


@dataclass(frozen=True, slots=True)
class Rules:
    """What is played.

    Sources: for 1890 the book "Reversi and Go Bang", authorised by Lewis Waterman; for 1886 the "Saturday Review" of 21
    August, where the game is called "Reverses".

    Attributes:
        edition: ``othello``; ``1890``, where the players place the four centre discs in turn, wherever they like, and
            have 32 discs each: who has none left cannot place one, and has to pass; ``1886``, which knows no such
            limit, and where a game is drawn that ends with empty squares, since neither side can move.
        parallel: whether the centre discs of each colour lie side by side instead of diagonally; 1886 only.
    """

    edition: str = "othello"
    parallel: bool = False

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read ``rules=E`` and ``start=S``, comma-separated, each at most once; nothing means Othello.

        Raises:
            RulesError: unknown parameter or value, one given twice, or a start that the rules do not leave open.
        """
        values: dict[str, str] = {}
        for part in text.split(",") if text.strip() else []:
            name, _, value = part.strip().lower().partition("=")
            if name not in VALUES:
                raise RulesError(text, f"unknown parameter {quoted(part.strip())}: expected {EXPECTED}")
            if value not in VALUES[name]:
                raise RulesError(text, f"{name} takes {' or '.join(VALUES[name])}, not {quoted(value)}")
            if name in values:
                raise RulesError(text, f"{name} is given twice")
            values[name] = value
        edition = values.get("rules", "othello")
        if "start" in values and edition != "1886":
            raise RulesError(text, "start belongs to rules=1886: other rules have one way to begin")
        return cls(edition, values.get("start") == "parallel")

    def __str__(self) -> str:
        """What `parse` reads as these rules; empty for Othello."""
        if self.edition == "othello":
            return ""
        return f"rules={self.edition}{',start=parallel' if self.parallel else ''}"
