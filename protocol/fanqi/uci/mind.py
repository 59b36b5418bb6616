"""A session's engine: made when first needed, set up before each use, given up with the game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from fanqi.search.memory import TableMemoryError, next_smaller

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Game
    from fanqi.search import Engine, Settings
    from fanqi.uci.budget import HashBudget

__all__ = ["Mind"]

Result = TypeVar("Result")


class Mind:
    """Used by one thread at a time: by the job that searches, or by the session while none does.

    Attributes:
        wanted_mib: size of the table that was set, or what the machine has turned out to have for it.
        granted_mib: what others have left of that.
    """

    def __init__(self, budget: HashBudget) -> None:
        self._budget = budget
        self._game: Game | None = None
        self._engine: Engine | None = None
        self._settings: Settings | None = None
        self._reserved = False
        self._asked_mib = 0
        self._shortage: str | None = None
        self.wanted_mib = 0
        self.granted_mib = 0

    @property
    def awake(self) -> bool:
        """Whether there is an engine, which may have learned something."""
        return self._engine is not None

    def engine(self, game: Game, settings: Settings) -> Engine:
        """The engine for ``game``, configured; its table, once it is taken, has `granted_mib`."""
        if self._engine is None or self._game is not game:
            self.drop()
            self._game, self._engine = game, game.engine()
        if settings != self._settings:
            if settings.hash_mib != self._asked_mib:
                self._asked_mib = self.wanted_mib = settings.hash_mib
            self.granted_mib = self._budget.take(self, self.wanted_mib)
            self._engine.configure(replace(settings, hash_mib=self.granted_mib))
            self._settings = settings
            self._reserved = False
        return self._engine

    def use(self, game: Game, settings: Settings, work: Callable[[Engine], Result]) -> Result:
        """What ``work`` makes of the engine; it is called again with half the table while there is no memory for one.

        What the machine does not have is not asked for again until another size is set.

        Raises:
            TableMemoryError: there is none even for the smallest table.
        """
        first: TableMemoryError | None = None
        while True:
            engine = self.engine(game, settings)
            try:
                return work(engine)
            except TableMemoryError as error:
                smaller = next_smaller(self.granted_mib)
                if not smaller:
                    raise
                first = first or error
                self.wanted_mib = smaller
                self._shortage = f"{first}; it has {self.wanted_mib} MiB now"
                self._settings = None

    def take_shortage(self) -> str | None:
        """What there is to tell, once, about memory that could not be had."""
        shortage, self._shortage = self._shortage, None
        return shortage

    def has_reserved(self, settings: Settings) -> bool:
        """Whether `reserve` has been tried with these settings, and nothing has been forgotten or dropped since."""
        return self._reserved and settings == self._settings

    def reserve(self, game: Game, settings: Settings) -> None:
        """Take the memory that a search would take. Takes some milliseconds for a large table."""
        try:
            self.use(game, settings, lambda engine: engine.reserve())
        finally:
            self._reserved = True

    def forget(self) -> None:
        """Empty its memory. Takes a few milliseconds for a large table."""
        if self._engine is not None:
            self._reserved = False
            self._engine.new_game()

    def drop(self) -> None:
        """Let the engine and its table go."""
        self._game = self._engine = self._settings = None
        self._reserved = False
        self._budget.give_back(self)
