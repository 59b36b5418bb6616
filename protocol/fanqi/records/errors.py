"""The one error of the record formats: what could not be read or written, and where it stood."""

from __future__ import annotations

from fanqi.game import quoted

__all__ = ["RecordError"]


class RecordError(ValueError):
    """Text or bytes that are no record, or a record that a format cannot hold.

    Attributes:
        reason: one clause for people.
        text: what was wrong, as it was given; empty where something was missing.
        line, column: where it stood in text, from 1; None where that means nothing.
        byte: where it stood in a binary file, from 0; None for text.
    """

    def __init__(
        self,
        reason: str,
        text: str = "",
        *,
        line: int | None = None,
        column: int | None = None,
        byte: int | None = None,
    ) -> None:
        self.reason = reason
        self.text = text
        self.line, self.column, self.byte = line, column, byte
        super().__init__(str(self))

    def __str__(self) -> str:
        """``line 3, column 17: 'z9': no square``, as much of it as is known."""
        places = (("line", self.line), ("column", self.column), ("byte", self.byte))
        where = ", ".join(f"{name} {value}" for name, value in places if value is not None)
        return ": ".join(part for part in (where, quoted(self.text) if self.text else "", self.reason) if part)

    def moved(self, line: int, column: int = 1) -> RecordError:
        """The same error for a text that starts at this line and column of a file."""
        if self.line is None:
            return RecordError(self.reason, self.text, line=line, column=self.column)
        first = self.line == 1 and self.column is not None
        return RecordError(
            self.reason,
            self.text,
            line=self.line + line - 1,
            column=self.column + column - 1 if first and self.column is not None else self.column,
        )
