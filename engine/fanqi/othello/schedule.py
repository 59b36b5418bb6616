"""Which iterations a search makes: depth rises first, then certainty."""

from __future__ import annotations

from dataclasses import dataclass

from fanqi.othello.levels import EXACT

__all__ = ["Iteration", "schedule"]

JUMP = 10
"""An iteration this many plies short of the end is followed by one to the end."""
PLAY_LEVEL = 0
"""The certainty of every iteration that stops before the end of the game."""
EXACT_DEPTH = 6
"""Searches of so few plies prune nothing forward: there is nothing to win."""
SLOW_EMPTIES = 24
"""With fewer empty squares one selective search to the end is enough before the exact one."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One search of the whole tree: plies and certainty level."""

    depth: int
    level: int


def schedule(empties: int, depth: int | None, level: int | None) -> list[Iteration]:
    """The iterations of a search that nothing stops early.

    Args:
        empties: empty squares at the root, at least 1.
        depth: the last depth; None for the end of the game.
        level: the certainty level of the last iteration; None leaves it to the depth: exact at the end of the
            game, `PLAY_LEVEL` before.
    """
    last = empties if depth is None else max(1, min(depth, empties))
    if last < empties:
        final = level if level is not None else EXACT if last <= EXACT_DEPTH else PLAY_LEVEL
        return [*rising(last - 1, final), Iteration(last, final)]
    final = EXACT if level is None else level
    iterations = rising(empties - JUMP, min(final, PLAY_LEVEL))
    if empties > JUMP:
        rungs = range(final) if empties > SLOW_EMPTIES else range(min(final, 1))
        iterations += [Iteration(empties, rung) for rung in rungs]
    return [*iterations, Iteration(empties, final)]


def rising(last: int, level: int) -> list[Iteration]:
    """Depth 1 to ``last`` at a certainty level, the shallow ones exact."""
    return [Iteration(depth, EXACT if depth <= EXACT_DEPTH else level) for depth in range(1, last + 1)]
