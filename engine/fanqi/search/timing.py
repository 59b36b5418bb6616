"""How much of a clock one move may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.search.limits import Limits

__all__ = ["Budget", "allot"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Time for one move, in milliseconds since the search got its turn.

    Attributes:
        optimum_ms: when no surprise comes up, no new iteration starts after this.
        maximum_ms: the search is stopped here whatever it is doing.
    """

    optimum_ms: float
    maximum_ms: float

    def soft_limit_ms(self, stability: float) -> float:
        """When to stop between iterations.

        Args:
            stability: 0 when the best move or its score has just changed for the worse, 1 when both have held for
                several iterations.
        """
        return min(self.maximum_ms, self.optimum_ms * (1.7 - 1.1 * stability))


def allot(limits: Limits, overhead_ms: float, expected_moves: float) -> Budget | None:
    """Turn limits into a budget; None when no time limit is set.

    Args:
        limits: ``movetime_ms`` is used up fully, ``clock`` in proportion.
        overhead_ms: lost between the engine and the host's clock at each move.
        expected_moves: how many moves the mover still has to make on this clock, guessed by the game; a stated
            ``moves_to_go`` wins when it is smaller.
    """
    budgets: list[Budget] = []
    if limits.movetime_ms is not None:
        whole = max(limits.movetime_ms - overhead_ms, 1.0)
        budgets.append(Budget(whole, whole))
    if limits.clock is not None:
        clock = limits.clock
        moves = max(1.0, min(expected_moves, clock.moves_to_go or expected_moves))
        usable = max(clock.remaining_ms - overhead_ms, 1.0)
        # the increment comes back after the move, but only what is on the clock now can be spent now
        optimum = (usable + clock.increment_ms * (moves - 1)) / moves - overhead_ms
        maximum = min(usable * (0.9 if moves <= 1 else 0.5), optimum * 4.0)
        maximum = max(maximum, 1.0)
        budgets.append(Budget(max(1.0, min(optimum, maximum)), maximum))
    if not budgets:
        return None
    return Budget(min(b.optimum_ms for b in budgets), min(b.maximum_ms for b in budgets))
