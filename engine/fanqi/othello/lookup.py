"""Reading the transposition table from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.kernels import kernel
from fanqi.othello.moves import ZERO
from fanqi.othello.notation import format_move
from fanqi.othello.reversi import ReversiPosition
from fanqi.othello.reversi.hand import NO_HAND, hash_in_hand
from fanqi.othello.table import NO_MOVE, data_move, probe

if TYPE_CHECKING:
    from fanqi.othello.board import Position
    from fanqi.othello.context import SearchContext

__all__ = ["best_known"]


@kernel("int64(int64, uint64, uint64, int64)")
def table_move(block: Any, own: Any, opp: Any, hand: Any) -> Any:
    """The best move the table knows for a position and a hand (`hash_in_hand`), `NO_MOVE` if none."""
    data = probe(block, hash_in_hand(own, opp, hand))
    return data_move(data) if data != ZERO else NO_MOVE


def best_known(context: SearchContext, position: Position) -> str:
    """The best move in the table, "" when there is none. It need not be legal: two positions may share a
    key."""
    hand = position.in_hand(position.turn) if isinstance(position, ReversiPosition) else NO_HAND
    number = int(table_move(context.address, np.uint64(position.own), np.uint64(position.opponent), hand))
    return "" if number == NO_MOVE else format_move(number)
