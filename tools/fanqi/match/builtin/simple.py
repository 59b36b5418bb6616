"""Builtin opponents that look at most one ply ahead. Their choices depend on the game's seed and nothing else."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from fanqi.match.errors import ConfigurationError
from fanqi.match.turn import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Position
    from fanqi.match.specification import EngineSpec
    from fanqi.match.turn import Setup, Turn

__all__ = ["SimpleContestant", "greedy_banqi", "greedy_othello", "random_move"]

RANKS = "PCNRMGK"
"""Kinds of men in banqi, cheapest first."""


class SimpleContestant:
    """``builtin:random`` and ``builtin:greedy``.

    Raises:
        ConfigurationError: it was given options, of which it has none.
    """

    def __init__(self, spec: EngineSpec, game: str) -> None:
        if spec.options:
            raise ConfigurationError(f"engine {spec.name}: {spec.command} has no options")
        self.label = f"{spec.builtin} mover"
        self._choose: Callable[[Position, random.Random], str] = random_move
        if spec.builtin == "greedy":
            self._choose = greedy_othello if game == "othello" else greedy_banqi
        self._dice = random.Random()

    async def prepare(self, setup: Setup) -> None:
        self._dice = random.Random(setup.seed)

    async def choose(self, turn: Turn) -> Reply:
        began_ns = time.monotonic_ns()
        move = self._choose(turn.position, self._dice)
        return Reply(move, (time.monotonic_ns() - began_ns) // 1_000_000)

    async def answer_draw(self) -> bool:
        return False

    def remarks(self) -> list[str]:
        return []

    async def recover(self) -> None:
        pass

    async def close(self) -> None:
        pass


def random_move(position: Position, dice: random.Random) -> str:
    """Any legal move, all equally likely."""
    return dice.choice(position.legal_moves())


def greedy_othello(position: Position, dice: random.Random) -> str:
    """The move that leaves the mover most discs; ties by chance."""
    moves = position.legal_moves()
    if moves == ("pass",):
        return "pass"
    turned = {move: len(position.facts("flips", (move,)).split()) for move in moves}
    most = max(turned.values())
    return dice.choice([move for move in moves if turned[move] == most])


def greedy_banqi(position: Position, dice: random.Random) -> str:
    """The capture of the dearest man among those that cannot simply be taken back; without one, any move."""
    moves = position.legal_moves()
    board = position.fen().split()[0].split("/")
    gains = {move: RANKS.index(man.upper()) for move in moves if (man := victim(board, move)) is not None}
    safe = [move for move in gains if not taken_back(position, move)]
    if not safe:
        return dice.choice(moves)
    dearest = max(gains[move] for move in safe)
    return dice.choice([move for move in safe if gains[move] == dearest])


def victim(board: list[str], move: str) -> str | None:
    """The letter of the man a move takes, if it takes one."""
    if len(move) != 4:
        return None
    man = board[8 - int(move[3])]["abcd".index(move[2])]
    return man if man.isalpha() else None


def taken_back(position: Position, move: str) -> bool:
    """Whether the opponent could take on the square a move goes to, in one ply."""
    return any(len(reply) == 4 and reply[2:] == move[2:] for reply in position.play(move).legal_moves())
