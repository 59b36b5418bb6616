"""Who turns covered pieces up: an arbiter who commits to the deal first and proves it afterwards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fanqi.arbiter import Arbiter, Desk
from fanqi.arbiter.verify import covered_at

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Dealer"]


class Dealer:
    """Deals one game of banqi and keeps the minutes that `fanqi arbiter verify` reads.

    Args:
        seed: of the deal; from the system if None.
        start: the position it is for; None for the usual start.
    """

    def __init__(self, seed: int | None = None, start: str | None = None) -> None:
        arbiter = Arbiter.new(seed, *covered_at(start or "startpos"))
        self.start = start
        self.commitment = arbiter.commitment
        self.minutes = [f"arbiter commit {arbiter.commitment}"]
        self._desk = Desk(arbiter)
        self._opening: dict[str, str] = {}

    def draw(self, own: int, other: int) -> tuple[str, str, bool]:
        """The five-piece draw: the piece at each place, and whether the first picker moves first.

        Raises:
            ArbiterError: a place that does not exist, or the same one twice.
        """
        words = self._tell("draw", str(own), str(other)).split()
        return words[2][2], words[3][2], words[4] == "first"

    def flip(self, square: str) -> str:
        """The letter of the piece on a covered square."""
        return self._tell("flip", square)[-1]

    def open(self) -> str:
        """The game is over: the line that proves the deal."""
        self._tell("finish")
        line = self._tell("open")
        words = line.split()[2:]
        self._opening = dict(zip(words[::2], words[1::2], strict=True))
        return line

    def proof(self, moves: Sequence[str]) -> str:
        """What `fanqi arbiter verify` reads, once the deal is open: the minutes, or with another start a record."""
        if self.start is None:
            return "".join(f"{line}\n" for line in self.minutes)
        deal = {"commitment": self.commitment, **self._opening}
        return json.dumps({"game": "banqi", "start": self.start, "moves": list(moves), "deal": deal}) + "\n"

    def _tell(self, *words: str) -> str:
        answer = self._desk.answer(words)
        self.minutes.append(answer)
        return answer
