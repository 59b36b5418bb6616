"""A Swiss tournament as it comes to be: its rounds follow from its games, so they need not be kept."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.match.errors import StoreError
from fanqi.match.schedule import PairTask
from fanqi.match.seeds import derived
from fanqi.match.swiss import Meeting, Place, SwissRound, pair_round, swiss_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fanqi.match.record import GameRecord

__all__ = ["SwissCourse"]


class SwissCourse:
    """The rounds so far. The first one is settled from the beginning, each other one by the last game of the one
    before.

    Pairs of games are numbered by round, then all tables have their n-th pair before any has its next; so the number
    of a game says where it belongs before anybody knows who plays it, and games may be counted in any order.

    Args:
        names: of the engines.
        games: of each meeting.
        rounds: how many.
        seed: of the match.
    """

    def __init__(self, names: Sequence[str], games: int, rounds: int, seed: int) -> None:
        self.names = list(names)
        self._games = games
        self._rounds = rounds
        self._seed = derived(seed, "swiss")
        self._tables = len(self.names) // 2
        self._pairs = (games + 1) // 2
        self._paired: list[SwissRound] = []
        self._opponents: list[dict[str, str]] = []  # of each settled round
        self._points: defaultdict[tuple[int, str], float] = defaultdict(float)
        self._played = [0] * rounds
        self._met: dict[tuple[int, str], str] = {}
        self._pair()

    @property
    def bye_points(self) -> float:
        """What a round without an opponent is worth: as much as winning all games of one."""
        return float(self._games)

    @property
    def rounds(self) -> list[SwissRound]:
        """The rounds that are settled, with the points so far."""
        return [self._with_points(number) for number in range(len(self._paired))]

    def record(self, record: GameRecord) -> None:
        """Count a game; the last one of a round settles the next. A game without a result gives points to nobody.

        Raises:
            StoreError: other engines have played each other than those who should have: another program paired them.
        """
        number = (record.pair - 1) // (self._tables * self._pairs)
        for name, other in zip(record.players, reversed(record.players), strict=True):
            if number < len(self._paired):
                self._check(number, name, other)
            self._points[number, name] += record.score_of(name) or 0.0
            self._met[number, name] = other
        self._played[number] += 1
        while len(self._paired) < self._rounds and self._is_over(len(self._paired) - 1):
            self._pair()

    def tasks(self) -> Iterator[PairTask | None]:
        """All pairs of games in order; None as long as the next one follows from games that are not over."""
        for number in range(self._rounds):
            while len(self._paired) <= number:
                yield None
            for pair in range(self._pairs):
                games = 1 if pair + 1 == self._pairs and self._games % 2 else 2
                for table, meeting in enumerate(self._paired[number].meetings):
                    at = self._pair_number(number, pair, table)
                    yield PairTask(at, number * self._pairs + pair + 1, meeting.first, meeting.second, games)

    def first_game(self, number: int, table: int) -> int:
        """The number in the match of the first game of a meeting, whose round and place there are counted from 0."""
        return 2 * self._pair_number(number, 0, table) - 1

    def table(self) -> list[Place]:
        """The engines, best first."""
        return swiss_table(len(self.names), self.rounds, self.bye_points)

    def _pair_number(self, number: int, pair: int, table: int) -> int:
        return (number * self._pairs + pair) * self._tables + table + 1

    def _is_over(self, number: int) -> bool:
        return self._played[number] == self._tables * self._games

    def _pair(self) -> None:
        """Settle the next round, of which games may have been counted already."""
        number = len(self._paired)
        paired = pair_round(len(self.names), self.rounds, self.bye_points, self._seed)
        self._paired.append(paired)
        seated = [*(m.players for m in paired.meetings), *(m.players[::-1] for m in paired.meetings)]
        self._opponents.append({self.names[player]: self.names[other] for player, other in seated})
        for name in self.names:
            if (met := self._met.get((number, name))) is not None:
                self._check(number, name, met)

    def _check(self, number: int, name: str, met: str) -> None:
        """Refuse a game of a settled round that is none of its meetings."""
        if self._opponents[number].get(name) != met:
            raise StoreError(f"round {number + 1}: {name} has played {met}, whom it does not meet in this version")

    def _with_points(self, number: int) -> SwissRound:
        paired = self._paired[number]
        return replace(paired, meetings=tuple(self._scored(number, meeting) for meeting in paired.meetings))

    def _scored(self, number: int, meeting: Meeting) -> Meeting:
        first, second = (self._points.get((number, self.names[player]), 0.0) for player in meeting.players)
        return replace(meeting, points=(first, second))
