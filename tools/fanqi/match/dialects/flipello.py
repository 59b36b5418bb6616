"""Fairy-Stockfish's UCI for Othello, host side; the notation is explained in `fanqi.dialects.flipello`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from fanqi.dialects import DialectError
from fanqi.dialects.flipello import VARIANT, format_flipello_move, parse_flipello_move
from fanqi.match.dialects.uci import VARIANT_KEY, UciDialect, clock_words, limit_words
from fanqi.match.errors import EngineError, Fault
from fanqi.othello import Position
from fanqi.records.fen import format_flipello_fen

if TYPE_CHECKING:
    from fanqi.match.turn import Setup, Turn

__all__ = ["FlipelloDialect"]

CHECK_LINE = [
    "e6", "f6", "g6", "d6", "c6", "g7", "f4", "g5", "c4", "e3", "e2", "c7", "g4", "d2", "g8", "h8",
    "d7", "g3", "g2", "c5", "b7", "h6", "c2", "h2", "c3", "h4", "b6", "g1", "f2", "f8", "pass",
]  # fmt: skip
"""A game with a pass in it. An engine that does not understand one of its moves goes on from a wrong position without
a word, as Fairy-Stockfish does; so each is asked once what it thinks is legal here."""

PERFT_MOVE = re.compile(rb"(\S+): 1\s*")


class FlipelloDialect(UciDialect):
    """Moves are translated as they are played; the first mover is White and has ``wtime``."""

    games: ClassVar[frozenset[str]] = frozenset({"othello"})

    def variant(self) -> str:
        return VARIANT

    async def start(self) -> None:
        await super().start()
        if VARIANT_KEY not in self.identity.options:
            raise EngineError(Fault.START, f"it has no option UCI_Variant, so it cannot play {VARIANT}")
        await self._check_understanding()

    async def new_game(self, setup: Setup) -> None:
        self._written = Written(setup.start)
        await super().new_game(setup)

    def position_line(self, turn: Turn) -> str:
        moves = " ".join(self._written.extended(turn.moves))
        start = turn.setup.start
        place = start if start == "startpos" else f"fen {format_flipello_fen(start)}"
        return f"position {place} moves {moves}".rstrip()

    def go_line(self, turn: Turn) -> str:
        return " ".join(("go", *clock_words(turn, "w", "b"), *limit_words(turn)))

    def own_move(self, text: str) -> str:
        try:
            return parse_flipello_move(text)
        except DialectError:
            return text

    async def _check_understanding(self) -> None:
        """Compare what the engine finds legal after `CHECK_LINE` with what is.

        Raises:
            EngineError: they differ, or it does not say.
        """
        written = Written("startpos")
        moves = written.extended(CHECK_LINE)
        found: set[str] = set()

        def listed(line: bytes) -> bool | None:
            if move := PERFT_MOVE.fullmatch(line):
                found.add(self.own_move(move[1].decode("ascii", "replace")))
            return True if line.startswith(b"Nodes searched") else None

        self.channel.send(f"position startpos moves {' '.join(moves)}\ngo perft 1")
        await self.channel.receive(listed, self.timeouts.ready, Fault.START, "answer to go perft 1")
        if found != set(written.position.legal_moves()):
            raise EngineError(Fault.START, f"it does not understand a game of {VARIANT}: it finds {sorted(found)}")


class Written:
    """A move list in Fairy-Stockfish's notation that grows with the game."""

    def __init__(self, start: str) -> None:
        self.position = Position() if start == "startpos" else Position.from_fen(start)
        self._moves: list[str] = []

    def extended(self, moves: list[str]) -> list[str]:
        """The list for ``moves``, of which the first ones are those of the last call."""
        for move in moves[len(self._moves) :]:
            self._moves.append(format_flipello_move(move, self.position.own))
            self.position = self.position.play(move)
        return self._moves
