"""What a session is given: where its answers go, what it shares with other sessions, what is set beforehand."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from fanqi.uci.options import OptionTable, option_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.uci.budget import HashBudget
    from fanqi.uci.executor import Executor
    from fanqi.uci.library import Library

__all__ = ["Output", "Services", "SessionConfig"]


class Output(Protocol):
    """Where a session's answers go. Called from any thread, in order; must not block."""

    def answer(self, line: str) -> None:
        """A line that must arrive."""

    def thought(self, line: str) -> None:
        """A line of thinking, which may be left out when the reader is slow."""

    def ended(self) -> None:
        """The session has said everything."""


@dataclass(frozen=True, slots=True)
class Services:
    """What a session shares with others.

    Attributes:
        library: loads games.
        executor: runs searches.
        hash_budget: memory for tables.
        fault: told about bugs: an engine that raised, or named an illegal move.
        clock: monotonic seconds.
    """

    library: Library
    executor: Executor
    hash_budget: HashBudget
    fault: Callable[[BaseException], None]
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """What may differ between sessions.

    Attributes:
        options: the options listed.
        max_waiting_bytes: how much input may wait behind a search.
        max_perft_depth: of ``go perft``; None for no limit.
        max_search_s: after so long any search is ended, whatever its limits; None for no limit.
        reserves_memory: whether ``isready`` takes the memory for searches, or the first search does.
    """

    options: OptionTable = field(default_factory=option_table)
    max_waiting_bytes: int = 64 << 20
    max_perft_depth: int | None = None
    max_search_s: float | None = None
    reserves_memory: bool = False
