"""Othello as a `fanqi.game.Game`: start, texts, perft, engine."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, cast

import numpy as np

from fanqi.game import PositionError
from fanqi.kernels import CompileStep, compile_kernels
from fanqi.othello.board import Position
from fanqi.othello.perft import perft
from fanqi.othello.reversi import ReversiPosition, Rules
from fanqi.othello.reversi.perft import perft_in_hand

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.search import Engine

__all__ = ["GAME", "OthelloGame"]

LEAVES_AT_A_TIME = 20_000_000  # some tenths of a second at worst
USUAL_MOVES = 10


class OthelloGame:
    """The game of Othello on 8x8, or of old Reversi: see `fanqi.othello.reversi.Rules` for the rule parameters, and
    `fanqi.game.Game` for the methods."""

    name = "othello"

    def start(self, rules: str = "") -> Position:
        found = Rules.parse(rules)
        return ReversiPosition.start(found) if str(found) else Position()

    def parse(self, fen: str, rules: str = "") -> Position:
        found = Rules.parse(rules)
        words = fen.split()
        if found.edition != "1890" and len(words) > 2 and words[-1].isdecimal() and words[-2] in ("X", "O"):
            raise PositionError(fen, "discs in hand are known under rules=1890 only")
        return ReversiPosition.read(fen, found) if str(found) else Position.from_fen(fen)

    def perft(self, fen: str | None, depth: int, rules: str = "") -> int:
        """Leaves at ``depth``: a pass is one ply, a game that ended earlier is one leaf."""
        position = self.start(rules) if fen is None else self.parse(fen, rules)
        return leaves_below(position, depth)

    def perft_divide(
        self, fen: str | None, depth: int, rules: str = "", stopped: Callable[[], bool] = bool
    ) -> list[tuple[str, int]]:
        position = self.start(rules) if fen is None else self.parse(fen, rules)
        counts = []
        for move in position.legal_moves():
            leaves = leaves_until(stopped, position.play(move), depth - 1)
            if leaves is None:
                break
            counts.append((move, leaves))
        return counts

    def engine(self) -> Engine:
        from fanqi.othello.engine import OthelloEngine  # rules alone do without the search

        return OthelloEngine()

    def prepare(self, progress: object = None) -> list[CompileStep]:
        import fanqi.othello.engine  # noqa: F401  its kernels register on import

        steps = compile_kernels("fanqi.othello", cast("Callable[[int, int, CompileStep], None] | None", progress))
        with suppress(Exception):  # what fails here fails again when an engine is made, and is told there
            self.engine()
        return steps


def leaves_until(stopped: Callable[[], bool], position: Position, depth: int) -> int | None:
    """`leaves_below`, a part at a time; None when it was stopped."""
    if stopped():
        return None
    moves = position.legal_moves()
    if not moves or max(len(moves), USUAL_MOVES) ** depth <= LEAVES_AT_A_TIME:
        return leaves_below(position, depth)
    total = 0
    for move in moves:
        leaves = leaves_until(stopped, position.play(move), depth - 1)
        if leaves is None:
            return None
        total += leaves
    return total


def leaves_below(position: Position, depth: int) -> int:
    """`perft` of a position object."""
    if isinstance(position, ReversiPosition) and position.limited:
        if position.placing and depth > 0:
            return sum(leaves_below(position.play(move), depth - 1) for move in position.legal_moves())
        words = np.uint64(position.own), np.uint64(position.opponent)
        return int(perft_in_hand(*words, *position.hands, depth))
    return int(perft(np.uint64(position.own), np.uint64(position.opponent), depth))


GAME = OthelloGame()
