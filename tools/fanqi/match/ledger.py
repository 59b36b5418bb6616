"""Which games are still to play, and which may be published: the bookkeeping of a match that can be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.match.errors import StoreError
from fanqi.match.schedule import schedule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.match.config import MatchConfig
    from fanqi.match.record import GameRecord
    from fanqi.match.schedule import PairTask

__all__ = ["Ledger"]


class Ledger:
    """Knows the numbers of the games that have been played. What lies before the first gap is one number.

    Args:
        config: of the match.
    """

    def __init__(self, config: MatchConfig) -> None:
        self._config = config
        self._course = config.course()
        self._done: set[int] = set()  # pairs of which all games are over, beyond _all_before
        self._half: dict[int, set[int]] = {}
        self._all_before = 1
        self._waiting: dict[int, list[GameRecord]] = {}

    def record(self, record: GameRecord) -> list[GameRecord]:
        """Note a finished game.

        Returns:
            The games that may be published now: in banqi a whole round at once, since its games share a deal.

        Raises:
            StoreError: it is no game of this match, or has been noted before.
        """
        self._config.check_game(record)
        if record.pair < self._all_before or record.pair in self._done or self._is_noted(record):
            raise StoreError(f"game {record.number} is there twice")
        if self._course is not None:
            self._course.record(record)
        half = self._half.setdefault(record.pair, set())
        half.add(record.number)
        if len(half) == self._games_of_round(record.round):
            del self._half[record.pair]
            self._done.add(record.pair)
            while self._all_before in self._done:
                self._done.remove(self._all_before)
                self._all_before += 1
        if record.deal is None:
            return [record]
        waiting = self._waiting.setdefault(record.round, [])
        waiting.append(record)
        if len(waiting) == self._config.tables * self._games_of_round(record.round):
            return self._waiting.pop(record.round)
        return []

    def remaining(self) -> Iterator[tuple[PairTask, tuple[int, ...]] | None]:
        """The pairs to play, lazily, each with the indices (0, 1) of its games that have not been played; None while
        there is nothing to begin before another game is over."""
        for task in self._tasks():
            if task is None:
                yield None
                continue
            if task.number < self._all_before or task.number in self._done:
                continue
            played = self._half.get(task.number, set())
            missing = tuple(index for index in range(task.games) if task.game_number(index) not in played)
            if missing:
                yield task, missing

    def _is_noted(self, record: GameRecord) -> bool:
        return record.number in self._half.get(record.pair, ())

    def _games_of_round(self, number: int) -> int:
        games = self._config.games
        return 1 if games is not None and games % 2 and number % ((games + 1) // 2) == 0 else 2

    def _tasks(self) -> Iterator[PairTask | None]:
        if self._course is not None:
            return self._course.tasks()
        return schedule(len(self._config.engines), self._config.games, self._config.form)
