"""Who plays whom, in what order: pairs of games, generated one at a time."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Form", "PairTask", "pairings", "schedule"]


LADDER_REACH = 3


class Form(StrEnum):
    """The form of a tournament."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    """The first engine plays all others."""
    LADDER = "ladder"
    """Each engine plays the three behind it in the list, which is by strength."""
    SWISS = "swiss"
    """In each round everybody plays somebody with about as many points, see `fanqi.match.swiss`."""


@dataclass(frozen=True, slots=True)
class PairTask:
    """Two games of two engines with the same opening or deal and exchanged seats.

    Attributes:
        number: of the pair in the match, from 1.
        round: among the pairs of these two engines, or of this table of a Swiss tournament, from 1; it chooses opening
            and deal.
        first, second: places of the engines in the list; the first one is p1 in the first game.
        games: 2, or 1 in the last round when an odd number was asked for.
    """

    number: int
    round: int
    first: int
    second: int
    games: int = 2

    def game_number(self, index: int) -> int:
        """The number in the match of game 0 or 1 of the pair."""
        return 2 * self.number - 1 + index


def pairings(engines: int, form: Form) -> list[tuple[int, int]]:
    """All pairs of engines that play each other, or may."""
    if form is Form.GAUNTLET:
        return [(0, other) for other in range(1, engines)]
    if form is Form.LADDER:
        return [(a, b) for a, b in itertools.combinations(range(engines), 2) if b - a <= LADDER_REACH]
    return list(itertools.combinations(range(engines), 2))


def schedule(engines: int, games: int | None, form: Form) -> Iterator[PairTask]:
    """All pairs of games, round by round: every pairing has had its n-th pair before any has its next.

    Args:
        engines: how many.
        games: of each pairing; None for no end.
        form: who meets whom; in a Swiss tournament that is settled while it is played.
    """
    assert form is not Form.SWISS
    pairs = pairings(engines, form)
    rounds = itertools.count(1) if games is None else range(1, (games + 1) // 2 + 1)
    number = 0
    for round_number in rounds:
        last = games is not None and 2 * round_number > games
        for first, second in pairs:
            number += 1
            yield PairTask(number, round_number, first, second, 1 if last else 2)
