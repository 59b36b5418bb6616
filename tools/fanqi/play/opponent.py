"""The engine as an opponent, and as an adviser."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fanqi.search import Control, Limits, Settings

if TYPE_CHECKING:
    from fanqi.game import Game, Position
    from fanqi.search import Info, SearchResult

__all__ = ["Hint", "Opponent"]

HINT_LINES = 3
FULL_STRENGTH = 20


@dataclass(frozen=True, slots=True)
class Hint:
    """A move worth playing: its line, and its score in discs or pawns for the side to move."""

    line: tuple[str, ...]
    score: float | None


class Opponent:
    """One engine for both tasks. Searches run on a thread of their own, so that Ctrl-C can end them.

    Args:
        game: which.
        level: 0 to 20.
        movetime_ms: for its moves.
        seed: of its whims at low levels.
    """

    def __init__(self, game: Game, level: int, movetime_ms: int, seed: int = 0) -> None:
        self._engine = game.engine()
        self._settings = Settings(skill_level=level, seed=seed)
        self._movetime_ms = movetime_ms

    @property
    def level(self) -> int:
        return self._settings.skill_level

    @level.setter
    def level(self, level: int) -> None:
        self._settings = replace(self._settings, skill_level=level)

    def choose(self, position: Position) -> str:
        """Its move: canonical, a flip without its outcome."""
        move = self._search(position, self._settings).move
        return move or position.legal_moves()[0]

    def hints(self, position: Position) -> list[Hint]:
        """The best moves at full strength, best first."""
        settings = replace(self._settings, skill_level=FULL_STRENGTH, multipv=HINT_LINES)
        result = self._search(position, settings)
        return [
            Hint(info.pv, None if info.score_cp is None else info.score_cp / 100) for info in result.infos if info.pv
        ]

    def _search(self, position: Position, settings: Settings) -> SearchResult:
        """A search that Ctrl-C ends: it then answers with what it has found so far."""
        control = Control()
        found: list[SearchResult] = []
        failed: list[BaseException] = []

        def think() -> None:
            try:
                self._engine.configure(settings)
                found.append(self._engine.search(position, Limits(movetime_ms=self._movetime_ms), control, no_report))
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=think, name="fanqi-opponent", daemon=True)
        thread.start()
        while thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt:
                control.stop()
        control.close()
        if failed:
            raise failed[0]
        return found[0]


def no_report(info: Info) -> None:
    """What the opponent thinks meanwhile is its own business."""
