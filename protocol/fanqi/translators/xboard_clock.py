"""The clocks of an XBoard game, from ``level``, ``st``, ``sd``, ``time`` and ``otim``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import Player
from fanqi.uci import Go

if TYPE_CHECKING:
    from fanqi.dialects.xboard import Level

__all__ = ["XBoardClock"]

MAX_MS = 10**12


class XBoardClock:
    """What limits the engine's next move.

    Attributes:
        level: the last ``level``, or None.
        move_seconds: of ``st``, or None; excludes ``level``.
        depth: of ``sd``, or None.
    """

    def __init__(self) -> None:
        self.level: Level | None = None
        self.move_seconds: float | None = None
        self.depth: int | None = None
        self._own_ms: int | None = None
        self._other_ms: int | None = None

    def set_level(self, level: Level) -> None:
        """``level``: a game clock, which ends ``st``."""
        self.level, self.move_seconds = level, None
        self._own_ms = self._other_ms = None

    def set_move_seconds(self, seconds: float) -> None:
        """``st``: so many seconds a move."""
        self.move_seconds, self.level = seconds, None

    def set_own(self, centiseconds: int) -> None:
        """``time``: what the engine's clock shows."""
        self._own_ms = max(min(10 * centiseconds, MAX_MS), 0)

    def set_other(self, centiseconds: int) -> None:
        """``otim``: what the opponent's clock shows."""
        self._other_ms = max(min(10 * centiseconds, MAX_MS), 0)

    def limits(self, player: Player, moves_made: int, default: Go) -> Go:
        """The limits of a search for ``player``, who has made so many moves; ``default`` where nothing is set."""
        if self.move_seconds is not None:
            return Go(depth=self.depth, movetime=max(int(self.move_seconds * 1000), 1))
        base_ms = None if self.level is None else 1000 * self.level.base_seconds
        own_ms = self._own_ms if self._own_ms is not None else base_ms
        if own_ms is None:
            return default if self.depth is None else Go(depth=self.depth)
        other_ms = self._other_ms if self._other_ms is not None else own_ms
        own, other = ("p1", "p2") if player is Player.P1 else ("p2", "p1")
        increment = 0 if self.level is None else int(1000 * self.level.increment_seconds)
        clock = [(f"{own}time", own_ms), (f"{other}time", other_ms)]
        if increment:
            clock += [(f"{own}inc", increment), (f"{other}inc", increment)]
        session = 0 if self.level is None else self.level.moves
        to_go = session - moves_made % session if session > 0 else None
        return Go(depth=self.depth, clock=tuple(clock), movestogo=to_go)
