"""Games of the engine with itself, kept as positions with what the search and the game said about them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi import GAME, Position
from fanqi.banqi.board import PIECE_ORDER, SQUARE_NAMES
from fanqi.banqi.engine import BanqiEngine
from fanqi.banqi.state import STATE_WORDS
from fanqi.search import Control, Info, Limits, Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Samples", "deal", "play_games"]

FULL = "".join(letter * (1, 2, 2, 2, 2, 2, 5)[i % 7] for i, letter in enumerate(PIECE_ORDER))


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions to fit to, all with the side to move in possession of a colour.

    Attributes:
        states: the words of the positions, shape (n, `STATE_WORDS`).
        scores: utility by the search, from the view of the side to move.
        results: 1, 0 or -1 at the end of the game, from the same view.
    """

    states: NDArray[np.int64]
    scores: NDArray[np.int64]
    results: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.results)

    @classmethod
    def join(cls, parts: list[Samples]) -> Samples:
        """All samples of several lots."""
        return cls(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.results for part in parts]),
        )


def deal(chooser: random.Random) -> dict[str, str]:
    """What lies on each square."""
    letters = list(FULL)
    chooser.shuffle(letters)
    return dict(zip(SQUARE_NAMES, letters, strict=True))


def play_games(count: int, nodes: int, seed: int, *, random_plies: int = 8, noise: float = 0.05) -> Iterator[Samples]:
    """Play games and yield the samples of each.

    Quiet positions only: those where the search wants no capture.

    Args:
        count: games.
        nodes: searched for each move.
        seed: of the deals and of all that is random.
        random_plies: at most so many at the start of a game, so that all kinds of positions come up.
        noise: share of later moves that are random.
    """
    chooser = random.Random(seed)
    engine = BanqiEngine()
    engine.configure(Settings(hash_mib=16))
    for _ in range(count):
        yield _play(engine, nodes, chooser, chooser.randint(0, random_plies), noise)


def _play(engine: BanqiEngine, nodes: int, chooser: random.Random, random_plies: int, noise: float) -> Samples:
    layout = deal(chooser)
    position: Position = GAME.start()
    engine.new_game()
    states, scores, movers = [], [], []
    while (outcome := position.outcome()) is None:
        legal = position.legal_moves()
        reports: list[Info] = []
        result = engine.search(position, Limits(nodes=nodes), Control(), reports.append)
        move = result.move
        assert move is not None
        if position.ply > 0 and not (len(move) == 4 and position.piece(move[2:]) != "."):
            states.append(position.state)
            scores.append(engine.last_utility)
            movers.append(position.turn)
        if position.ply < random_plies or chooser.random() < noise:
            move = chooser.choice(legal)
        position = position.play(f"{move}={layout[move]}" if position.needs_reveal(move) else move)
    winner = outcome.winner
    results = [0 if winner is None else 1 if mover is winner else -1 for mover in movers]
    words = np.array(states, np.int64).reshape(len(states), STATE_WORDS)
    return Samples(words, np.array(scores, np.int64), np.array(results, np.int64))
