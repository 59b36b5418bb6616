"""Quiescence search: only captures that do not lose material are played on, until a position is at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.context import ABORTED, FRAME_BYTES, FRAMES, MAX_PLY, PV_LENGTH
from fanqi.banqi.evaluation import evaluate
from fanqi.banqi.material import material_entry
from fanqi.banqi.moves import count_moves, play_move
from fanqi.banqi.nodes import NO_VALUE, end_value, enter, extend_line, lost, prospect
from fanqi.banqi.ordering import list_captures, pick
from fanqi.banqi.state import HIDDEN, copy_state
from fanqi.bits.memory import load, store
from fanqi.bits.recursion import self_call
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["quiesce"]


def _quiesce_itself() -> Callable[..., int]:
    return quiesce


_quiesce = self_call(4, _quiesce_itself)


@kernel("int64(int64, int64, int64, int64)", inner=True)
def quiesce(context: int, ply: int, alpha: int, beta: int) -> int:
    """The utility of the state in frame ``ply`` when nobody need capture, fail soft.

    Args:
        context: the search's memory.
        ply: plies below the root.
        alpha: what the side to move has already.
        beta: what the opponent will allow at most.
    """
    frame = load(context, FRAMES) + FRAME_BYTES * ply
    store(frame, PV_LENGTH, 0)
    if not enter(context, ply):
        return 0
    end = end_value(context, frame, ply)
    if end != NO_VALUE:
        return end
    if load(frame, HIDDEN) == 0 and count_moves(frame) == 0:
        return lost(context, frame, ply)
    best = prospect(context, frame, evaluate(context, frame))
    if best >= beta or ply >= MAX_PLY:
        return best
    alpha = max(alpha, best)
    entry = material_entry(context, frame)
    count = list_captures(context, frame, entry)
    child = frame + FRAME_BYTES
    for index in range(count):
        move = pick(frame, index, count)
        copy_state(child, frame)
        play_move(child, move >> 5, move & 31)
        score = -_quiesce(context, ply + 1, -beta, -alpha)
        if load(context, ABORTED) != 0:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                extend_line(frame, move)
                if score >= beta:
                    break
    return best
