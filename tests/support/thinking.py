"""Searches of one engine that are independent of each other, and what they were allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanqi.search import Control, Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Position
    from fanqi.search import Engine, Info, SearchResult

__all__ = ["NotedControl", "think_afresh"]


class NotedControl(Control):
    """Notes for how long a search may take, and lets it take much less."""

    def __init__(self) -> None:
        super().__init__()
        self.granted: float | None = None

    def limit(self, milliseconds: float) -> None:
        self.granted = milliseconds
        super().limit(min(milliseconds, 30.0))


def think_afresh(
    engine: Engine,
    position: Position,
    limits: Limits | None = None,
    control: Control | None = None,
    on_info: Callable[[Info], None] = lambda info: None,
    **chosen: Any,
) -> SearchResult:
    """The result of a search that knows nothing from before, with the settings ``chosen``."""
    engine.configure(Settings(hash_mib=1, **chosen))
    engine.new_game()
    return engine.search(position, limits or Limits(depth=60), control or Control(), on_info)
