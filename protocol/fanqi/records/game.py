"""One recorded game, whatever file it came from.

Each format of this package is a pair of pure functions between its text and a `GameRecord`. What a format has no
place for is lost on the way through it; what only one format has is kept in `GameRecord.tags`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fanqi.game import Player

__all__ = ["GameRecord", "PlayedMove", "Result", "calendar_day", "plain_moves"]


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A ply.

    Attributes:
        move: canonical, a pass written out, a banqi flip with its outcome (``b8=P``).
        evaluation: what the mover thought of it, in discs or pawns from its own view.
        seconds: time used.
    """

    move: str
    evaluation: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Attributes:
        winner: None for a draw.
        margin: from the view of p1, in discs with the empties counted for the winner, or in stake points; None where
            only the winner is known.
        reason: empty for an end by the rules of Othello; else one word, snake_case: ``resigned``, ``time``,
            ``agreed``, or one of `fanqi.game.Outcome`.
    """

    winner: Player | None
    margin: float | None = None
    reason: str = ""

    @classmethod
    def of_margin(cls, margin: float, reason: str = "") -> Result:
        """The result whose winner follows from the margin; a draw is 0, never -0."""
        if margin == 0:
            return cls(None, abs(margin), reason)
        return cls(Player.P1 if margin > 0 else Player.P2, margin, reason)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game, or a bare position when there are no moves.

    Attributes:
        game: ``othello`` or ``banqi``.
        moves: every ply, forced passes included.
        start: in the notation of `fanqi.game.Game.parse`; None for the usual start.
        players: p1 and p2: in Othello Black and White, in banqi the first mover and the other. Empty if unknown.
        ratings: of the two players.
        date: as it was written; `calendar_day` understands the usual forms.
        place: where it was played.
        result: None while the game goes on, or when it is not known.
        rules: rule parameters other than the default, as ``chase=off``.
        tags: whatever else the source said, as (name, value); a format writes those it knows.
        opening_plies: how many of the first moves were given to the players, as the opening of a match is.
    """

    game: str
    moves: tuple[PlayedMove, ...] = ()
    start: str | None = None
    players: tuple[str, str] = ("", "")
    ratings: tuple[float | None, float | None] = (None, None)
    date: str = ""
    place: str = ""
    result: Result | None = None
    rules: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    opening_plies: int = 0

    def tag(self, name: str) -> str | None:
        """The value of the first tag of that name."""
        return next((value for found, value in self.tags if found == name), None)


def calendar_day(date: str) -> tuple[int, int, int] | None:
    """Year, month and day in a date such as ``2026.11.30_02:05:41.UTC`` or ``2014-02-21``; None if there is none."""
    found = re.search(r"(?<!\d)(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?!\d)", date)
    if found is None:
        return None
    year, month, day = (int(part) for part in found.groups())
    return (year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def plain_moves(moves: tuple[str, ...] | list[str]) -> tuple[PlayedMove, ...]:
    """Moves without evaluations and times."""
    return tuple(PlayedMove(move) for move in moves)
