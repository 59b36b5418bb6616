"""What positions are worth to the midgame search, by the objective of the game.

Scores are hundredths of a disc from the view of the side to move: of its final disc difference when most
discs win, of the opponent's when fewest do. ``ours`` is 1 where the side to move is the root's and 0
elsewhere; only the value of a draw depends on it (`Settings.contempt`).
"""

from __future__ import annotations

from typing import Any

from fanqi.bits import load, popcount
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello.endgame.last import final_score
from fanqi.othello.endgame.search import null_window
from fanqi.othello.endgame.shallow import odd_quadrants
from fanqi.othello.fewest import evaluate_fewest, null_window_fewest
from fanqi.othello.frame import state_address
from fanqi.othello.midgame.wipeout import FEW_DISCS, wipes_out
from fanqi.othello.patterns import evaluate, refine
from fanqi.othello.table import HIGHEST

__all__ = ["at_rest", "quick", "solved", "static", "terminal"]


@kernel
def quick(block: Any, own: Any, opp: Any, empties: Any) -> Any:
    """The evaluation without its correction, good enough to order moves by; arguments as for `static`."""
    if load(block, ctx.OBJECTIVE) != 0:
        return evaluate_fewest(block, own, opp)
    return evaluate(state_address(block, empties), load(block, ctx.WEIGHTS), empties)


@kernel
def static(block: Any, own: Any, opp: Any, empties: Any) -> Any:
    """The evaluation; the pattern indices of the position are in the state of ``empties``."""
    value = quick(block, own, opp, empties)
    if load(block, ctx.OBJECTIVE) != 0:
        return value
    return refine(state_address(block, empties), own, opp, load(block, ctx.WEIGHTS), empties, value)


@kernel
def at_rest(block: Any, own: Any, opp: Any, empties: Any) -> Any:
    """What a leaf of the search is worth: the best score if a move takes all discs, else `static`."""
    if popcount(opp) <= FEW_DISCS and load(block, ctx.OBJECTIVE) == 0 and wipes_out(own, opp):
        return HIGHEST
    return static(block, own, opp, empties)


@kernel
def with_contempt(block: Any, discs: Any, ours: Any) -> Any:
    """A final score in discs as the search counts it: a draw is worth less to the root's side."""
    line = load(block, ctx.DRAW_LINE)
    if ours != 0:
        if discs == line:
            return 100 * discs - load(block, ctx.CONTEMPT)
    elif discs == -line:
        return 100 * discs + load(block, ctx.CONTEMPT)
    return 100 * discs


@kernel
def terminal(block: Any, own: Any, opp: Any, ours: Any) -> Any:
    """The score of a finished game."""
    discs = final_score(own, opp)
    if load(block, ctx.OBJECTIVE) != 0:
        discs = -discs
    return with_contempt(block, discs, ours)


@kernel
def solved(block: Any, own: Any, opp: Any, alpha: Any, empties: Any, ours: Any) -> Any:
    """The exact score in the null window above ``alpha`` (fail-soft).

    Exact scores are even numbers of discs. One that is a draw may lie between its neighbours by less than two
    discs (`with_contempt`), which keeps their order.
    """
    line = load(block, ctx.DRAW_LINE)
    if ours == 0:
        line = -line
    window = alpha // 100
    if 100 * line - 200 <= alpha < 100 * line + 200:
        window = line if with_contempt(block, line, ours) <= alpha else line - 1
    if load(block, ctx.OBJECTIVE) != 0:
        return with_contempt(block, null_window_fewest(block, own, opp, window, empties), ours)
    return with_contempt(block, null_window(block, own, opp, window, empties, odd_quadrants(own, opp)), ours)
