"""What one move of a weakened player may take into account, and how it is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping, Sequence

    from fanqi.search import Limits

__all__ = ["ALL_LINES", "Handicap"]

ALL_LINES = 64
"""More root moves than either game has."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """How one move is to be found. Every bound comes on top of what the user's own limits say.

    Attributes:
        depth: plies searched at most, 0 for a look at what each move is worth at once; None for no bound.
        exact_from: Othello: with so many empty squares or fewer the game is searched to its end, whatever ``depth``
            says, and with more it is not.
        nodes: visited at most; None for no bound.
        movetime_ms: time for the move; None for no bound.
        lines: root moves between which it chooses, the best ones; 1 for the best move.
        noise: standard deviation of the error in what it thinks a move is worth, in the engine's own scores.
        greedy: it takes as much as it can at once (discs, or the dearest man) instead of what the search prefers.
        whim: the share of moves that it chooses by lot.
    """

    depth: int | None = None
    exact_from: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None
    lines: int = 1
    noise: float = 0.0
    greedy: bool = False
    whim: float = 0.0

    def bound(self, limits: Limits, empties: int | None = None) -> Limits:
        """``limits`` narrowed to what the handicap allows, never widened.

        Args:
            limits: what the user asked for.
            empties: empty squares (Othello); None in a game that is not searched to its end.
        """
        depth = self.depth
        if empties is not None and self.exact_from is not None:
            before_the_end = empties - 1 if depth is None else min(depth, empties - 1)
            depth = empties if empties <= self.exact_from else before_the_end
        return replace(
            limits,
            depth=least(limits.depth, depth),
            nodes=least(limits.nodes, self.nodes),
            movetime_ms=least(limits.movetime_ms, self.movetime_ms),
        )

    def choose(
        self, moves: Sequence[str], scores: Mapping[str, float], gain: Callable[[str], int], dice: random.Random
    ) -> str:
        """The move to play.

        The dice are thrown in the same order whatever the moves are worth, so that with the same dice more noise
        never chooses a better move.

        Args:
            moves: all that could be played, always in the same order.
            scores: of those that were looked at; a higher one is better for the mover.
            gain: what a move takes at once.
            dice: of this move alone, so that the same seed gives the same choice.
        """
        whim, lot = dice.random(), dice.random()
        errors = {move: dice.gauss(0.0, 1.0) for move in moves}
        known = [move for move in moves if move in scores]
        if whim < self.whim:
            return known[int(lot * len(known))]
        if self.greedy:
            gains = {move: gain(move) for move in known}
            most = max(gains.values())
            return max((move for move in known if gains[move] == most), key=errors.__getitem__)
        return max(known, key=lambda move: scores[move] + self.noise * errors[move])


def least(first: int | None, second: int | None) -> int | None:
    """The smaller of two bounds, None where there is none."""
    given = [bound for bound in (first, second) if bound is not None]
    return min(given, default=None)
