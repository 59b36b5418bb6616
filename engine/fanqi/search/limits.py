"""What bounds a search. Limits combine: the first one reached ends it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Clock", "Limits", "Solve"]


class Solve(Enum):
    """An exact solution is asked for, not the best move in some time."""

    SCORE = "score"
    WDL = "wdl"


@dataclass(frozen=True, slots=True)
class Clock:
    """The mover's game clock, in milliseconds."""

    remaining_ms: int
    increment_ms: int = 0
    moves_to_go: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one search. All None and no flag set means: search until stopped, as ``infinite``.

    Attributes:
        depth: plies.
        nodes: visited nodes; the search may overshoot by its polling interval, never undershoot on purpose.
        movetime_ms: wall time, `Settings.move_overhead_ms` to be taken off by the search.
        clock: game clock of the side to move.
        infinite: no answer before a stop.
        ponder: as infinite until `Control.ponderhit`, from when on the other limits count.
        moves: restricts the root to these moves, in canonical notation.
        solve: search to the end of the game, exactly.
        certainty: of forward pruning in percent, one of `fanqi.game.Features.certainties`; None leaves it to the
            engine.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None
    clock: Clock | None = None
    infinite: bool = False
    ponder: bool = False
    moves: tuple[str, ...] | None = None
    solve: Solve | None = None
    certainty: int | None = None
