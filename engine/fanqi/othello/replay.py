"""Replaying recorded games, by the thousand if need be: omitted passes put in, illegal moves found.

Records leave forced passes out (WTHOR, transcripts), write them (GGF, SGF), or do now one, now the other. A
*row* is one game: squares 0 to 63 and passes 64, numbered as in `fanqi.othello.notation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.game import Player
from fanqi.kernels import kernel
from fanqi.othello.board import START_BLACK, START_WHITE
from fanqi.othello.moves import bit, flips, legal_moves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["MAX_PLIES", "Replay", "Rows", "replay", "replay_rows"]

MAX_PLIES = 128  # sixty moves with a pass before each do not fill it


@dataclass(frozen=True, slots=True)
class Replay:
    """One game played through.

    Attributes:
        plies: the moves with every pass, as far as they are legal.
        taken: how many of the moves given are legal; the first illegal one has this index.
        black, white: bitboards after the last ply.
        turn: who would be to move.
        over: whether the game has ended.
    """

    plies: tuple[int, ...]
    taken: int
    black: int
    white: int
    turn: Player
    over: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """Many games played through, an array entry each.

    Attributes:
        plies: uint8 of (games, `MAX_PLIES`), the moves with every pass.
        lengths: how many of them count.
        taken: how many of the moves given are legal.
        boards: uint64 of (games, 2), Black's and White's discs at the end.
        turns: 1 or 2, who would be to move.
        over: whether neither side can move.
    """

    plies: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    taken: NDArray[np.int64]
    boards: NDArray[np.uint64]
    turns: NDArray[np.int64]
    over: NDArray[np.bool_]


@kernel
def replay_row(own: Any, opp: Any, squares: Any, count: Any, plies: Any) -> Any:
    """Play one row; returns (plies written, entries taken, own, opp), own being the side to move.

    Stops at the first entry that is no legal move. A pass in a finished game is taken but not written, since
    some writers end every game with one.
    """
    written, taken = 0, 0
    while taken < count:
        square = np.int64(squares[taken])
        turned = np.uint64(0)
        if square < 64 and ((own | opp) & bit(square)) == np.uint64(0):
            turned = flips(own, opp, square)
        if turned == np.uint64(0):
            if legal_moves(own, opp) != np.uint64(0):
                break
            replies = legal_moves(opp, own)
            if square > 64 or (square < 64 and (replies & bit(square)) == np.uint64(0)):
                break
            if square == 64:
                taken += 1
                if replies == np.uint64(0):
                    continue
            own, opp = opp, own
            plies[written] = 64
            written += 1
            if square == 64:
                continue
            turned = flips(own, opp, square)
        plies[written] = square
        written += 1
        taken += 1
        own, opp = opp & ~turned, own | turned | bit(square)
    return written, taken, own, opp


@kernel("void(uint64, uint64, uint8[:,::1], int64[::1], uint8[:,::1], int64[:,::1], uint64[:,::1])")
def replay_all(own: Any, opp: Any, rows: Any, counts: Any, plies: Any, ends: Any, boards: Any) -> None:
    """`replay_row` for every row, all from one position.

    ``ends`` takes (plies written, entries taken, 1 if the game is over), ``boards`` the side to move and the
    other.
    """
    for row in range(len(rows)):
        written, taken, mine, theirs = replay_row(own, opp, rows[row], counts[row], plies[row])
        ends[row, 0] = written
        ends[row, 1] = taken
        stuck = legal_moves(mine, theirs) == np.uint64(0) and legal_moves(theirs, mine) == np.uint64(0)
        ends[row, 2] = np.int64(1) if stuck else np.int64(0)
        boards[row, 0] = mine
        boards[row, 1] = theirs


def replay_rows(
    rows: NDArray[np.uint8],
    counts: NDArray[np.int64],
    black: int = START_BLACK,
    white: int = START_WHITE,
    turn: Player = Player.P1,
) -> Rows:
    """Play many games through from one position.

    Args:
        rows: (games, moves) squares and passes; entries beyond 64 are taken as illegal.
        counts: how many entries of each row count.
        black, white, turn: the position all of them start from.
    """
    games = len(rows)
    rows = np.ascontiguousarray(rows, np.uint8)
    if rows.shape[1] > MAX_PLIES:  # no legal game is longer: what is cut off would be illegal anyway
        rows = np.ascontiguousarray(rows[:, :MAX_PLIES])
    counts = np.minimum(np.ascontiguousarray(counts, np.int64), rows.shape[1])
    plies = np.zeros((games, 2 * MAX_PLIES), np.uint8)
    ends = np.zeros((games, 3), np.int64)
    boards = np.zeros((games, 2), np.uint64)
    own, opp = (black, white) if turn is Player.P1 else (white, black)
    replay_all(np.uint64(own), np.uint64(opp), rows, counts, plies, ends, boards)
    lengths = ends[:, 0]
    turns = np.where(lengths % 2 == 0, int(turn), int(turn.other))
    colours = np.where((turns == 1)[:, None], boards, boards[:, ::-1])
    return Rows(plies[:, :MAX_PLIES], lengths, ends[:, 1], colours, turns, ends[:, 2] != 0)


def replay(
    moves: Sequence[int], black: int = START_BLACK, white: int = START_WHITE, turn: Player = Player.P1
) -> Replay:
    """Play one game through.

    Args:
        moves: squares 0 to 63 and passes 64; anything else is illegal.
        black, white, turn: the position it starts from.
    """
    row = np.array([[move if 0 <= move <= 64 else 255 for move in moves[:MAX_PLIES]]], np.uint8)
    done = replay_rows(row, np.array([row.shape[1]], np.int64), black, white, turn)
    plies = tuple(done.plies[0, : done.lengths[0]].tolist())
    ended_black, ended_white = done.boards[0].tolist()
    return Replay(plies, int(done.taken[0]), ended_black, ended_white, Player(int(done.turns[0])), bool(done.over[0]))
