"""What a search reports while it thinks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Bound", "Info"]


class Bound(Enum):
    """How a reported score relates to the true one."""

    EXACT = ""
    LOWER = "lowerbound"
    UPPER = "upperbound"


@dataclass(frozen=True, slots=True)
class Info:
    """One line of thinking.

    Attributes:
        depth: plies of the finished iteration (nominal).
        seldepth: deepest ply reached.
        selectivity: certainty of forward pruning in percent, 100 = exact; None where the search has no such notion.
        multipv: rank of this line, from 1.
        score_cp: hundredths of a disc (Othello) or of a pawn (banqi), from the view of the side to move.
        bound: whether the score is exact or a bound.
        proven: whether the score is the result of best play, which no deeper search can change.
        wdl: win, draw, loss in per mille from the same view, or None.
        nodes: nodes visited so far in this search.
        hashfull: per mille of the table filled by this search.
        time_ms: since the search got its turn (or since ponderhit).
        pv: the line, canonical notation; in banqi it ends at the first flip.
        text: anything else worth a line (``info string``).
    """

    depth: int = 0
    seldepth: int = 0
    selectivity: int | None = None
    multipv: int = 1
    score_cp: int | None = None
    bound: Bound = Bound.EXACT
    proven: bool = False
    wdl: tuple[int, int, int] | None = None
    nodes: int = 0
    hashfull: int = 0
    time_ms: int = 0
    pv: tuple[str, ...] = ()
    text: str | None = None
