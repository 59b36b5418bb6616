"""How strong the opponent plays, in a person's words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.game import quoted
from fanqi.strength import FULL_STRENGTH, NO_PRESET, PRESETS, load_calibration

if TYPE_CHECKING:
    from fanqi.search import Settings

__all__ = ["StrengthError", "strength_words", "with_strength"]


class StrengthError(ValueError):
    """Words that name no strength; the message says which there are."""


def with_strength(settings: Settings, text: str, game: str) -> Settings:
    """``settings`` with the strength that a person asks for.

    Args:
        settings: what else is set.
        text: a level (``7``), a preset (``beginner``) or a rating (``elo 900``).
        game: whose ratings count.

    Raises:
        StrengthError: it is none of them.
    """
    words = text.lower().split()
    number = int(words[-1]) if words and words[-1].isascii() and words[-1].isdecimal() and len(words[-1]) < 6 else None
    match words:
        case [_] if number is not None and number <= FULL_STRENGTH:
            return replace(settings, skill_level=number, limit_strength=False, preset=NO_PRESET)
        case [name] if name in PRESETS:
            return replace(settings, preset=name)
        case ["elo", _] if number is not None and is_rated(number, game):
            return replace(settings, limit_strength=True, elo=number, preset=NO_PRESET)
    low, high = load_calibration(game).range
    raise StrengthError(
        f"{quoted(text)}: expected 0 to {FULL_STRENGTH} (full strength), {', '.join(PRESETS)}, "
        f"or elo {low} to elo {high}"
    )


def is_rated(elo: int, game: str) -> bool:
    low, high = load_calibration(game).range
    return low <= elo <= high


def strength_words(settings: Settings) -> str:
    """The strength in words that `with_strength` reads."""
    if settings.preset != NO_PRESET:
        return settings.preset
    return f"elo {settings.elo}" if settings.limit_strength else str(settings.skill_level)
