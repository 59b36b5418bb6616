"""Swiss tournaments: who meets whom in the next round, and the table. Pure functions of what was played before.

Everybody meets somebody with as many points as near as can be, and nobody twice as long as that can be avoided. A score
group is folded: its best plays the best of its lower half. Where that would leave others without an opponent, the next
candidate is taken; whether it would, is found out exactly: a matching of all who have no opponent yet is kept up
(`fanqi.match.matching`), so nothing is ever tried twice.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fanqi.match.matching import Matching

__all__ = ["Meeting", "Place", "SwissRound", "fewest_rounds", "most_rounds", "pair_round", "swiss_table"]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two players of a round, by number.

    Attributes:
        first: who is p1 in the first game.
        points: of both.
    """

    first: int
    second: int
    points: tuple[float, float] = (0.0, 0.0)

    @property
    def players(self) -> tuple[int, int]:
        return self.first, self.second


@dataclass(frozen=True, slots=True)
class SwissRound:
    """Who meets whom in a round; ``bye`` has no opponent, None where everybody has one."""

    meetings: tuple[Meeting, ...]
    bye: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the table.

    Attributes:
        points: of games, and of byes.
        buchholz: the points of all opponents together. A bye counts as an opponent with as many points as the player.
        byes: rounds without an opponent.
    """

    player: int
    points: float
    buchholz: float
    byes: int


def fewest_rounds(players: int) -> int:
    """Rounds after which at most one player has won all: the binary logarithm, rounded up."""
    return max(1, (players - 1).bit_length())


def most_rounds(players: int) -> int:
    """Rounds after which everybody has met everybody."""
    return players - 1 if players % 2 == 0 else players


def points_of(players: int, rounds: Sequence[SwissRound], bye_points: float) -> list[float]:
    """The points of every player."""
    points = [0.0] * players
    for one in rounds:
        for meeting in one.meetings:
            for player, gained in zip(meeting.players, meeting.points, strict=True):
                points[player] += gained
        if one.bye is not None:
            points[one.bye] += bye_points
    return points


def swiss_table(players: int, rounds: Sequence[SwissRound], bye_points: float) -> list[Place]:
    """The players by points, then Buchholz, then number."""
    points = points_of(players, rounds, bye_points)
    buchholz, byes = [0.0] * players, [0] * players
    for one in rounds:
        for meeting in one.meetings:
            buchholz[meeting.first] += points[meeting.second]
            buchholz[meeting.second] += points[meeting.first]
        if one.bye is not None:
            buchholz[one.bye] += points[one.bye]
            byes[one.bye] += 1
    places = [Place(player, points[player], buchholz[player], byes[player]) for player in range(players)]
    return sorted(places, key=lambda place: (-place.points, -place.buchholz, place.player))


def pair_round(players: int, rounds: Sequence[SwissRound], bye_points: float, seed: int) -> SwissRound:
    """The next round. The same arguments give the same round.

    With an odd number of players the lowest one that has had no bye has one, points as if it had won. What cannot be
    avoided, a second meeting or a second bye, happens to no more players than it must level by level: nobody meets
    somebody for the third time as long as two meetings of each pair at most would do.

    Args:
        players: how many; they are numbered from 0.
        rounds: before, with their points.
        bye_points: that a bye is worth.
        seed: of the lots by which players with equal points are ranked.
    """
    lots = list(range(players))
    random.Random(seed).shuffle(lots)
    points = points_of(players, rounds, bye_points)
    ranking = sorted(range(players), key=lambda player: (-points[player], lots[player]))
    acquaintance = Acquaintance(players, rounds)
    bye = None
    if players % 2:
        bye = acquaintance.choose(players, ranking[::-1])
        ranking.remove(bye)
    seats = seats_of(players, rounds)
    meetings = []
    while ranking:
        player = ranking.pop(0)
        opponent = acquaintance.choose(player, folded(player, ranking, points))
        ranking.remove(opponent)
        meetings.append(Meeting(*seated((player, opponent), seats, lots, len(rounds))))
    return SwissRound(tuple(meetings), bye)


class Acquaintance:
    """Who has met whom how often, and how often they may meet. A bye is a meeting with one more player.

    Attributes:
        most: meetings that a pair may have had; the least with which everybody gets an opponent.
    """

    def __init__(self, players: int, rounds: Sequence[SwissRound]) -> None:
        everybody = range(players + players % 2)
        self._met: list[defaultdict[int, int]] = [defaultdict(int) for _ in everybody]
        for one in rounds:
            pairs = [meeting.players for meeting in one.meetings]
            pairs += [] if one.bye is None else [(one.bye, players)]
            for first, second in pairs:
                self._met[first][second] += 1
                self._met[second][first] += 1
        self.most = 0
        while not (matching := Matching([self._allowed(player, everybody) for player in everybody])).is_perfect:
            self.most += 1
        self._left = matching  # of all who have no opponent yet

    def choose(self, player: int, candidates: Sequence[int]) -> int:
        """The first candidate, of those whom the player has met least, that leaves an opponent for each of the others.

        Args:
            candidates: in order of preference.
        """
        met = self._met[player]
        for often in range(self.most + 1):
            for candidate in candidates:
                if met.get(candidate, 0) == often and self._left.take(player, candidate):
                    return candidate
        raise AssertionError("somebody is always left, since everybody could be paired before")

    def _allowed(self, player: int, others: Sequence[int]) -> list[int]:
        """Those of the others whom a player may meet."""
        met = self._met[player]
        return [other for other in others if met.get(other, 0) <= self.most and other != player]


def folded(player: int, ranking: Sequence[int], points: Sequence[float]) -> list[int]:
    """The others by how well they suit a player: of its score group those around the first of the lower half, then
    group after group from the top.

    Args:
        ranking: of the others, who all have as many points as the player at most.
    """
    group = list(itertools.takewhile(lambda other: points[other] == points[player], ranking))
    ideal = max(0, (len(group) + 1) // 2 - 1)
    by_distance = sorted(range(len(group)), key=lambda place: abs(place - ideal))
    return [group[place] for place in by_distance] + list(ranking[len(group) :])


def seats_of(players: int, rounds: Sequence[SwissRound]) -> list[tuple[int, int]]:
    """Of every player, how often it has been first less how often second, and 1 or -1 for which it was last; 0 of who
    has met nobody."""
    seats = [(0, 0)] * players
    for one in rounds:
        for meeting in one.meetings:
            for player, seat in zip(meeting.players, (1, -1), strict=True):
                seats[player] = seats[player][0] + seat, seat
    return seats


def seated(
    pair: tuple[int, int], seats: Sequence[tuple[int, int]], lots: Sequence[int], round_number: int
) -> tuple[int, int]:
    """The pair with the one first who has been first less often, or else longer ago, or else by lot.

    Args:
        seats: see `seats_of`.
        round_number: from 0; by lot another is first in the next one.
    """
    turned = 1 if round_number % 2 == 0 else -1
    first, second = sorted(pair, key=lambda player: (seats[player], turned * lots[player]))
    return first, second
