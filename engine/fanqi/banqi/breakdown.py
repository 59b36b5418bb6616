"""The static evaluation taken apart for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.board import OPEN, PIECE_ORDER
from fanqi.banqi.evaluation import ATTACKS, COVERED, MOBILE, NEAR, SIDE_TERMS, STATIC_TERMS, STEPS, static_terms
from fanqi.banqi.state import BAG, LIVE, TURN
from fanqi.banqi.weights import TEMPO
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
    numbers = np.zeros(STATIC_TERMS, np.int64)
    total = static_terms(memory.words, position.state, numbers)
    own, opponent = 7 * turn, 7 - 7 * turn

    def count(field: int, piece: int) -> int:
        return int(position.state[field]) >> (4 * piece) & 15

    terms = []
    values = numbers[2 * SIDE_TERMS + 2 :]
    for kind, name in enumerate(KIND_NAMES):
        ours, theirs = count(LIVE, own + kind), count(LIVE, opponent + kind)
        cp = ours * int(values[own + kind]) - theirs * int(values[opponent + kind])
        terms.append(EvaluationTerm(name, ours, theirs, cp))
    mine, his = ([int(n) for n in numbers[first : first + SIDE_TERMS]] for first in (0, SIDE_TERMS))
    terms.append(EvaluationTerm("mobility", mine[STEPS], his[STEPS], mine[MOBILE] - his[MOBILE]))
    for term, name in ((NEAR, "hunters near prey"), (ATTACKS, "threats"), (COVERED, "beside covered pieces")):
        terms.append(EvaluationTerm(name, mine[term], his[term], mine[term] - his[term]))
    terms.append(EvaluationTerm("side to move", None, None, int(memory.weights[TEMPO])))
    for piece in (own, opponent):
        letters = "".join(PIECE_ORDER[piece + kind] * count(BAG, piece + kind) for kind in range(7))
        side = "own" if piece == own else "opponent's"
        terms.append(EvaluationTerm(f"covered {side} pieces", letters or "-", None, None))
    share = int(numbers[2 * SIDE_TERMS + (total < 0)])
    terms.append(EvaluationTerm("advantage that counts", f"{share} %", None, None))
    return int(total), terms
