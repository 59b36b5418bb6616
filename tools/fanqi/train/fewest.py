"""The evaluation of anti-Othello, where fewest discs win, from games of the engine against itself.

Its features are few and every coefficient is a straight line in the number of empty squares, so a few hundred games are
enough: half-random openings, a shallow search, now and then a random move, and perfect play at the end. Every position
after the opening is a row, labelled with the result of the game.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.game import Player
from fanqi.othello import GAME
from fanqi.othello.context import SearchContext
from fanqi.othello.fewest import FEATURES, count_features
from fanqi.search import Control, Limits, Settings, Solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fanqi.search import Info

__all__ = ["FewestFit", "fit_fewest", "play_fewest"]

SHORTEST, LONGEST = 4, 30  # plies of random openings
STRAY = 0.03  # share of random moves after it
RIDGE = 10.0


@dataclass(frozen=True, slots=True)
class FewestFit:
    """Coefficients in hundredths of a disc and what they are worth.

    Attributes:
        level: of each feature at 30 empty squares.
        slope: what is added for each empty square more.
        rows: fitted.
        absolute, rms: hold-out error in discs.
    """

    level: NDArray[np.float64]
    slope: NDArray[np.float64]
    rows: int
    absolute: float
    rms: float


def ignore(_: Info) -> None:
    pass


def play_fewest(
    games: int, depth: int, exact: int, seed: int, progress: Callable[[int], None] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Play games of anti-Othello.

    Args:
        games: how many.
        depth: of the search in plies.
        exact: empty squares from which play is perfect.
        seed: of openings and random moves.
        progress: called with the number of games done.

    Returns:
        (rows, `FEATURES` + 2): the features of a position, its empty squares, and the result in discs, from the view
        of the side to move, more is better; and the game of each row.
    """
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=4, objective="fewest"))
    context, features = SearchContext(), np.zeros(FEATURES, np.int64)
    chooser = random.Random(seed)
    rows, numbers = [], []
    for number in range(games):
        position, opening, played = GAME.start(), chooser.randint(SHORTEST, LONGEST), []
        while legal := position.legal_moves():
            if position.ply < opening or chooser.random() < STRAY:
                move = chooser.choice(legal)
            else:
                end = position.empties <= exact
                limits = Limits(solve=Solve.SCORE) if end else Limits(depth=depth)
                found = engine.search(position, limits, Control(), ignore).move
                assert found is not None
                move = found
            if position.ply >= opening and legal != ("pass",):
                words = np.uint64(position.own), np.uint64(position.opponent)
                count_features(context.address, *words, features)
                played.append((position.turn, [*features, position.empties]))
            position = position.play(move)
        outcome = position.outcome()
        assert outcome is not None
        for turn, facts in played:
            rows.append([*facts, -outcome.margin if turn is Player.P1 else outcome.margin])
            numbers.append(number)
        if progress is not None:
            progress(number + 1)
    return np.array(rows, np.float64), np.array(numbers)


def fit_fewest(rows: NDArray[np.float64], games: NDArray[np.int64]) -> FewestFit:
    """Ridge regression; every tenth game is held out."""
    features, stage, result = rows[:, :FEATURES], rows[:, FEATURES] - 30.0, rows[:, FEATURES + 1]
    terms = np.concatenate([features, features * stage[:, None]], axis=1)
    held = games % 10 == 9
    fitted = terms[~held]
    penalty = RIDGE * np.diag((fitted**2).mean(axis=0))
    found = np.linalg.solve(fitted.T @ fitted + penalty, fitted.T @ result[~held])
    error = np.clip(terms[held] @ found, -64, 64) - result[held]
    return FewestFit(
        100 * found[:FEATURES],
        100 * found[FEATURES:],
        int((~held).sum()),
        float(np.abs(error).mean()),
        float(np.sqrt((error**2).mean())),
    )
