"""A line split into its words, each with its number and its place: what every parser here works on."""

from __future__ import annotations

import re

from fanqi.uci.errors import END_OF_LINE, ProtocolError

__all__ = ["Words"]

WORD = re.compile(r"[^ \t\r\n\v\f]+")  # not \S+, which would split at the blanks of other scripts
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


class Words:
    """A cursor over the words of one line.

    Args:
        line: without its line feed. Bytes that are no UTF-8 are refused with the word that holds them.

    Raises:
        ProtocolError: not UTF-8.
    """

    __slots__ = ("_line", "_next", "_starts", "_texts")

    def __init__(self, line: str | bytes) -> None:
        text = line if isinstance(line, str) else line.decode("utf-8", "surrogateescape")
        matches = list(WORD.finditer(text))
        self._line = text
        self._texts = [match.group() for match in matches]
        self._starts = [match.start() for match in matches]
        self._next = 0
        if not text.isascii():
            self._refuse_surrogates()

    def _refuse_surrogates(self) -> None:
        for number, text in enumerate(self._texts, 1):
            if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
                raise ProtocolError("not UTF-8", number, text)

    @property
    def number(self) -> int:
        """The number of the word that comes next, from 1."""
        return self._next + 1

    @property
    def text(self) -> str:
        """The word that comes next, or `END_OF_LINE`."""
        return self._texts[self._next] if self._next < len(self._texts) else END_OF_LINE

    def __bool__(self) -> bool:
        return self._next < len(self._texts)

    def peek(self) -> str | None:
        """The word that comes next, left there; None at the end."""
        return self._texts[self._next] if self else None

    def take(self, expected: str) -> str:
        """The word that comes next, taken.

        Raises:
            ProtocolError: there is none; the message says what was expected.
        """
        if not self:
            raise self.error(f"expected {expected}")
        self._next += 1
        return self._texts[self._next - 1]

    def take_if(self, word: str) -> bool:
        """Take the word that comes next if it is ``word``."""
        if self.peek() == word:
            self._next += 1
            return True
        return False

    def take_until(self, *ends: str) -> list[str]:
        """All words up to one of ``ends`` or the end of the line."""
        start = self._next
        while self and self._texts[self._next] not in ends:
            self._next += 1
        return self._texts[start : self._next]

    def take_rest(self) -> str:
        """The rest of the line as it was written, without the blanks around it."""
        if not self:
            return ""
        rest = self._line[self._starts[self._next] :].rstrip(" \t\r\n\v\f")
        self._next = len(self._texts)
        return rest

    def take_one_of(self, *choices: str) -> str:
        """The word that comes next, which must be one of ``choices``.

        Raises:
            ProtocolError: it is another one, or missing.
        """
        if self.peek() not in choices:
            raise self.error(f"expected {' or '.join(choices)}")
        return self.take("")

    def take_integer(self, lowest: int | None = None, highest: int | None = None) -> int:
        """The integer that comes next.

        Raises:
            ProtocolError: it is none, out of range, or missing.
        """
        word = self.peek()
        value = int(word) if word is not None and INTEGER.fullmatch(word) else None
        if value is None or (lowest is not None and value < lowest) or (highest is not None and value > highest):
            raise self.error(expected_integer(lowest, highest))
        self._next += 1
        return value

    def expect_end(self) -> None:
        """
        Raises:
            ProtocolError: there are more words.
        """
        if self:
            raise self.error("unexpected word")

    def error(self, what: str) -> ProtocolError:
        """An error about the word that comes next, or about its being missing."""
        return ProtocolError(what, self.number, self.text)


def expected_integer(lowest: int | None, highest: int | None) -> str:
    """What to tell somebody who gave no such integer."""
    if lowest is not None and highest is not None:
        return f"expected an integer from {lowest} to {highest}"
    return "expected an integer" if lowest is None else f"expected an integer from {lowest}"
