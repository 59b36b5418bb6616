"""Playing small matches with scripted engines."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.event_loop import run_loop
from fanqi.match.api import begin_match
from fanqi.match.config import MatchConfig
from fanqi.match.dialects import Timeouts
from fanqi.match.limit import Limit
from fanqi.match.specification import parse_engine
from fanqi.match.store import read_public_games

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.match.record import GameRecord
    from fanqi.match.runner import MatchRunner, Status

HERE = Path(__file__).parent
INSTANT = f"{sys.executable} -S {HERE / 'engines' / 'instant.py'}"
PATIENT = Timeouts(start=30.0, ready=30.0, stop=3.0, quit=0.3)


@dataclass(frozen=True)
class Played:
    """A finished match."""

    status: Status
    games: list[GameRecord]
    runner: MatchRunner
    directory: Path


@pytest.fixture
def instant() -> str:
    """The command of an engine that answers at once."""
    return INSTANT


@pytest.fixture
def play_match(tmp_path: Path) -> Callable[..., Played]:
    """A function that plays a match to its end: engines as in ``--engine``, settings of `MatchConfig`."""

    def play(*engines: str, limit: Limit | None = None, **settings: Any) -> Played:
        common = limit or Limit(movetime_ms=10_000)
        config = MatchConfig(
            game=settings.pop("game", "othello"),
            engines=tuple(parse_engine(engine, common) for engine in engines),
            games=settings.pop("games", 2),
            seed=settings.pop("seed", "1"),
            timeouts=settings.pop("timeouts", PATIENT),
        )
        listed = settings.pop("listed", [])
        config = replace(config, **settings)
        directory = tmp_path / f"match-{len(list(tmp_path.iterdir()))}"
        runner, store = begin_match(config, listed, directory)
        try:
            status = run_loop(runner.run())
        finally:
            store.close()
        return Played(status, list(read_public_games(directory)), runner, directory)

    return play
