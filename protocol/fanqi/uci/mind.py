"""A session's engine: made when first needed, set up before each use, given up with the game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.game import Game
    from fanqi.search import Engine, Settings
    from fanqi.uci.budget import HashBudget

__all__ = ["Mind"]


class Mind:
    """Used by one thread at a time: by the job that searches, or by the session while none does."""

    def __init__(self, budget: HashBudget) -> None:
        self._budget = budget
        self._game: Game | None = None
        self._engine: Engine | None = None
        self._settings: Settings | None = None
        self._reserved = False
        self.granted_mib = 0

    @property
    def awake(self) -> bool:
        """Whether there is an engine, which may have learned something."""
        return self._engine is not None

    def engine(self, game: Game, settings: Settings) -> Engine:
        """The engine for ``game``, configured; its table is as large as the budget allows, see ``granted_mib``."""
        if self._engine is None or self._game is not game:
            self.drop()
            self._game, self._engine = game, game.engine()
        if settings != self._settings:
            self.granted_mib = self._budget.take(self, settings.hash_mib)
            self._engine.configure(replace(settings, hash_mib=self.granted_mib))
            self._settings = settings
            self._reserved = False
        return self._engine

    def has_reserved(self, settings: Settings) -> bool:
        """Whether `reserve` has been tried with these settings, and nothing has been forgotten or dropped since."""
        return self._reserved and settings == self._settings

    def reserve(self, game: Game, settings: Settings) -> None:
        """Take the memory that a search would take. Takes some milliseconds for a large table."""
        engine = self.engine(game, settings)
        self._reserved = True
        engine.reserve()

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
