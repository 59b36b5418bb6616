"""The one error of the record formats: what could not be read or written, and where it stood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import quoted

if TYPE_CHECKING:
    from typing import Self

    from fanqi.records.game import GameRecord

__all__ = ["RecordError"]


class RecordError(ValueError):
    """Text or bytes that are no record, or a record that a format cannot hold.

    Attributes:
        reason: one clause for people.
        text: what was wrong, as it was given; empty where something was missing.
        line, column: where it stood in text, from 1; None where that means nothing.
        byte: where it stood in a binary file, from 0; None for text.
        record: the game, where it could be read and only something beside its moves could not.
        lost: whether a game could not be read. False where every game is there, and names or a count are not.
        file: where it stood, if not in the file of the games.
    """

    file: str = ""

    def __init__(
        self,
        reason: str,
        text: str = "",
        *,
        line: int | None = None,
        column: int | None = None,
        byte: int | None = None,
        record: GameRecord | None = None,
        lost: bool = True,
    ) -> None:
        self.reason = reason
        self.text = text
        self.line, self.column, self.byte = line, column, byte
        self.record = record
        self.lost = lost and record is None
        super().__init__(str(self))

    def __str__(self) -> str:
        """``line 3, column 17: 'z9': no square``, as much of it as is known."""
        places = (("line", self.line), ("column", self.column), ("byte", self.byte))
        where = ", ".join(f"{name} {value}" for name, value in places if value is not None)
        return ": ".join(part for part in (where, quoted(self.text) if self.text else "", self.reason) if part)

    def moved(self, line: int, column: int = 1) -> Self:
        """This error, placed in a file where its text starts at this line and column."""
        if self.line == 1 and self.column is not None:
            self.column += column - 1
        self.line = line if self.line is None else self.line + line - 1
        return self

    def located(self, source: str) -> str:
        """The error with the name of its file in front.

        Args:
            source: the file of the games.
        """
        return f"{self.file or source}: {self}"
