"""Numbers in records. `int` and `float` take more than people write, and `int` refuses more than 4,300 digits."""

from __future__ import annotations

import re

__all__ = ["decimal", "whole"]

DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?")
LARGEST = 1e9


def decimal(text: str | None) -> float | None:
    """A decimal number below a thousand million; None for anything else, such as ``NaN``."""
    word = (text or "").strip()
    value = float(word) if DECIMAL.fullmatch(word) else LARGEST
    return value if abs(value) < LARGEST else None


def whole(text: str, most: int) -> int | None:
    """A whole number from 0 to ``most``; None for anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most))):
        return None
    value = int(text)
    return value if value <= most else None
