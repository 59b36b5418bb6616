"""Fairy-Stockfish's ``flipello``: Othello in a chess program's notation.

The first mover (Othello's Black) is White there, discs are dropped as ``P@f4``, and ranks count from the bottom, so
that rank r is Othello's row 9 - r. A pass is the mover's own lowest square twice (``b2b2``; lowest rank first, then
file, in Fairy-Stockfish's squares), and is written out like any other move. Positions are in `fanqi.records.fen`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fanqi.dialects.errors import DialectError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fanqi.othello import Position

__all__ = [
    "VARIANT",
    "format_flipello_move",
    "format_flipello_moves",
    "mirror_square",
    "parse_flipello_move",
    "pass_square",
]

VARIANT = "flipello"
DROP = re.compile(r"[Pp]@([a-h])([1-8])")
PASSES = re.compile(r"([a-h][1-8])\1|@@@@|0000|pass", re.IGNORECASE)


def mirror_square(square: str) -> str:
    """``f4`` for ``f5`` and the other way round."""
    return f"{square[0]}{9 - int(square[1])}"


def parse_flipello_move(text: str) -> str:
    """The move in our notation: ``f5`` for ``P@f4``, ``pass`` for the same square twice.

    Also read are the null move ``0000`` and XBoard's ``@@@@`` as passes. Legality is not looked at.

    Raises:
        DialectError: it is neither a drop nor a pass.
    """
    if drop := DROP.fullmatch(text):
        return mirror_square(drop[1] + drop[2])
    if PASSES.fullmatch(text):
        return "pass"
    raise DialectError("not a move; expected one like P@f4, or a square twice for a pass", text)


def format_flipello_move(move: str, own: int) -> str:
    """A canonical move as Fairy-Stockfish writes it.

    Args:
        move: ``f5`` or ``pass``.
        own: bitboard of the mover's discs, at least one.
    """
    if move == "pass":
        square = pass_square(own)
        return square + square
    return f"P@{mirror_square(move)}"


def format_flipello_moves(position: Position, moves: Iterable[str]) -> list[str]:
    """A line of canonical moves as Fairy-Stockfish writes them, from a position on.

    Raises:
        fanqi.game.MoveError: one of them is not legal.
    """
    written = []
    for move in moves:
        for ply in position.expand(move):
            written.append(format_flipello_move(ply, position.own))
            position = position.play(ply)
    return written


def pass_square(own: int) -> str:
    """The mover's lowest square in Fairy-Stockfish's notation: Othello's lowest row, then the file nearest to a.

    Raises:
        DialectError: the mover has no disc, so there is no way to write a pass.
    """
    for row in range(7, -1, -1):
        if discs := own >> 8 * row & 0xFF:
            file = (discs & -discs).bit_length() - 1
            return f"{'abcdefgh'[file]}{8 - row}"
    raise DialectError("a side without discs cannot write a pass")
