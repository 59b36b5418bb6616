"""Small parts that every dialect needs: clean lines, numbers read tolerantly."""

from __future__ import annotations

import re

__all__ = ["clean_line", "integer", "number", "printable"]

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\ud800-\udfff]")
INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})", re.ASCII)


def clean_line(line: str | bytes) -> str:
    """A line without its end, without control characters, tabs as blanks; bytes that are no UTF-8 become ``?``."""
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    return CONTROL.sub("", text.replace("\t", " ")).strip()


def printable(text: str, length: int = 200) -> str:
    """A text fit for one line of an answer: no control characters, not too long."""
    shown = CONTROL.sub("?", text.replace("\n", " ").replace("\t", " "))
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def integer(text: str) -> int | None:
    """An integer of a sane length, or None."""
    return int(text) if INTEGER.fullmatch(text) else None


def number(text: str) -> float | None:
    """A finite decimal number of a sane length, or None (also for ``NaN``)."""
    return float(text) if NUMBER.fullmatch(text) else None
