"""Pattern evaluation: tables indexed by the discs of lines, corners and edges, one set of tables a phase.

A search uses it so (all addresses are int64; one state a ply; the mover's view throughout)::

    weights = address_of(default_weights().evaluation_block)
    evaluation_board(state, own, opp)                        # at the root
    evaluation_move(state, after, square, flipped)           # after each move; undo = use `state` again
    evaluation_pass(state, after)
    value = evaluate(state, weights, empties)                # in 1/DISC discs
    value = refine(state, own, opp, weights, empties, value) # better, where it matters

The same with ``ordering_…`` and `evaluate_order` for the cheaper evaluation that orders endgame moves: evaluate the
position after each move for the opponent and take the lowest first.
"""

from fanqi.othello.patterns.evaluation import (
    LIMIT,
    evaluate,
    evaluate_board,
    evaluate_order,
    evaluate_order_board,
    evaluate_position,
    refine,
)
from fanqi.othello.patterns.indices import (
    EVALUATION_BYTES,
    ORDERING_BYTES,
    evaluation_board,
    evaluation_move,
    evaluation_pass,
    evaluation_sum,
    ordering_board,
    ordering_move,
    ordering_pass,
    ordering_sum,
)
from fanqi.othello.patterns.network import Network
from fanqi.othello.patterns.shapes import EVALUATION, ORDERING, PatternSet, Shape
from fanqi.othello.patterns.weights import (
    DISC,
    Section,
    Weights,
    WeightsError,
    default_weights,
    evaluation_digest,
    format_weights,
    load_weights,
    parse_weights,
)

__all__ = [
    "DISC",
    "EVALUATION",
    "EVALUATION_BYTES",
    "LIMIT",
    "ORDERING",
    "ORDERING_BYTES",
    "Network",
    "PatternSet",
    "Section",
    "Shape",
    "Weights",
    "WeightsError",
    "default_weights",
    "evaluate",
    "evaluate_board",
    "evaluate_order",
    "evaluate_order_board",
    "evaluate_position",
    "evaluation_board",
    "evaluation_digest",
    "evaluation_move",
    "evaluation_pass",
    "evaluation_sum",
    "format_weights",
    "load_weights",
    "ordering_board",
    "ordering_move",
    "ordering_pass",
    "ordering_sum",
    "parse_weights",
    "refine",
]
