"""Ending games before the rules do: by agreement of the scores, by length, by an exact solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import Player

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.match.config import Adjudication
    from fanqi.match.referee import Verdict

__all__ = ["Adjudicator"]


class Adjudicator:
    """Follows the scores of one game. A move without a score breaks every row; opening moves do not count.

    Args:
        settings: what to adjudicate.
        game: ``othello`` or ``banqi``.
    """

    def __init__(self, settings: Adjudication, game: str) -> None:
        self._settings = settings
        self._game = game
        self._losing = {Player.P1: 0, Player.P2: 0}
        self._winning = {Player.P1: 0, Player.P2: 0}
        self._even = {Player.P1: 0, Player.P2: 0}

    def heard(self, player: Player, cp: int | None) -> None:
        """The score that came with a move, the mover's view."""
        settings = self._settings
        resign, draw = settings.resign_cp, settings.draw_cp
        self._losing[player] = self._losing[player] + 1 if hit(cp, resign, -1) else 0
        self._winning[player] = self._winning[player] + 1 if hit(cp, resign, +1) else 0
        even = cp is not None and draw is not None and abs(cp) <= draw
        self._even[player] = self._even[player] + 1 if even else 0

    def verdict(self, position: Position) -> Verdict | None:
        """The verdict after a move, if there is one."""
        from fanqi.match.referee import Verdict

        settings = self._settings
        for player in Player:
            if self._losing[player] >= settings.resign_moves and (
                not settings.resign_two_sided or self._winning[player.other] >= settings.resign_moves
            ):
                return Verdict(player.other, "adjudicated_loss", "by the scores of the engines")
        if position.ply >= settings.draw_from and min(self._even.values()) >= settings.draw_moves:
            return Verdict(None, "adjudicated_draw", "by the scores of the engines", 0.0)
        if settings.max_plies is not None and position.ply >= settings.max_plies:
            return Verdict(None, "adjudicated_length", f"after {position.ply} plies")
        return None


def hit(cp: int | None, limit: int | None, sign: int) -> bool:
    return cp is not None and limit is not None and sign * cp >= limit
