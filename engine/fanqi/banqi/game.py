"""The game banqi: its name, its notation, its engine."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, cast

import numpy as np

from fanqi.banqi.board import COVERED, LETTERS, SQUARE_NAMES
from fanqi.banqi.notation import START, parse_setup
from fanqi.banqi.perft import perft_frames, perft_state
from fanqi.banqi.position import Position
from fanqi.banqi.rules import Rules
from fanqi.game import DepthError
from fanqi.kernels import CompileStep, compile_kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.search import Engine

__all__ = ["GAME", "Banqi"]

MAX_PERFT_DEPTH = 200
LEAVES_AT_A_TIME = 20_000_000  # some tenths of a second at worst
USUAL_MOVES = 10


class Banqi:
    """Implements `fanqi.game.Game`."""

    @property
    def name(self) -> str:
        return "banqi"

    def start(self, rules: str = "") -> Position:
        """All 32 pieces covered; the first mover is p1."""
        return self.parse(START, rules)

    def parse(self, fen: str, rules: str = "") -> Position:
        """A position from ``rank8/…/rank1 hidden turn np chase`` (see `fanqi.banqi.notation`)."""
        return Position.parse(fen, Rules.parse(rules))

    def perft(self, fen: str | None, depth: int, rules: str = "") -> int:
        """Number of legal action sequences of exactly ``depth`` plies; a finished game has no continuation.

        The hidden letters of ``fen`` are taken as the layout in the order a1, b1, …, d8 of the covered
        squares, so that a flip has one outcome; without a fen the layout of the start position is the sorted
        set.
        """
        _check_depth(depth)
        return self._perft(self.parse(fen or START, rules), _layout(fen or START, rules), depth)

    def perft_divide(
        self, fen: str | None, depth: int, rules: str = "", stopped: Callable[[], bool] = bool
    ) -> list[tuple[str, int]]:
        """`perft` split by root move; at depth 0 there is nothing to split."""
        _check_depth(depth)
        position = self.parse(fen or START, rules)
        layout = _layout(fen or START, rules)
        if depth == 0:
            return []
        counts = []
        for move in position.legal_moves():
            leaves = self._perft_until(stopped, _after(position, move, layout), layout, depth - 1)
            if leaves is None:
                break
            counts.append((move, leaves))
        return counts

    def engine(self) -> Engine:
        """A new engine with its own hash table."""
        from fanqi.banqi.engine import BanqiEngine  # rules alone do without the search

        return BanqiEngine()

    def prepare(self, progress: object = None) -> list[CompileStep]:
        """See `fanqi.game.Game`."""
        import fanqi.banqi.engine  # noqa: F401  # its kernels too

        steps = compile_kernels("fanqi.banqi", cast("Callable[[int, int, CompileStep], None] | None", progress))
        with suppress(Exception):  # what fails here fails again when an engine is made, and is told there
            self.engine()
        return steps

    def _perft_until(
        self, stopped: Callable[[], bool], position: Position, layout: dict[str, str], depth: int
    ) -> int | None:
        """`_perft`, a part at a time; None when it was stopped."""
        if stopped():
            return None
        moves = position.legal_moves()
        if not moves or max(len(moves), USUAL_MOVES) ** depth <= LEAVES_AT_A_TIME:
            return self._perft(position, layout, depth)
        total = 0
        for move in moves:
            leaves = self._perft_until(stopped, _after(position, move, layout), layout, depth - 1)
            if leaves is None:
                return None
            total += leaves
        return total

    def _perft(self, position: Position, layout: dict[str, str], depth: int) -> int:
        if depth == 0:
            return 1
        if position.outcome() is not None:
            return 0
        codes = np.zeros(32, np.int64)
        for square, letter in layout.items():
            codes[SQUARE_NAMES.index(square)] = LETTERS.index(letter)
        keys = np.zeros(len(position.history) + depth, np.int64)
        keys[: len(position.history)] = position.history
        return int(
            perft_state(
                position.state,
                codes,
                depth,
                keys,
                len(position.history),
                position.rules.repetition,
                np.empty(perft_frames(depth), np.int64),
            )
        )


def _check_depth(depth: int) -> None:
    if not 0 <= depth <= MAX_PERFT_DEPTH:
        raise DepthError(str(depth), f"perft of banqi counts to depth {MAX_PERFT_DEPTH}")


def _after(position: Position, move: str, layout: dict[str, str]) -> Position:
    """The position after a move; a flip shows what the layout has there."""
    return position.play(f"{move}={layout[move]}" if position.needs_reveal(move) else move)


def _layout(fen: str, rules: str) -> dict[str, str]:
    """Covered square -> letter under it, as perft reads the hidden field."""
    setup = parse_setup(fen, Rules.parse(rules))
    squares = [square for square, code in enumerate(setup.codes) if code == COVERED]
    return {SQUARE_NAMES[s]: LETTERS[code] for s, code in zip(squares, setup.hidden, strict=True)}


GAME = Banqi()
