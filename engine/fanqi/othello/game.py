"""Othello as a `fanqi.game.Game`: start, texts, perft, engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from fanqi.game import RulesError
from fanqi.kernels import CompileStep, compile_kernels
from fanqi.othello.board import Position
from fanqi.othello.perft import perft

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.search import Engine

__all__ = ["GAME", "OthelloGame"]

LEAVES_AT_A_TIME = 20_000_000  # some tenths of a second at worst
USUAL_MOVES = 10


class OthelloGame:
    """The game of Othello on 8x8; it has no rule parameters. See `fanqi.game.Game` for the methods."""

    name = "othello"

    def start(self, rules: str = "") -> Position:
        check_rules(rules)
        return Position()

    def parse(self, fen: str, rules: str = "") -> Position:
        check_rules(rules)
        return Position.from_fen(fen)

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

        return compile_kernels("fanqi.othello", cast("Callable[[int, int, CompileStep], None] | None", progress))


def check_rules(rules: str) -> None:
    """Othello has no rule parameters.

    Raises:
        RulesError: any were given.
    """
    if rules.strip():
        raise RulesError(rules, "Othello has no rule parameters")


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
    return int(perft(np.uint64(position.own), np.uint64(position.opponent), depth))


GAME = OthelloGame()
