"""Training positions from WTHOR tournament games.

A position with at least `WthorHeader.depth` (24) empty squares is labelled with the game's theoretical score, which
is free of later mistakes; a later one with the result of the game, unless it is solved exactly afterwards. The
theoretical score is exact at 24 empty squares; what was played between an earlier position and there is noise, so rows
count the less the earlier they are (`row_weights`).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.othello.board import START_BLACK, START_WHITE
from fanqi.othello.moves import flips
from fanqi.records import WthorError, WthorFile, parse_wthor
from fanqi.train.compiled import compiled
from fanqi.train.positions import Positions, concatenate

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["row_weights", "wthor_games", "wthor_positions"]

BLACK = np.uint64(START_BLACK)
WHITE = np.uint64(START_WHITE)
NOISE_EMPTIES = (24, 28, 32, 36, 40, 50, 60)
NOISE_WEIGHTS = (1.0, 0.47, 0.27, 0.23, 0.20, 0.17, 0.17)
"""Weights of rows by empty squares: the square of an evaluation's RMS error on results of self-play over that on these
labels, both held out (docs/training.md), times 1.0 at 24 falling to 0.6 from 32 on."""


@compiled
def replay(
    moves: Any,
    result: Any,
    theoretical: Any,
    depth: Any,
    own_out: Any,
    opponent_out: Any,
    label_out: Any,
    game_out: Any,
    first_game: Any,
) -> Any:
    """Write the positions before each move of every game; returns (rows written, games that break off illegally)."""
    rows, broken = 0, 0
    for game in range(len(moves)):
        own, opponent, sign = BLACK, WHITE, 1
        for ply in range(60):
            code = moves[game, ply]
            if code == 0:
                break
            row, column = code // 10 - 1, code % 10 - 1
            if not (0 <= row < 8 and 0 <= column < 8):
                broken += 1
                break
            square = np.int64(row * 8 + column)
            flipped = flips(own, opponent, square)
            if flipped == 0:  # the mover passed
                own, opponent, sign = opponent, own, -sign
                flipped = flips(own, opponent, square)
                if flipped == 0:
                    broken += 1
                    break
            score = theoretical[game] if 60 - ply >= depth else result[game]
            own_out[rows], opponent_out[rows] = own, opponent
            label_out[rows] = sign * (2 * np.int64(score) - 64)
            game_out[rows] = first_game + game
            rows += 1
            own, opponent = opponent & ~flipped, own | flipped | (np.uint64(1) << np.uint64(square))
            sign = -sign
    return rows, broken


def row_weights(empties: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a position with a theoretical score counts in a fit, by its number of empty squares."""
    return np.interp(empties, NOISE_EMPTIES, NOISE_WEIGHTS).astype(np.float32)


def wthor_files(directory: Path) -> list[tuple[Path, WthorFile]]:
    """All ``.wtb`` files of a directory, in the order of their names.

    Raises:
        WthorError: there is none, or one is damaged; the message names it.
    """
    paths = sorted(directory.glob("*.wtb"))
    if not paths:
        raise WthorError(f"{directory}: no .wtb file there")
    files = []
    for path in paths:
        try:
            files.append((path, parse_wthor(path.read_bytes())))
        except WthorError as error:
            raise WthorError(f"{path}: {error}") from error
    return files


def wthor_games(directory: Path) -> NDArray[np.uint8]:
    """(games, 60): the moves of all games as squares 0 to 63, 255 after the last one.

    Raises:
        WthorError: as for `wthor_positions`.
    """
    codes = np.concatenate([file.games["moves"] for _, file in wthor_files(directory)]).astype(np.int64)
    squares = 8 * (codes // 10 - 1) + codes % 10 - 1
    return np.where(codes == 0, 255, squares).astype(np.uint8)


def wthor_positions(directory: Path, first_game: int = 0) -> Positions:
    """All positions of all ``.wtb`` files of a directory, in the order of their names.

    Raises:
        WthorError: there is none, or one is damaged; the message names it.
    """
    parts = []
    for _, file in wthor_files(directory):
        games = file.games
        room = 60 * len(games)
        own, opponent = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
        label, game = np.zeros(room, np.float32), np.zeros(room, np.int64)
        moves: NDArray[np.uint8] = np.ascontiguousarray(games["moves"])
        rows, _ = replay(
            moves,
            np.ascontiguousarray(games["black_discs"]),
            np.ascontiguousarray(games["black_theoretical"]),
            file.header.depth,
            own,
            opponent,
            label,
            game,
            first_game,
        )
        unweighted = Positions(own[:rows], opponent[:rows], label[:rows], np.ones(rows, np.float32), game[:rows])
        parts.append(dataclasses.replace(unweighted, weight=row_weights(unweighted.empties)))
        first_game += len(games)
    return concatenate(parts)
