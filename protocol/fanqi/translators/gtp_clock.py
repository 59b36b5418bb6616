"""The clocks of a GTP game: main time, then byo-yomi periods of so many stones."""

from __future__ import annotations

from dataclasses import dataclass

from fanqi.game import Player
from fanqi.uci import Go

__all__ = ["GtpClock"]

MAX_SECONDS = 10_000_000.0


@dataclass(slots=True)
class Left:
    """What one side has: seconds, and for how many stones (0: for all that are left)."""

    seconds: float
    stones: int = 0


class GtpClock:
    """Without `settings` there is no clock, and `limits` is None."""

    def __init__(self) -> None:
        self._main = self._period = 0.0
        self._stones = 0
        self._running = False
        self._left: dict[Player, Left] = {}

    def settings(self, main: float, period: float, stones: float) -> None:
        """``time_settings``, in seconds. A period without stones means no limit at all, and so do three zeros."""
        self._main, self._period = min(main, MAX_SECONDS), min(period, MAX_SECONDS)
        self._stones = int(min(stones, MAX_SECONDS))
        self._running = self._stones > 0 if self._period > 0 else self._main > 0
        self._left.clear()

    def left(self, player: Player, seconds: float, stones: float) -> None:
        """``time_left``: what the host's clock shows."""
        self._running = True
        self._left[player] = Left(min(seconds, MAX_SECONDS), int(min(stones, MAX_SECONDS)))

    def spend(self, player: Player, milliseconds: int) -> None:
        """A move has been made; for hosts that never say ``time_left``."""
        if not self._running:
            return
        left = self._of(player)
        left.seconds -= milliseconds / 1000
        if left.stones:
            left.stones -= 1
        if self._period > 0 and (left.seconds <= 0 or (left.stones == 0 and self._main <= 0)):
            self._left[player] = Left(self._period, self._stones)
        left.seconds = max(left.seconds, 0.0)

    def limits(self, player: Player) -> Go | None:
        """The limits of that player's next move; None without a clock."""
        if not self._running:
            return None
        left = self._of(player)
        seat = "p1" if player is Player.P1 else "p2"
        # after the main time there are the periods: they may be counted on, one move's share of one
        spare = self._period / self._stones if self._period > 0 and self._stones and not left.stones else 0.0
        clock = ((f"{seat}time", int((left.seconds + spare) * 1000)),)
        return Go(clock=clock, movestogo=left.stones or None)

    def _of(self, player: Player) -> Left:
        if player not in self._left:
            first = Left(self._main) if self._main > 0 else Left(self._period, self._stones)
            self._left[player] = first
        return self._left[player]
