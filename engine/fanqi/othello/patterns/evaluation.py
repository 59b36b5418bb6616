"""The two evaluations in discs, from the view of the side to move.

Both are sums of table entries chosen by the state (see `fanqi.othello.patterns.indices`), plus a bias for the number of
empty squares. A search keeps the states itself and calls `evaluate` or `evaluate_order`; everybody else calls
`evaluate_position`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import address_of, load, popcount
from fanqi.kernels import kernel
from fanqi.othello.patterns.indices import evaluation_board, evaluation_sum, ordering_board, ordering_sum
from fanqi.othello.patterns.weights import DISC, Weights

__all__ = ["LIMIT", "evaluate", "evaluate_board", "evaluate_order", "evaluate_order_board", "evaluate_position"]

LIMIT = 64 * DISC
"""No evaluation is outside -LIMIT to LIMIT."""


@kernel
def clip(value: Any) -> Any:
    return min(max(value, -LIMIT), LIMIT)


@kernel
def evaluate(state: Any, weights: Any, empties: Any) -> Any:
    """The midgame evaluation in 1/`DISC` discs.

    Args:
        state: address of the indices, `EVALUATION_BYTES` long.
        weights: address of `Weights.evaluation_block`.
        empties: empty squares of the position, 0 to 60.
    """
    return clip(evaluation_sum(state, weights + load(weights, empties)) + load(weights, 64 + empties))


@kernel
def evaluate_order(state: Any, weights: Any, empties: Any) -> Any:
    """The ordering evaluation in 1/`DISC` discs; arguments as for `evaluate`, of the ordering set."""
    return clip(ordering_sum(state, weights + load(weights, empties)) + load(weights, 64 + empties))


@kernel("int64(uint64, uint64, int64, int64)")
def evaluate_board(own: Any, opp: Any, scratch: Any, weights: Any) -> Any:
    """`evaluate` from the bitboards; ``scratch`` is the address of room for one state."""
    evaluation_board(scratch, own, opp)
    return evaluate(scratch, weights, 64 - popcount(own | opp))


@kernel("int64(uint64, uint64, int64, int64)")
def evaluate_order_board(own: Any, opp: Any, scratch: Any, weights: Any) -> Any:
    """`evaluate_order` from the bitboards; ``scratch`` is the address of room for one state."""
    ordering_board(scratch, own, opp)
    return evaluate_order(scratch, weights, 64 - popcount(own | opp))


def evaluate_position(own: int, opp: int, weights: Weights) -> float:
    """The midgame evaluation of a position in discs."""
    scratch = np.empty(weights.evaluation.patterns.lanes, np.int16)
    value = evaluate_board(np.uint64(own), np.uint64(opp), address_of(scratch), address_of(weights.evaluation_block))
    return int(value) / DISC
