"""The compliance check: our engine passes, and each kind of sin is found."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from fanqi.match.compliance import Outcome, check_engine
from fanqi.match.errors import EngineError

HERE = Path(__file__).parent


def check(command: str, game: str | None = None, patience_s: float = 300.0) -> dict[str, str | None]:
    """What is wrong by claim."""
    outcomes: list[Outcome] = []
    asyncio.run(check_engine(command, outcomes.append, game, patience_s))
    return {outcome.step.claim: outcome.problem for outcome in outcomes}


@pytest.mark.slow
def test_our_engine_keeps_every_promise() -> None:
    found = check(f"{sys.executable} -m fanqi.cli engine")
    assert {claim: problem for claim, problem in found.items() if problem} == {}
    assert len(found) > 45


@pytest.mark.slow
def test_an_engine_that_plays_but_promises_little_is_told_what_it_lacks() -> None:
    found = check(f"{sys.executable} -S {HERE / 'engines' / 'instant.py'}", "othello", 1.5)
    wrong = {claim for claim, problem in found.items() if problem}
    assert "`isready` is answered by one `readyok`" not in wrong
    assert "`go nodes 1` is answered by a legal move" not in wrong
    assert "`uci` is answered again later, with the same options" not in wrong
    for part in ("unknown command", "go infinite", "searchmoves", "query", "perft", "finished game"):
        assert any(part in claim for claim in wrong), part


def test_an_engine_that_cannot_be_started_is_no_finding() -> None:
    with pytest.raises(EngineError, match="cannot run"):
        check("/no/such/engine")
