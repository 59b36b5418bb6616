"""How strong each level is: a table made by matches, shipped as data.

The file is JSON::

    format    "fanqi-levels-2"
    game      "othello" or "banqi"
    anchor    the player whose rating is 0 by definition
    full      the limit under which full strength (level 20) played
    made      the day
    version   of the program
    ladder    fingerprint of the levels that played (`fanqi.strength.Ladder.fingerprint`)
    weights   digest of the evaluation they played with (`evaluation_digest` of the game)
    games     how many were played
    players   for each player its name, Elo, half of the 95 % interval of its difference to the anchor, games, and for
              levels above 0 half of the interval of the difference to the level below (else null)

Levels are called ``level 0`` to ``level 20``; some may be left out, and lie between their neighbours. The others are
presets and the players that anchor the scale.
"""

from __future__ import annotations

import functools
import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from fanqi.strength.ladder import FULL_STRENGTH

__all__ = ["Calibration", "CalibrationError", "Rating", "load_calibration", "parse_calibration"]

FORMAT = "fanqi-levels-2"
LEVEL = "level "
DATA = Path(__file__).parent / "data"
TEXTS = ("game", "anchor", "full", "made", "version", "ladder", "weights")


class CalibrationError(ValueError):
    """Not a calibration that can be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's strength: Elo above the anchor and half of its 95 % interval, from how many games; half of the
    interval of what a level has over the level below."""

    name: str
    elo: float
    error: float
    games: int
    step_error: float | None = None

    @property
    def level(self) -> int | None:
        """Which level it is, None for other players."""
        return int(self.name.removeprefix(LEVEL)) if self.name.startswith(LEVEL) else None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The ratings of one game; see the top of this module for the fields."""

    game: str
    anchor: str
    full: str
    made: str
    version: str
    ladder: str
    weights: str
    games: int
    players: tuple[Rating, ...]

    @property
    def levels(self) -> list[Rating]:
        """The levels that played, weakest first, full strength the last."""
        return sorted((player for player in self.players if player.level is not None), key=lambda one: one.level or 0)

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest Elo that can be asked for.

        It ends below full strength, whose rating holds for one limit only; all others do a bounded amount of work.
        """
        limited = self.levels[:-1]
        return round(limited[0].elo), round(limited[-1].elo)

    def level(self, elo: float) -> float:
        """The level of that strength, with a fraction; the nearest one for an Elo out of range."""
        limited = self.levels[:-1]
        if elo <= limited[0].elo:
            return 0.0
        for below, above in pairwise(limited):
            if elo <= above.elo:
                share = (elo - below.elo) / (above.elo - below.elo)
                return number_of(below) + share * (number_of(above) - number_of(below))
        return float(number_of(limited[-1]))

    def elo(self, level: float) -> float:
        """The strength of a level, with or without a fraction: the inverse of `level`."""
        for below, above in pairwise(self.levels):
            if level <= number_of(above):
                share = (level - number_of(below)) / (number_of(above) - number_of(below))
                return below.elo + share * (above.elo - below.elo)
        return self.levels[-1].elo

    def check(self) -> None:
        """Refuse a table that cannot be read backwards.

        Raises:
            CalibrationError: a level is missing without which it has no ends, or one is not stronger than the one
                below.
        """
        levels = self.levels
        numbers = {player.level for player in levels}
        if not {0, FULL_STRENGTH - 1, FULL_STRENGTH} <= numbers or len(numbers) < len(levels):
            raise CalibrationError(f"{self.game}: levels 0, 19 and 20 have to be among the levels, and none twice")
        for below, above in pairwise(levels):
            if above.elo <= below.elo:
                raise CalibrationError(
                    f"{self.game}: {above.name} ({above.elo:g}) is not stronger than {below.name} ({below.elo:g})"
                )

    def format(self) -> str:
        """The file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"


def number_of(rating: Rating) -> int:
    """The number of a player that is a level."""
    assert rating.level is not None
    return rating.level


def parse_calibration(text: str) -> Calibration:
    """The table in a file.

    Raises:
        CalibrationError: it is none, or cannot be used.
    """
    try:
        data: dict[str, Any] = json.loads(text)
        if data["format"] != FORMAT:
            raise CalibrationError(f"format {data['format']!r}, expected {FORMAT!r}")
        players = tuple(
            Rating(
                str(one["name"]),
                float(one["elo"]),
                float(one["error"]),
                int(one["games"]),
                None if one["step_error"] is None else float(one["step_error"]),
            )
            for one in data["players"]
        )
        found = Calibration(**{name: str(data[name]) for name in TEXTS}, games=int(data["games"]), players=players)
        found.check()
    except CalibrationError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise CalibrationError(f"not a calibration: {type(error).__name__} {error}") from None
    return found


@functools.cache
def load_calibration(game: str) -> Calibration:
    """The table that comes with Fanqi."""
    # not by importlib.resources, which takes longer to import than all of this package: every handshake waits for it
    return parse_calibration((DATA / f"{game}.json").read_text(encoding="utf-8"))
