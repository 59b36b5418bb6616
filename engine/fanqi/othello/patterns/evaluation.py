"""The two evaluations in discs, from the view of the side to move.

Both are sums of table entries chosen by the state (see `fanqi.othello.patterns.indices`), plus a bias for the number of
empty squares. The sum of the midgame evaluation is good enough to order moves by; `refine` makes a better value of it
(see `fanqi.othello.patterns.network`). A search keeps the states itself and calls `evaluate`, `refine` or
`evaluate_order`; everybody else calls `evaluate_position`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import address_of, load, popcount
from fanqi.kernels import kernel
from fanqi.othello.patterns.indices import evaluation_board, evaluation_sum, ordering_board, ordering_sum
from fanqi.othello.patterns.network import correction
from fanqi.othello.patterns.weights import DISC, NETWORK_WORD, Weights

__all__ = [
    "LIMIT",
    "evaluate",
    "evaluate_board",
    "evaluate_order",
    "evaluate_order_board",
    "evaluate_position",
    "refine",
]

LIMIT = 63 * DISC
"""No evaluation is outside -LIMIT to LIMIT: none says that a side will have no disc left."""


@kernel
def clip(value: Any) -> Any:
    return min(max(value, -LIMIT), LIMIT)


@kernel
def evaluate(state: Any, weights: Any, empties: Any) -> Any:
    """The midgame evaluation in 1/`DISC` discs, before `refine`.

    Args:
        state: address of the indices, `EVALUATION_BYTES` long.
        weights: address of `Weights.evaluation_block`.
        empties: empty squares of the position, 0 to 60.
    """
    return clip(evaluation_sum(state, weights + load(weights, empties)) + load(weights, 64 + empties))


@kernel
def refine(state: Any, own: Any, opp: Any, weights: Any, empties: Any, value: Any) -> Any:
    """The midgame evaluation with the correction of the network, if the weights have one.

    Args:
        state, weights, empties: as for `evaluate`.
        own, opp: the position.
        value: what `evaluate` said.
    """
    network = load(weights, NETWORK_WORD)
    if network == 0:
        return value
    return clip(value + correction(state, own, opp, network, empties, value))


@kernel
def evaluate_order(state: Any, weights: Any, empties: Any) -> Any:
    """The ordering evaluation in 1/`DISC` discs; arguments as for `evaluate`, of the ordering set."""
    return clip(ordering_sum(state, weights + load(weights, empties)) + load(weights, 64 + empties))


@kernel("int64(uint64, uint64, int64, int64)")
def evaluate_board(own: Any, opp: Any, scratch: Any, weights: Any) -> Any:
    """`evaluate` and `refine` from the bitboards; ``scratch`` is the address of room for one state."""
    evaluation_board(scratch, own, opp)
    empties = 64 - popcount(own | opp)
    return refine(scratch, own, opp, weights, empties, evaluate(scratch, weights, empties))


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
