"""The static evaluation taken apart for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.board import FULL_SET, OPEN, PIECE_ORDER
from fanqi.banqi.evaluation import TERMS, static_terms
from fanqi.banqi.state import BAG, LIVE, TURN
from fanqi.banqi.weights import MOBILITY, TEMPO
from fanqi.search import EvaluationTerm

if TYPE_CHECKING:
    from fanqi.banqi.memory import Memory
    from fanqi.banqi.position import Position

__all__ = ["evaluation_terms"]

KIND_NAMES = ("kings", "guards", "ministers", "rooks", "knights", "cannons", "pawns")


def evaluation_terms(memory: Memory, position: Position) -> tuple[int, list[EvaluationTerm]]:
    """The evaluation in cp from the view of the side to move, and its terms."""
    covered = len(position.covered())
    turn = int(position.state[TURN])
    if turn == OPEN:
        return 0, [EvaluationTerm("covered pieces", covered, None, 0)]
    memory.use_weights(covered)
    numbers = np.zeros(TERMS, np.int64)
    total = static_terms(memory.words, position.state, numbers)
    own, opponent = 7 * turn, 7 - 7 * turn

    def count(field: int, piece: int) -> int:
        return int(position.state[field]) >> (4 * piece) & 15

    terms = []
    for kind, name in enumerate(KIND_NAMES):
        ours, theirs = count(LIVE, own + kind), count(LIVE, opponent + kind)
        values = int(numbers[8 + own + kind]), int(numbers[8 + opponent + kind])
        terms.append(EvaluationTerm(f"{name}", ours, theirs, ours * values[0] - theirs * values[1]))
    weights = memory.weights
    steps = int(numbers[0]), int(numbers[1])
    terms.append(EvaluationTerm("mobility", *steps, int(weights[MOBILITY]) * (steps[0] - steps[1])))
    near = int(numbers[2]), int(numbers[3])
    terms.append(EvaluationTerm("hunters near prey", *near, near[0] - near[1]))
    threats = int(numbers[4]), int(numbers[5])
    terms.append(EvaluationTerm("threats", *threats, threats[0] - threats[1]))
    terms.append(EvaluationTerm("side to move", None, None, int(weights[TEMPO])))
    for piece in (own, opponent):
        letters = "".join(PIECE_ORDER[piece + kind] * count(BAG, piece + kind) for kind in range(7))
        assert len(letters) <= sum(FULL_SET)
        side = "own" if piece == own else "opponent's"
        terms.append(EvaluationTerm(f"covered {side} pieces", letters or "-", None, None))
    share = int(numbers[6 if total >= 0 else 7])
    terms.append(EvaluationTerm("advantage that counts", f"{share} %", None, None))
    return int(total), terms
