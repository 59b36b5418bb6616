"""What the protocol layer refuses: always with the place in the line and the text that stood there."""

from __future__ import annotations

__all__ = ["END_OF_LINE", "ProtocolError", "shown"]

END_OF_LINE = "(end of line)"
LONGEST_SHOWN = 80


class ProtocolError(ValueError):
    """A line that cannot be carried out. Root of this package's errors.

    Attributes:
        what: one clause for people, without the offending text.
        token: number of the offending word in its line, from 1.
        text: that word as it was given, or `END_OF_LINE` where something is missing.
    """

    def __init__(self, what: str, token: int, text: str) -> None:
        super().__init__(f"{shown(what, 400)} at token {token}: {shown(text)}")
        self.what = what
        self.token = token
        self.text = text


def shown(text: str, longest: int = LONGEST_SHOWN) -> str:
    """``text`` fit for one line of output: not too long, control characters and lone surrogates escaped."""
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else escape(character) for character in text)


def escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # an undecodable byte, as `surrogateescape` keeps it
        code -= 0xDC00
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
