"""Are won positions won? Positions that are proved won within the quiet plies, played out against the engine itself.

A proof is a score beyond every static evaluation: from the endgame tables, or from a search that reaches them or the
end of the game. The defender is the same engine, which knows the tables too and so loses as late as it can.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from fanqi.banqi import GAME, Position
from fanqi.banqi.context import EVALUATION_MOST
from fanqi.banqi.engine import BanqiEngine
from fanqi.game import Player
from fanqi.search import Control, Info, Limits, Settings

__all__ = ["Conversion", "convert", "proved_wins"]

PIECES = "KGGMMRRNNCCPPPPPkggmmrrnnccppppp"


@dataclass(frozen=True, slots=True)
class Conversion:
    """One won position played out.

    Attributes:
        position: the start, p1 to move.
        reason: how the game ended.
        plies: how long it took.
        won: whether p1 won.
    """

    position: str
    reason: str
    plies: int
    won: bool


def _ignore(info: Info) -> None:
    """Nobody watches these searches."""


def _random_position(chooser: random.Random, men: int) -> Position | None:
    letters = chooser.sample(PIECES, men)
    if len({letter.isupper() for letter in letters}) < 2:
        return None
    board = ["."] * 32
    for square, letter in zip(chooser.sample(range(32), men), letters, strict=True):
        board[square] = letter
    ranks = "/".join("".join(board[first : first + 4]) for first in range(28, -1, -4))
    position = GAME.parse(f"{ranks} - {chooser.choice('rb')} {chooser.randint(0, 20)} -")
    return None if position.outcome() else position


def proved_wins(
    count: int, seed: int, *, men: tuple[int, ...] = (3, 4, 5, 6), nodes: int = 200_000
) -> Iterator[Position]:
    """Random open positions that a search proves won for the side to move, equally many of each number of men.

    Args:
        count: how many.
        seed: of the positions.
        men: numbers of men.
        nodes: of the search that proves.
    """
    chooser = random.Random(seed)
    engine = BanqiEngine()
    engine.configure(Settings(hash_mib=16))
    found = 0
    while found < count:
        position = _random_position(chooser, men[found % len(men)])
        if position is None:
            continue
        engine.new_game()
        engine.search(position, Limits(nodes=nodes), Control(), _ignore)
        if engine.last_utility > EVALUATION_MOST:
            found += 1
            yield position


def convert(position: Position, limits: Limits) -> Conversion:
    """Play a position out, both sides by the engine under ``limits``, each with its own memory."""
    start = position.fen()
    engines = {player: BanqiEngine() for player in Player}
    for engine in engines.values():
        engine.configure(Settings(hash_mib=16))
    while (outcome := position.outcome()) is None:
        move = engines[position.turn].search(position, limits, Control(), _ignore).move
        assert move is not None
        position = position.play(move)
    return Conversion(start, outcome.reason, position.ply, outcome.winner is Player.P1)
