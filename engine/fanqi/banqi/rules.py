"""The rule parameters, and their text form ``chase=5,noprogress=60,repetition=off``."""

from __future__ import annotations

from dataclasses import dataclass

from fanqi.game import RulesError, quoted

__all__ = ["Rules"]

DEFAULT_CHASE = 5
MAX_CHASE = 30
DEFAULT_NO_PROGRESS = 60
MAX_NO_PROGRESS = 999


@dataclass(frozen=True, slots=True)
class Rules:
    """What differs between hosts; the defaults are rules version 4.

    Attributes:
        chase: how often one piece may chase another in succession, 1 to 30; 0 where chasing is free.
        no_progress: plies without capture or flip that make a draw, 1 to 999.
        repetition: how often a position must occur to make a draw: 3, or 0 where repetition is nothing. A
            position is the board, the covered pieces and the side to move; the position the game was set up
            from counts as its own first occurrence, and a capture or a flip makes all earlier ones
            unreachable. Quiet plies and chase counts, which grow all the time, are no part of it.
    """

    chase: int = DEFAULT_CHASE
    no_progress: int = DEFAULT_NO_PROGRESS
    repetition: int = 0

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read ``chase=on|off|N``, ``noprogress=N``, ``repetition=off|3``, comma-separated, each at most
        once.

        Raises:
            RulesError: unknown parameter, bad value, or a parameter given twice.
        """
        values = {"chase": DEFAULT_CHASE, "noprogress": DEFAULT_NO_PROGRESS, "repetition": 0}
        seen: set[str] = set()
        for part in text.split(",") if text.strip() else []:
            name, equals, value = part.strip().partition("=")
            if name not in values or not equals:
                expected = "chase=on|off|N, noprogress=N or repetition=off|3"
                raise RulesError(text, f"unknown parameter {quoted(part.strip())}: expected {expected}")
            if name in seen:
                raise RulesError(text, f"{name} is given twice")
            seen.add(name)
            values[name] = _value(text, name, value)
        return cls(values["chase"], values["noprogress"], values["repetition"])

    def __str__(self) -> str:
        """What `parse` reads as these rules; empty for the defaults."""
        parts = []
        if self.chase != DEFAULT_CHASE:
            parts.append(f"chase={self.chase or 'off'}")
        if self.no_progress != DEFAULT_NO_PROGRESS:
            parts.append(f"noprogress={self.no_progress}")
        if self.repetition:
            parts.append(f"repetition={self.repetition}")
        return ",".join(parts)


def _value(text: str, name: str, value: str) -> int:
    if name == "repetition":
        if value not in ("off", "3"):
            raise RulesError(text, "repetition takes off or 3")
        return 0 if value == "off" else 3
    if name == "chase" and value in ("on", "off"):
        return DEFAULT_CHASE if value == "on" else 0
    highest = MAX_CHASE if name == "chase" else MAX_NO_PROGRESS
    number = int(value) if value.isascii() and value.isdigit() and len(value) <= 4 else 0
    if not 1 <= number <= highest:
        words = "on, off or " if name == "chase" else ""
        raise RulesError(text, f"{name} takes {words}a number from 1 to {highest}")
    return number
