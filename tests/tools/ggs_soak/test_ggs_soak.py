"""Two clients and a server through a bad network: nothing is lost, nothing is illegal, nobody's flag falls."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.ggs_soak import Plan, Weather, soak
from fanqi.logs import Logger
from fanqi.othello import GAME
from fanqi.search import Info, Limits, SearchResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class RandomEngine:
    """Plays at random, with an opinion."""

    def __init__(self) -> None:
        self.dice = random.Random(7)

    def configure(self, settings: Any) -> None:
        pass

    def new_game(self) -> None:
        pass

    def reserve(self) -> None:
        pass

    def search(self, position: Any, limits: Limits, control: Any, on_info: Callable[[Info], None]) -> SearchResult:
        move = self.dice.choice(position.legal_moves())
        replies = position.play(move).legal_moves()
        return SearchResult(
            move, replies[0] if replies else None, (Info(depth=1, score_cp=self.dice.randint(-900, 900)),)
        )


class RandomOthello:
    """Othello with `RandomEngine`."""

    def engine(self) -> RandomEngine:
        return RandomEngine()

    def prepare(self, progress: object = None) -> list[Any]:
        return []

    def __getattr__(self, name: str) -> Any:
        return getattr(GAME, name)


@pytest.mark.slow
def test_matches_of_every_kind_are_finished_and_recorded_in_spite_of_cuts(tmp_path: Path) -> None:
    plan = Plan(
        tmp_path,
        matches=8,
        cuts=6,
        cut_every_s=1.0,
        move_time_s=0.02,
        keep_alive_s=1.0,
        patience_s=1.0,
        weather=Weather(longest_delay_s=0.005),
    )
    report = asyncio.run(soak(plan, Logger("error"), game=RandomOthello()))  # type: ignore[arg-type]
    assert report.faults == []
    assert report.archived >= 8
    assert sum(report.cuts.values()) == 6
    assert report.declined == (4, 4)
    assert set(report.ended) == {"board"}
