"""What the endgame tables say of a banqi position, for the referee."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, cast

import numpy as np

from fanqi.banqi.state import KINDS, LIVE, TURN
from fanqi.banqi.tables.retrograde import LOSS
from fanqi.banqi.tables.store import shipped_tables

if TYPE_CHECKING:
    from fanqi.banqi import Position as BanqiPosition
    from fanqi.game import Player, Position

__all__ = ["decided", "table_byte"]


def decided(position: Position) -> tuple[Player | None, int] | None:
    """The result that both sides can hold, and the plies to the next capture or the end; None if no table knows it.

    Asked is only of positions that the tables are exact for: nothing covered, no chase count running, no repetition
    rule. A win that needs more quiet plies than are left is a draw.
    """
    board = cast("BanqiPosition", position)
    _, covered, _, quiet, chase = position.fen().split()
    if covered != "-" or chase != "-" or board.rules.repetition:
        return None
    value = table_byte(board)
    if value is None:
        return None
    left = board.rules.no_progress - int(quiet)
    if value == 0 or value % LOSS > left:
        return None, left
    winner = position.turn.other if value >= LOSS else position.turn
    return winner, value % LOSS


def table_byte(position: BanqiPosition) -> int | None:
    """The byte of `fanqi.banqi.tables.retrograde` for a position; None without a table for its men."""
    state = position.state
    index = shipped_tables().index
    signature = int(state[LIVE])
    row = int(np.searchsorted(index[:, 0], signature))
    if row == len(index) or int(index[row, 0]) != signature:
        return None
    address, order = int(index[row, 1]), int(index[row, 2])
    place = int(int(state[TURN]) != order >> 20 & 1)
    mirror = 0
    boards: dict[int, int] = {}
    for number in range(order >> 16 & 15):
        piece = order >> 4 * number & 15
        board = boards.get(piece, int(state[KINDS + piece]))
        square = (board & -board).bit_length() - 1
        boards[piece] = board & (board - 1)
        if number == 0:
            mirror = (3 if square & 2 else 0) ^ (28 if square & 16 else 0)
            square ^= mirror
            place = place * 8 + (square >> 2 & 3) * 2 + (square & 1)
        else:
            place = place * 32 + (square ^ mirror)
    return ctypes.string_at(address + place, 1)[0]
