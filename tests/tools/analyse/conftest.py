"""Reviews without waiting for a search."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if (folder := str(Path(__file__).parent)) not in sys.path:
    sys.path.append(folder)

from scripted import TCGA, WTHOR, ScriptedSearcher, first_game

from fanqi.analysis import Plan, review_game

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.analysis import GameReview
    from fanqi.records import GameRecord


@pytest.fixture
def scripted() -> Callable[..., GameReview]:
    """A function that reviews a record by made-up scores."""

    def review(record: GameRecord, plan: Plan | None = None, **settings: Any) -> GameReview:
        return review_game(1, record, plan or Plan(), ScriptedSearcher(**settings))

    return review


@pytest.fixture
def othello_review(scripted: Callable[..., GameReview]) -> GameReview:
    """A game of Othello with passes."""
    return scripted(first_game(WTHOR))


@pytest.fixture
def banqi_review(scripted: Callable[..., GameReview]) -> GameReview:
    """A game of banqi to its end."""
    return scripted(first_game(TCGA))
