"""Playing below full strength, the same way in both games: levels, ratings, named presets.

A `Handicap` says what a search may not do and how it chooses between the moves it has looked at. It comes from a
preset, or from a place on the game's `Ladder` of levels: ``Skill Level`` names one, ``UCI_Elo`` finds one in the
game's `Calibration`, which was made by matches. Knows no game and imports nothing heavy: a handshake reads the
calibrations.
"""

from fanqi.strength.calibration import Calibration, CalibrationError, Rating, load_calibration, parse_calibration
from fanqi.strength.handicap import Handicap
from fanqi.strength.ladder import FULL_STRENGTH, Ladder, Rung
from fanqi.strength.presets import NO_PRESET, PRESETS
from fanqi.strength.selection import handicap_for

__all__ = [
    "FULL_STRENGTH",
    "NO_PRESET",
    "PRESETS",
    "Calibration",
    "CalibrationError",
    "Handicap",
    "Ladder",
    "Rating",
    "Rung",
    "handicap_for",
    "load_calibration",
    "parse_calibration",
]
