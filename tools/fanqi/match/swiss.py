"""Swiss tournaments: who meets whom in the next round, and the table. Pure functions of what was played before.

Everybody meets somebody with as many points as near as can be, and nobody twice as long as that can be avoided. A score
group is folded: its best plays the best of its lower half. Where that would leave others without an opponent, the next
candidate is taken; whether it would, is found out exactly (`fanqi.match.matching`), so nothing is ever tried twice.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fanqi.match.matching import maximum_matching

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
        bye = acquaintance.choose(players, ranking[::-1], ranking)
        ranking.remove(bye)
    meetings = []
    while ranking:
        player = ranking.pop(0)
        opponent = acquaintance.choose(player, folded(player, ranking, points), ranking)
        ranking.remove(opponent)
        meetings.append(Meeting(*seated((player, opponent), rounds, lots)))
    return SwissRound(tuple(meetings), bye)


class Acquaintance:
    """Who has met whom how often, and how often they may meet. A bye is a meeting with one more player.

    Attributes:
        most: meetings that a pair may have had; the least with which everybody gets an opponent.
    """

    def __init__(self, players: int, rounds: Sequence[SwissRound]) -> None:
        self._met: Counter[tuple[int, int]] = Counter()
        for one in rounds:
            pairs = [meeting.players for meeting in one.meetings]
            pairs += [] if one.bye is None else [(one.bye, players)]
            self._met.update((min(pair), max(pair)) for pair in pairs)
        everybody = range(players + players % 2)
        self.most = 0
        while not self._can_pair(everybody):
            self.most += 1

    def met(self, first: int, second: int) -> int:
        return self._met[min(first, second), max(first, second)]

    def choose(self, player: int, candidates: Sequence[int], others: Sequence[int]) -> int:
        """The first candidate, of those whom the player has met least, that leaves an opponent for each of the others.

        Args:
            candidates: in order of preference.
            others: who has no opponent yet, the candidates among them.
        """
        for candidate in sorted(candidates, key=lambda other: self.met(player, other)):
            if self.met(player, candidate) <= self.most and self._can_pair([o for o in others if o != candidate]):
                return candidate
        raise AssertionError("somebody is always left, since everybody could be paired before")

    def _can_pair(self, some: Sequence[int]) -> bool:
        """Whether all of them can meet somebody of them."""
        allowed = [
            [place for place, other in enumerate(some) if other != one and self.met(one, other) <= self.most]
            for one in some
        ]
        return -1 not in maximum_matching(allowed)


def folded(player: int, ranking: Sequence[int], points: Sequence[float]) -> list[int]:
    """The others by how well they suit a player: of its score group those around the first of the lower half, then
    group after group from the top.

    Args:
        ranking: of the others, who all have as many points as the player at most.
    """
    group = sum(points[other] == points[player] for other in ranking)
    ideal = max(0, (group + 1) // 2 - 1)
    place = {other: index for index, other in enumerate(ranking)}
    return sorted(ranking, key=lambda other: (-points[other], abs(place[other] - ideal), place[other]))


def seated(pair: tuple[int, int], rounds: Sequence[SwissRound], lots: Sequence[int]) -> tuple[int, int]:
    """The pair with the one first who has been first less often, or else longer ago, or else by lot."""

    def had(player: int) -> tuple[int, int, int]:
        seats = [
            1 if meeting.first == player else -1
            for one in rounds
            for meeting in one.meetings
            if player in meeting.players
        ]
        lot = lots[player] if len(rounds) % 2 == 0 else -lots[player]
        return sum(seats), seats[-1] if seats else 0, lot

    first, second = sorted(pair, key=had)
    return first, second
