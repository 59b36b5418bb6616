"""The threads of one search: a context each, one table, one iteration at a time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from fanqi.bits import address_of
from fanqi.othello import context as ctx
from fanqi.othello.context import SearchContext, aligned
from fanqi.othello.midgame.open import search_root
from fanqi.othello.reversi import ReversiPosition
from fanqi.othello.reversi.search import search_reversi_root
from fanqi.othello.sharing import BUSY_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.othello.board import Position
    from fanqi.othello.context import HashTable

__all__ = ["NO_LIMIT", "Crew"]

NO_LIMIT = 1 << 62
NEVER: NDArray[np.int64] = np.zeros(8, np.int64)
"""A stop flag nobody sets."""
SHARED_DEPTH = 8
"""Shallower iterations are over before a thread has started."""


class Crew:
    """One leading thread, the caller's, and any number of helpers that fill the table for it.

    Every helper runs the leader's search over again; `fanqi.othello.sharing` keeps them apart. The leader's
    result counts, and the helpers are stopped when it has one.
    """

    def __init__(self) -> None:
        self._contexts = [SearchContext()]
        self._busy: NDArray[np.uint64] = aligned(BUSY_WORDS)
        self._dismissed: NDArray[np.int64] = np.zeros(8, np.int64)
        self._pool: ThreadPoolExecutor | None = None

    @property
    def leader(self) -> SearchContext:
        """The context whose block holds the settings, the root and the results."""
        return self._contexts[0]

    @property
    def nodes(self) -> int:
        """Visited in this search by all threads."""
        return sum(int(context.block[ctx.NODES]) for context in self._contexts)

    @property
    def fewest_empties(self) -> int:
        """The fewest empty squares any thread has seen in this search."""
        return min(int(context.block[ctx.FEWEST]) for context in self._contexts)

    def resize(self, threads: int) -> None:
        """Search with so many threads from the next iteration on."""
        if threads == len(self._contexts):
            return
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = ThreadPoolExecutor(threads - 1, "fanqi-search") if threads > 1 else None
        del self._contexts[threads:]
        self._contexts += [SearchContext() for _ in range(threads - len(self._contexts))]

    def start(self, table: HashTable, age: int, empties: int) -> None:
        """Begin a search: counts at zero, this table, this age."""
        for context in self._contexts:
            context.use_table(table)
            context.block[ctx.AGE] = age
            context.block[ctx.NODES] = 0
            context.block[ctx.FEWEST] = empties

    def forget(self) -> None:
        """Empty the threads' own tables."""
        for context in self._contexts:
            context.forget()

    def obey(self, flag: NDArray[np.int64] | None, nodes: int | None) -> None:
        """What stops the leader: a flag and a number of nodes visited by all threads, None for neither."""
        block = self.leader.block
        block[ctx.STOPPED] = 0
        block[ctx.STOP] = address_of(NEVER if flag is None else flag)
        block[ctx.NODE_LIMIT] = NO_LIMIT if nodes is None else max(1, nodes // len(self._contexts))

    def search(self, position: Position, alpha: int, beta: int, depth: int) -> int:
        """One `search_root` on all threads; of old Reversi only where that comes to the same within ``depth``, else one
        `search_reversi_root` on the leader. The result is in the leader's block."""
        words = np.uint64(position.own), np.uint64(position.opponent)
        if isinstance(position, ReversiPosition) and position.differs_within(depth):
            self.leader.block[ctx.EDITION] = int(position.rules.edition)
            return int(search_reversi_root(self.leader.address, *words, *position.hands, alpha, beta, depth))
        arguments = *words, alpha, beta, depth
        helpers = self._contexts[1:] if self._pool is not None and depth >= SHARED_DEPTH else []
        self.leader.block[ctx.BUSY] = address_of(self._busy) if helpers else 0
        if not helpers:
            return int(search_root(self.leader.address, *arguments))
        self._busy[:] = 0
        self._dismissed[0] = 0
        running = [self._send(helper, arguments) for helper in helpers]
        try:
            return int(search_root(self.leader.address, *arguments))
        finally:
            self._dismissed[0] = 1
            for future in running:
                future.result()

    def _send(self, helper: SearchContext, arguments: tuple[np.uint64, np.uint64, int, int, int]) -> Future[int]:
        """Let a helper run the leader's search."""
        assert self._pool is not None
        first, last = ctx.LEVEL, ctx.ROOT_SCORES
        helper.block[first:last] = self.leader.block[first:last]
        helper.block[ctx.BUSY] = self.leader.block[ctx.BUSY]
        helper.block[ctx.STOPPED] = 0
        helper.block[ctx.STOP] = address_of(self._dismissed)
        helper.block[ctx.NODE_LIMIT] = NO_LIMIT
        return self._pool.submit(search_root, helper.address, *arguments)
