"""Othello with an engine that answers at once, and ways to watch a client."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.othello import GAME
from fanqi.search import Info, Limits, SearchResult, Settings

if TYPE_CHECKING:
    from collections.abc import Callable


class QuickEngine:
    """Plays at random; says what it was asked."""

    def __init__(self) -> None:
        self.settings: list[Settings] = []
        self.searched: list[tuple[str, Limits]] = []
        self.dice = random.Random(1)
        self.before_answer: Callable[[Any], None] = lambda control: None

    def configure(self, settings: Settings) -> None:
        self.settings.append(settings)

    def new_game(self) -> None:
        pass

    def reserve(self) -> None:
        pass

    def search(self, position: Any, limits: Limits, control: Any, on_info: Callable[[Info], None]) -> SearchResult:
        self.searched.append((position.fen(), limits))
        self.before_answer(control)
        legal = position.legal_moves()
        if not legal:
            return SearchResult(None)
        move = self.dice.choice(legal)
        replies = position.play(move).legal_moves()
        return SearchResult(move, replies[0] if replies else None, (Info(depth=1, score_cp=125, nodes=7),))

    def evaluate(self, position: Any) -> tuple[int, list[Any]]:
        return 0, []


class QuickGame:
    """Othello's rules with `QuickEngine`."""

    name = "othello"

    def __init__(self) -> None:
        self.engines: list[QuickEngine] = []
        self.change: Callable[[QuickEngine], None] = lambda engine: None

    def engine(self) -> QuickEngine:
        engine = QuickEngine()
        self.change(engine)
        self.engines.append(engine)
        return engine

    def prepare(self, progress: object = None) -> list[Any]:
        return []

    def __getattr__(self, name: str) -> Any:
        return getattr(GAME, name)


@pytest.fixture
def quick_game() -> QuickGame:
    return QuickGame()
