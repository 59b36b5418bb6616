"""Labels by search: what the engine's own midgame search says about a position, some plies deep.

A position is worth what a search of even depth says more nearly than what one evaluation says, or the result of one
game. The depths of the same parity up to the one asked for are searched one after the other, each of which orders the
moves of the next. The table is emptied before every position, so that a label depends on nothing but the position,
depth and certainty. As many plies as there are empty squares are a search to the end of the game.

Interrupted, it goes on as `fanqi.train.labelling` says, with a file of int16, hundredths of a disc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.about import VERSION
from fanqi.bits import address_of, popcount, store
from fanqi.othello import context as ctx
from fanqi.othello.certainty import error_table
from fanqi.othello.context import HashTable, SearchContext
from fanqi.othello.frame import state_address
from fanqi.othello.levels import EXACT, deviation_factor, level_of
from fanqi.othello.midgame.open import search_open
from fanqi.othello.patterns import Weights, evaluation_board
from fanqi.othello.schedule import EXACT_DEPTH
from fanqi.othello.table import HIGHEST
from fanqi.train.compiled import compiled
from fanqi.train.labelling import label_rows
from fanqi.train.origin import digest, weights_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from fanqi.train.positions import Positions

__all__ = ["Searcher", "search_rows"]

CHUNK = 256
NO_LIMIT = 1 << 62
TABLE_MIB = 1
"""Larger ones take longer to empty than they save."""


@compiled
def search_position(block: Any, own: Any, opp: Any, depth: Any, level: Any, factor: Any) -> Any:
    """The score of a position in hundredths of a disc. ``factor`` is the level's `deviation_factor`."""
    empties = np.int64(64 - popcount(own | opp))
    last = np.int64(min(depth, empties))
    score = np.int64(0)
    for plies in range(last % 2, last + 1, 2):
        shallow = plies <= EXACT_DEPTH and last < empties
        store(block, ctx.LEVEL, EXACT if shallow else level)
        store(block, ctx.DEVIATIONS, 0 if shallow else factor)
        evaluation_board(state_address(block, empties), own, opp)
        score = search_open(block, own, opp, -HIGHEST, HIGHEST, np.int64(plies), empties, np.int64(1), np.int64(0))
    return score


@compiled
def search_many(block: Any, table: Any, own: Any, opponent: Any, depth: Any, level: Any, factor: Any, out: Any) -> Any:
    for row in range(len(own)):
        table[:] = 0
        out[row] = search_position(block, own[row], opponent[row], depth, level, factor)


class Searcher:
    """One thread's search.

    Args:
        weights: of the evaluation; the error model is the one that `fanqi.othello.certainty` loads.
        depth: plies.
        selectivity: percent, one of `fanqi.othello.levels.LEVELS`; searches of six plies and fewer that stop before the
            end of the game prune nothing.
    """

    def __init__(self, weights: Weights, depth: int, selectivity: int) -> None:
        self._weights = weights
        self._depth = depth
        self._level = level_of(selectivity)
        self._table = HashTable(TABLE_MIB)
        self._context = SearchContext()
        self._context.use_table(self._table)
        self._stop = np.zeros(8, np.int64)
        block = self._context.block
        block[ctx.STOP] = address_of(self._stop)
        block[ctx.NODE_LIMIT] = NO_LIMIT
        block[ctx.WEIGHTS] = address_of(weights.evaluation_block)

    @property
    def nodes(self) -> int:
        """Visited so far."""
        return int(self._context.block[ctx.NODES])

    def search(self, own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Scores in hundredths of a disc, from the view of the side to move."""
        out = np.zeros(len(own), np.int16)
        self._context.forget()
        search_many(
            self._context.address,
            self._table.words,
            own,
            opponent,
            self._depth,
            self._level,
            deviation_factor(self._level),
            out,
        )
        return out


def search_rows(
    rows: Positions,
    weights: Weights,
    depth: int,
    selectivity: int,
    path: Path,
    threads: int = 2,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.int16]:
    """Search all rows; scores in hundredths of a disc.

    Args:
        rows: their labels are not looked at.
        weights, depth, selectivity: see `Searcher`.
        path, progress: see `fanqi.train.labelling.label_rows`.
        threads: that search.

    Raises:
        SideFileError: the file at ``path`` was begun with something else, or for other rows.
    """
    labellers = [Searcher(weights, depth, selectivity).search for _ in range(threads)]
    origin: dict[str, str | int] = {
        "labels": "search",
        "depth": depth,
        "selectivity": selectivity,
        "weights": weights_name(weights),
        "probcut": digest(error_table()),
        "fanqi": VERSION,  # another search might say something else
    }
    return label_rows(rows, labellers, np.int16, CHUNK, path, origin, progress)
