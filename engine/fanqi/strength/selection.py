"""From a user's settings to the handicap of one move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.strength.calibration import load_calibration
from fanqi.strength.presets import NO_PRESET, PRESETS

if TYPE_CHECKING:
    import random

    from fanqi.search import Limits, Settings
    from fanqi.strength.handicap import Handicap
    from fanqi.strength.ladder import Ladder

__all__ = ["handicap_for"]


def handicap_for(settings: Settings, limits: Limits, game: str, ladder: Ladder, dice: random.Random) -> Handicap | None:
    """The handicap of a move; None for full strength.

    A preset goes before a rating, a rating before a level. A search that is asked for a solution
    (`Limits.solve`) has no handicap: that is a question about the position, not a move in a game.

    Args:
        settings: of the engine.
        limits: of the search.
        game: whose calibration counts.
        ladder: the game's levels.
        dice: of this move.
    """
    if limits.solve is not None:
        return None
    if settings.preset != NO_PRESET:
        return PRESETS[settings.preset]
    level = float(settings.skill_level)
    if settings.limit_strength:
        level = load_calibration(game).level(settings.elo)
    return ladder.handicap(level, dice)
