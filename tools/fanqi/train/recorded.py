"""Training positions from game records in any format that Fanqi reads, labelled with the result of the game.

A game counts if its record says by how many discs it ended, or if it was played to its end; positions after which
somebody resigned or lost on time say nothing about the discs and are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.game import GameError, Player
from fanqi.othello import Position
from fanqi.records import RecordError, parse_records
from fanqi.train.positions import Positions

if TYPE_CHECKING:
    from pathlib import Path

    from fanqi.records import GameRecord

__all__ = ["recorded_positions"]

UNPLAYED = ("resigned", "time")


def game_rows(record: GameRecord) -> list[tuple[int, int, float]]:
    """(own, opponent, label) before each move that was not a pass; empty for old Reversi and other games, and
    where the record says no number of discs."""
    if record.game != "othello" or record.rules:
        return []
    position = Position() if record.start is None else Position.from_fen(record.start)
    seen = []
    for played in record.moves:
        if played.move != "pass":
            seen.append((position.own, position.opponent, position.turn))
        position = position.play(played.move)
    if (outcome := position.outcome()) is not None:
        margin: float | None = outcome.margin
    elif record.result is not None and record.result.reason not in UNPLAYED:
        margin = record.result.margin
    else:
        margin = None
    if margin is None:
        return []
    return [(own, opponent, margin if turn is Player.P1 else -margin) for own, opponent, turn in seen]


def recorded_positions(path: Path, first_game: int = 0) -> Positions:
    """The positions of all games of a file.

    Args:
        path: of GGF, SGF, PGN, WTHOR, transcripts or JSON lines.
        first_game: number of its first game among all sources.

    Raises:
        RecordError: the file cannot be read, or a game in it; the message names both.
    """
    own: list[int] = []
    opponent: list[int] = []
    label: list[float] = []
    game: list[int] = []
    try:
        for number, record in enumerate(parse_records(path.read_bytes())):
            if isinstance(record, RecordError):
                raise record
            for row in game_rows(record):
                own.append(row[0])
                opponent.append(row[1])
                label.append(row[2])
                game.append(first_game + number)
    except (RecordError, GameError) as error:
        raise RecordError(f"{path}: {error}") from None
    return Positions(
        np.array(own, np.uint64),
        np.array(opponent, np.uint64),
        np.array(label, np.float32),
        np.ones(len(own), np.float32),
        np.array(game, np.int64),
    )
