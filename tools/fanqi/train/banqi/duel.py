"""Paired games between two sets of weights, in one process at a fixed number of nodes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from fanqi.banqi import GAME, Position
from fanqi.banqi.board import SQUARE_NAMES
from fanqi.banqi.engine import BanqiEngine
from fanqi.game import Player
from fanqi.search import Control, Limits, Settings
from fanqi.train.banqi.selfplay import deal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["engine_with", "play_pair", "score_of"]


def engine_with(weights: NDArray[np.int64]) -> BanqiEngine:
    """An engine that plays by these weights (both sets)."""
    engine = BanqiEngine(weights)
    engine.configure(Settings(hash_mib=8))
    return engine


def score_of(pairs: list[float]) -> tuple[float, float]:
    """(share of the points, half of its 95 % interval) from the points of each pair of games, 0 to 2."""
    shares = [points / 2 for points in pairs]
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / max(len(shares) - 1, 1)
    return mean, 1.96 * (variance / len(shares)) ** 0.5


def play_pair(one: BanqiEngine, two: BanqiEngine, nodes: int, chooser: random.Random) -> float:
    """Two games with one deal, the second under its mirror image with seats changed; points of ``one``, 0 to 2."""
    layout = deal(chooser)
    mirrored = {name: layout[SQUARE_NAMES[square ^ 3]] for square, name in enumerate(SQUARE_NAMES)}
    return _play(one, two, layout, nodes) + 1.0 - _play(two, one, mirrored, nodes)


def _play(first: BanqiEngine, second: BanqiEngine, layout: dict[str, str], nodes: int) -> float:
    position: Position = GAME.start()
    for engine in (first, second):
        engine.new_game()
    while (outcome := position.outcome()) is None:
        engine = first if position.turn is Player.P1 else second
        move = engine.search(position, Limits(nodes=nodes), Control(), lambda info: None).move
        assert move is not None
        position = position.play(f"{move}={layout[move]}" if position.needs_reveal(move) else move)
    return 0.5 if outcome.winner is None else float(outcome.winner is Player.P1)
