"""Ending games before the rules do: by agreement of the scores, by length, by an exact solver."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from fanqi.game import Player, load_game
from fanqi.match.endgames import decided
from fanqi.match.referee import Verdict
from fanqi.search import Control, Limits, Solve

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.match.config import Adjudication
    from fanqi.search import Engine

__all__ = ["Adjudicator", "solved_verdict"]


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
        settings = self._settings
        for player in Player:
            if self._losing[player] >= settings.resign_moves and (
                not settings.resign_two_sided or self._winning[player.other] >= settings.resign_moves
            ):
                return Verdict(player.other, "adjudicated_loss", "by the scores of the engines")
        if position.ply >= settings.draw_from and min(self._even.values()) >= settings.draw_moves:
            return Verdict(None, "adjudicated_draw", "by the scores of the engines", 0.0)
        if settings.tables and (found := decided(position)) is not None:
            winner, plies = found
            stake = "" if winner is None else position.facts("stake", (winner.name.lower(),))
            margin = 0.0 if winner is None else float(stake) * (1 if winner is Player.P1 else -1)
            return Verdict(winner, "adjudicated_tables", f"{plies} plies to the next capture", margin)
        if settings.max_plies is not None and position.ply >= settings.max_plies:
            return Verdict(None, "adjudicated_length", f"after {position.ply} plies")
        return None

    def solves(self, position: Position) -> bool:
        """Whether the game is near enough to its end for the exact solver."""
        limit = self._settings.solve_empties
        return limit is not None and empty_squares(position) <= limit

    async def solved(self, position: Position) -> Verdict | None:
        """The verdict of the exact solver, when the game is near enough to its end."""
        if not self.solves(position):
            return None
        return await asyncio.wrap_future(solver().submit(solved_verdict, position))


@cache
def solver() -> ThreadPoolExecutor:
    """The one thread that solves, for all games: searches run outside the interpreter's lock."""
    return ThreadPoolExecutor(1, thread_name_prefix="match-solver")


@cache
def solving_engine() -> Engine:
    return load_game("othello").engine()


def solved_verdict(position: Position) -> Verdict:
    """The verdict of the exact solver. It has one engine: call it on the solver's thread, or where no other is."""
    margin = exact_margin(position)
    winner = None if margin == 0 else Player.P1 if margin > 0 else Player.P2
    return Verdict(winner, "adjudicated_solved", f"{empty_squares(position)} empty squares", margin)


def exact_margin(position: Position) -> float:
    """Disc difference under perfect play, from p1's view, empty squares to the winner. Runs on the solver's thread."""
    result = solving_engine().search(position, Limits(solve=Solve.SCORE), Control(), lambda info: None)
    discs = (result.infos[0].score_cp or 0) / 100
    return discs if position.turn is Player.P1 else -discs


def empty_squares(position: Position) -> int:
    """Of an Othello position."""
    return position.fen().count("-")


def hit(cp: int | None, limit: int | None, sign: int) -> bool:
    return cp is not None and limit is not None and sign * cp >= limit
