"""When to resign, when to offer a draw, when to accept one: from the scores of a game's searches."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.game import Player
    from fanqi.uci.answers import Conduct

__all__ = ["ScoreHistory"]

IN_A_ROW = 3


class ScoreHistory:
    """The last scores of each player's searches in one game, each from the view of its player."""

    def __init__(self) -> None:
        self._scores: dict[Player, deque[int]] = {}
        self._last: int | None = None

    def clear(self) -> None:
        """Another game begins."""
        self._scores.clear()
        self._last = None

    def add(self, player: Player, score_cp: int) -> None:
        """A search for ``player`` has ended with this score."""
        self._scores.setdefault(player, deque(maxlen=IN_A_ROW)).append(score_cp)
        self._last = score_cp

    def conduct(self, player: Player, resign_cp: int, draw_cp: int) -> Conduct | None:
        """What to add to the best move of ``player``; 0 switches the resignation or the draw offer off."""
        scores = self._scores.get(player, ())
        if len(scores) < IN_A_ROW:
            return None
        if resign_cp and all(score <= -resign_cp for score in scores):
            return "resign"
        if draw_cp and all(abs(score) <= draw_cp for score in scores):
            return "draw"
        return None

    def accepts_draw(self, draw_cp: int) -> bool:
        """Whether a draw is welcome to the player searched for last."""
        return bool(draw_cp) and self._last is not None and self._last <= draw_cp
