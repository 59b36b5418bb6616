"""Our own engine as a contestant of a match, in this process."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.game import Player, load_game
from fanqi.match.builtin import own
from fanqi.match.clock import GameClock
from fanqi.match.errors import EngineError, Fault
from fanqi.match.limit import Limit
from fanqi.match.specification import parse_engine
from fanqi.match.turn import Setup, Turn
from fanqi.search import SearchResult, memory

if TYPE_CHECKING:
    from fanqi.search import Control, Limits

LIMIT = Limit(movetime_ms=600_000)


class Quick:
    """An engine that is done long before its time; with the game that makes it."""

    def prepare(self) -> None: ...

    def engine(self) -> Quick:
        return self

    def configure(self, settings: Any) -> None: ...

    def new_game(self) -> None: ...

    def reserve(self) -> None: ...

    def search(self, position: Any, limits: Limits, control: Control, on_info: Any) -> SearchResult:
        assert limits.movetime_ms is not None
        control.limit(limits.movetime_ms)
        return SearchResult("d3")


def test_an_engine_without_memory_for_its_table_does_not_start_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_mib", lambda: 8)

    async def main() -> None:
        contestant = own.OwnContestant(parse_engine("a=builtin:fanqi option.Hash=16", LIMIT), "othello")
        setup = Setup("othello", "", "startpos", Player.P1, GameClock(LIMIT, 60_000))
        with pytest.raises(EngineError, match="no memory for a hash table of 16 MiB, 8 MiB are free") as refusal:
            await contestant.prepare(setup)
        assert refusal.value.fault is Fault.START
        await contestant.close()

    asyncio.run(main())


def test_a_search_that_ends_early_leaves_no_thread_that_watches_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "load_game", lambda game: Quick())

    async def main() -> None:
        contestant = own.OwnContestant(parse_engine("a=builtin:fanqi", LIMIT), "othello")
        clock = GameClock(LIMIT, 60_000)
        setup = Setup("othello", "", "startpos", Player.P1, clock)
        await contestant.prepare(setup)
        reply = await contestant.choose(Turn(setup, [], load_game("othello").start(), clock, clock, ""))
        assert reply.move == "d3"
        for watcher in [thread for thread in threading.enumerate() if thread.name == "fanqi-deadline"]:
            watcher.join(10)
            assert not watcher.is_alive()
        await contestant.close()

    asyncio.run(main())
