"""The three opponents that a page to play on offers, the same by name in both games."""

from __future__ import annotations

from fanqi.strength.handicap import ALL_LINES, Handicap

__all__ = ["NO_PRESET", "PRESETS"]

NO_PRESET = "none"

PRESETS = {
    "beginner": Handicap(depth=0, lines=ALL_LINES, greedy=True, whim=0.15),
    "intermediate": Handicap(depth=4, exact_from=10),
    "advanced": Handicap(movetime_ms=1500, exact_from=20),
}
"""By name, weakest first. What a game does not search to its end has no use for ``exact_from``."""
