"""Chance on the server: who gets which colour, and random starts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Protocol

from fanqi.ggs_server.rules import Board, random_start, standard_start

if TYPE_CHECKING:
    from fanqi.ggs_wire import GameType

__all__ = ["Dealer", "Draw"]


class Dealer(Protocol):
    """Chance, or what a test puts in its place."""

    source: random.Random

    def black_first(self) -> bool:
        """Whether who asked for a match without a preference gets Black."""

    def start(self, kind: GameType) -> Board:
        """The first board of a match."""


class Draw:
    """A dealer who draws from a generator."""

    def __init__(self, source: random.Random | None = None) -> None:
        self.source = source or random.SystemRandom()

    def black_first(self) -> bool:
        return self.source.random() < 0.5

    def start(self, kind: GameType) -> Board:
        return standard_start(kind.board) if kind.random is None else random_start(kind, self.source)
