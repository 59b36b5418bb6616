"""A player's clock by the rules of GGS: initial time, increment, extension; soft and hard flag.

When the initial time is used up the extension is granted, once, on the same clock, and the soft flag falls: that side
cannot do better than lose narrowly. When the extension is used up as well the hard flag falls. A part of the clock may
be meant for a number of moves; see `fanqi.ggs_wire.ClockSetting`.
"""

from __future__ import annotations

from fanqi.ggs_wire import ClockPart, ClockSetting, ClockState

__all__ = ["GRACE", "GameClock"]

GRACE = 4
"""Seconds by which a trusted player's stated time may fall short of the time that passed."""


class GameClock:
    """One clock. Times are seconds of the server's own monotonic clock, handed in by the caller.

    Attributes:
        left: seconds, as of the last move or event.
        soft: main time was used up.
        hard: all time was used up.
        running: whether it ticks.
    """

    def __init__(self, setting: ClockSetting) -> None:
        self.setting = setting
        self.reset()

    def reset(self) -> None:
        """As before the first move."""
        self.left = float(self.setting.initial)
        self.soft = self.hard = False
        self.running = False
        self._extended = False
        self._moves = 0
        self._part_moves = 0  # since the initial time or the last extension began
        self._increment_moves = 0
        self._increment_spent = 0.0
        self._started = self._marked = 0.0
        self._charged = 0.0  # of the running move, by events

    def start(self, now: float) -> None:
        """It is this player's turn."""
        if not self.running:
            self.running = True
            self._started = self._marked = now
            self._charged = 0.0

    def elapsed(self, now: float) -> float:
        """Seconds since the turn began."""
        return now - self._started

    def due(self) -> float:
        """When the flag is looked at if no move comes: the stated time of a late move may still save it."""
        return self._marked + max(self.left, 0.0) + GRACE + 1

    def stop(self, spent: float) -> None:
        """A move was made that took ``spent`` seconds since `start`."""
        self.running = False
        self._spend(max(spent - self._charged, 0.0))
        self._moves += 1
        self._part_moves += 1
        self._increment_moves += 1
        if not self.hard:
            self._grant()

    def event(self, now: float) -> None:
        """What `due` announced: time has run out without a move."""
        passed = now - self._marked
        self._marked = now
        self._charged += passed
        self._spend(passed)
        if not self.hard and self.left < 0:
            self._grant_extension()

    def _spend(self, seconds: float) -> None:
        self.left -= seconds
        self._increment_spent += seconds
        if self.left >= 0:
            return
        setting = self.setting
        if self._extended:
            self.soft = self.hard = True
        elif setting.initial_moves:
            if setting.initial_loses:
                self.soft = self.hard = True
        else:
            self.soft = self.soft or setting.initial_loses
            if not setting.extension:
                self.soft = self.hard = True

    def _grant(self) -> None:
        setting = self.setting
        if not self._extended:
            if self.left < 0 or (setting.initial_moves and self._part_moves >= setting.initial_moves):
                self._grant_extension()
        elif setting.extension_moves and self._part_moves >= setting.extension_moves:
            self._grant_extension()
        if self._increment_moves >= setting.increment_moves:
            given = float(setting.increment)
            self.left += given if setting.increment_adds else min(given, self._increment_spent)
            self._increment_moves = 0
            self._increment_spent = 0.0

    def _grant_extension(self) -> None:
        extension = float(self.setting.extension)
        self.left = self.left + extension if self.setting.extension_adds else extension
        self._extended = True
        self._part_moves = 0

    def state(self, now: float) -> ClockState:
        """As it is printed."""
        setting, left = self.setting, self.left - (now - self._marked if self.running else 0.0)
        increment = None
        if setting.increment:
            increment = ClockPart(setting.increment, not setting.increment_adds, self._moves, setting.increment_moves)
        return ClockState(
            ClockPart(int(left), not setting.initial_loses, self._moves, setting.initial_moves),
            increment,
            ClockPart(setting.extension, not setting.extension_adds, self._moves, setting.extension_moves),
        )
