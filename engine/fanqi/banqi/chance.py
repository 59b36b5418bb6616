"""Chance nodes: the mean over the outcomes of a flip, each with its exact probability from the bag.

Two sums bracket the mean at all times: what the outcomes come to at most and at least, each counted as often as its
man lies covered. An outcome nothing is known of counts as a certain win or loss.

* *Star1* (Ballard 1983): an outcome is searched in the window outside which the mean cannot come back between alpha
  and beta, whatever the others are; the search of the node ends as soon as one sum has passed its bound.
* *Star2*: before that, in each outcome the opponent tries a single move, his most promising one. What it brings him
  at least is what the outcome is worth to us at most. Most flips that are searched are worse than a move known
  already, and are refuted by these few nodes; for the others the windows of Star1 become much narrower.

The first phase costs a move's search for each outcome, so it is for chance nodes with some depth left (`STAR2_DEPTH`,
a search parameter; `docs/banqi.md` has the measurements). The table needs no phase of its own: the nodes after the
outcomes look there first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.context import ABORTED, FRAME_BYTES, FRAMES, INFINITE, OUTCOMES, UPPER_BOUNDS, WIN
from fanqi.banqi.moves import play_flip
from fanqi.banqi.nodes import weight
from fanqi.banqi.quiescence import quiesce
from fanqi.banqi.roles import NO_SQUARE, ORDINARY, PROBED
from fanqi.banqi.state import HIDDEN, copy_state, covered_count, key_after_flip
from fanqi.banqi.transposition import expect
from fanqi.banqi.weights import STAR2_DEPTH
from fanqi.bits.memory import load, store
from fanqi.bits.recursion import self_call
from fanqi.bits.scalar import popcount
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["search_flip"]


def _search_itself() -> Callable[..., int]:
    from fanqi.banqi.tree import search

    return search


_search = self_call(7, _search_itself)


@kernel
def _code(piece: int) -> int:
    """The code of piece 7 * colour + kind."""
    return 8 * (piece // 7) + piece % 7 + 1


@kernel
def _list_outcomes(context: int, frame: int, square: int) -> int:
    """Write the pieces (7 * colour + kind) that may turn up to the frame, the most probable first; returns how many.

    All of them will be looked up in the table, so their places are asked for at once.
    """
    count = 0
    for wanted in range(5, 0, -1):
        for piece in range(14):
            if covered_count(frame, piece) == wanted:
                store(frame, OUTCOMES + count, piece)
                store(frame, UPPER_BOUNDS + count, WIN)
                expect(context, key_after_flip(frame, square, _code(piece)))
                count += 1
    return count


@kernel
def _turn_up(child: int, frame: int, square: int, piece: int) -> None:
    """The state in which ``square`` has shown ``piece``."""
    copy_state(child, frame)
    play_flip(child, square, _code(piece))


@kernel(inline="always")
def search_flip(context: int, ply: int, depth: int, alpha: int, beta: int, square: int) -> int:
    """The mean utility, for the side to move, of turning up ``square`` in frame ``ply``, fail soft.

    It is written into the kernel `fanqi.banqi.tree.search`, which is what ``_search`` calls.

    Args:
        context: the search's memory.
        ply: plies below the root, of the state before the flip.
        depth: plies left after it.
        alpha: what the side to move has already.
        beta: what the opponent will allow at most.
        square: a covered one.
    """
    frame = load(context, FRAMES) + FRAME_BYTES * ply
    child = frame + FRAME_BYTES
    total = popcount(load(frame, HIDDEN))
    outcomes = _list_outcomes(context, frame, square)
    above = total * WIN
    below = -above
    floor = alpha * total
    ceiling = beta * total

    if outcomes > 1 and depth >= weight(context, STAR2_DEPTH):
        for index in range(outcomes):
            piece = load(frame, OUTCOMES + index)
            wanted = covered_count(frame, piece)
            low = max((floor - above + wanted * WIN) // wanted, -INFINITE)
            _turn_up(child, frame, square, piece)
            bound = -_search(context, ply + 1, depth, -WIN, -low, NO_SQUARE, PROBED)
            if load(context, ABORTED) != 0:
                return 0
            if bound < WIN:
                store(frame, UPPER_BOUNDS + index, bound)
                above -= wanted * (WIN - bound)
                if above <= floor:
                    return above // total

    for index in range(outcomes):
        piece = load(frame, OUTCOMES + index)
        wanted = covered_count(frame, piece)
        upper = load(frame, UPPER_BOUNDS + index)
        low = max((floor - above + wanted * upper) // wanted, -INFINITE)
        high = min(-((below + wanted * WIN - ceiling) // wanted), INFINITE)
        if low >= upper:
            return above // total
        if high <= -WIN:
            return below // total
        _turn_up(child, frame, square, piece)
        top = min(high, upper)
        if depth <= 0:
            score = -quiesce(context, ply + 1, -top, -low)
        else:
            score = -_search(context, ply + 1, depth, -top, -low, NO_SQUARE, ORDINARY)
        if load(context, ABORTED) != 0:
            return 0
        score = min(score, upper)
        above += wanted * (score - upper)
        if score <= low:
            return above // total
        below += wanted * (score + WIN)
        if score >= high:
            return below // total
    return above // total
