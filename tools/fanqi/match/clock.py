"""One side's clock in one game, in whole milliseconds. It keeps no time itself: it is told how long a move took."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.match.limit import Limit

__all__ = ["GRACE_MS", "GameClock"]

GRACE_MS = 100
"""How much longer than allowed an answer is waited for, so that a late one can still be told from none at all."""


class GameClock:
    """What is left of a `Limit`, by the rules of fastchess: base and increment are there before the first
    move; the increment is added after each; a clock that is overstepped within the margin counts as empty,
    not as lost.

    Args:
        limit: of this side.
        stall_ms: how long a move may take where the limit knows no time.
    """

    def __init__(self, limit: Limit, stall_ms: int) -> None:
        self.limit = limit
        self._stall_ms = stall_ms
        tc = limit.tc
        self.left_ms: int | None = None if tc is None else tc.base_ms + tc.increment_ms
        self.moves_to_go: int | None = None if tc is None else tc.moves

    @property
    def allowed_ms(self) -> int | None:
        """What the next move may take with the margin; None where there is no time limit."""
        times = [time for time in (self.left_ms, self.limit.movetime_ms) if time is not None]
        return min(times) + self.limit.timemargin_ms if times else None

    @property
    def patience_ms(self) -> int:
        """How long an answer is waited for at all."""
        allowed = self.allowed_ms
        return self._stall_ms if allowed is None else allowed + GRACE_MS

    def spend(self, elapsed_ms: int) -> bool:
        """Take a move's time off the clock and add what a move earns.

        Returns:
            False when the move took longer than allowed; the clock then stands at 0.
        """
        allowed = self.allowed_ms
        in_time = allowed is None or elapsed_ms <= allowed
        tc = self.limit.tc
        if tc is None or self.left_ms is None:
            return in_time
        self.left_ms = max(0, self.left_ms - elapsed_ms)
        if not in_time:
            return False
        self.left_ms += tc.increment_ms
        if self.moves_to_go is not None:
            self.moves_to_go -= 1
            if self.moves_to_go == 0:
                self.left_ms += tc.base_ms
                self.moves_to_go = tc.moves
        return True
