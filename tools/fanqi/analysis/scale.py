"""What a score of a game is measured in, and how much of it makes a mistake.

A *value* is a score as people read it: discs in Othello; in banqi the expected score in per cent, a win 100, a draw 50.
Values are from the view of the side to move unless something else is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.game import Player

if TYPE_CHECKING:
    from fanqi.game import Outcome
    from fanqi.search import Info

__all__ = ["MARKS", "SCALES", "Scale"]

MARKS = ("", "?!", "?", "??")
"""Nothing to say, dubious, mistake, blunder."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of one game.

    Attributes:
        unit: one word.
        title: what an axis of such values says; ``{}`` is whose.
        even: the value at which nobody is ahead.
        most: the end of the scale.
        dubious, mistake, blunder: losses from which a move gets that mark.
        halving: the loss that halves the accuracy of a move.
    """

    unit: str
    title: str
    even: float
    most: float
    dubious: float
    mistake: float
    blunder: float
    halving: float

    def value(self, info: Info) -> float | None:
        """What a line of the engine's promises; None if it has no score."""
        if self.unit == "discs":
            return None if info.score_cp is None else info.score_cp / 100
        return None if info.wdl is None else (info.wdl[0] + info.wdl[1] / 2) / 10

    def final(self, outcome: Outcome, player: Player) -> float:
        """What a finished game is worth to a player."""
        if self.unit == "discs":
            return outcome.margin if player is Player.P1 else -outcome.margin
        return 50.0 if outcome.winner is None else 100.0 if outcome.winner is player else 0.0

    def other(self, value: float) -> float:
        """The same value from the other side."""
        return 2 * self.even - value if value != self.even else value

    def for_p1(self, value: float, player: Player) -> float:
        """A value of ``player``'s as p1 sees it."""
        return value if player is Player.P1 else self.other(value)

    def mark(self, loss: float) -> str:
        """One of `MARKS`."""
        return MARKS[(loss >= self.dubious) + (loss >= self.mistake) + (loss >= self.blunder)]

    def accuracy(self, loss: float) -> float:
        """Per cent: 100 for the best move, half as much for every `halving` lost."""
        return float(100.0 * 2.0 ** (-loss / self.halving))

    def text(self, value: float, *, exact: bool = False) -> str:
        """A value for people: ``+3.4`` discs, ``+4`` when proven; ``62.5`` per cent."""
        if self.unit == "discs":
            shown = f"{value:+.0f}" if exact and value == round(value) else f"{value:+.1f}"
            return "0" if shown in ("+0", "-0") else "0.0" if shown in ("+0.0", "-0.0") else shown.replace("-", "−")
        return f"{value:.0f}" if exact and value == round(value) else f"{value:.1f}"

    def loss_text(self, loss: float, *, exact: bool = False) -> str:
        """A loss for people, without decimals when proven; empty where nothing to speak of was lost."""
        if loss < 0.05:
            return ""
        return f"{loss:.0f}" if exact and loss == round(loss) and self.unit == "discs" else f"{loss:.1f}"


SCALES = {
    "othello": Scale("discs", "score for {} (discs)", 0.0, 64.0, 2.0, 4.0, 8.0, 4.0),
    "banqi": Scale("%", "expected score of {} (%)", 50.0, 100.0, 5.0, 10.0, 15.0, 15.0),
}
