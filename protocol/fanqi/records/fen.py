"""Othello positions written as a chess program's FEN.

Two notations look alike. *Edax's* counts rows as Othello does (the first rank of the text is row 8), ``p`` is Black,
``P`` White, the side to move ``b`` or ``w``. *Fairy-Stockfish's* ``flipello`` is a chess player's: the first mover is
White, written ``P`` and ``w``, so it is Othello's Black, and its ranks run the other way (rank r is row 9 - r). Only
Fairy-Stockfish's has a pocket in square brackets, and that tells them apart.
"""

from __future__ import annotations

import re

from fanqi.game import Player, PositionError, quoted
from fanqi.othello.notation import format_board, parse_board

REST = re.compile(r"-|[0-9]{1,9}|[KQkq]{1,4}")
"""What a chess FEN has behind the side to move: castling, en passant, clocks."""

__all__ = ["format_edax_fen", "format_flipello_fen", "parse_fen"]


def parse_fen(text: str, mirrored: bool | None = None) -> str:
    """The position in `fanqi.game.Game.parse`'s notation.

    Args:
        mirrored: whether it is Fairy-Stockfish's; None if the brackets tell.

    Raises:
        PositionError: not eight ranks of eight squares, no side to move, or more behind it than a FEN has.
    """
    fields = text.split()
    if len(fields) < 2:
        raise PositionError(text, "a FEN is a board and a side to move")
    board, bracket, _ = fields[0].partition("[")
    flipello = bool(bracket) if mirrored is None else mirrored
    rows = [expand_rank(text, rank) for rank in board.rstrip("/").split("/")]
    if len(rows) != 8:
        raise PositionError(text, f"{len(rows)} ranks; expected 8")
    if fields[1] not in ("b", "w"):
        raise PositionError(text, f"the side to move is {quoted(fields[1])}; expected b or w")
    for rest in fields[2:]:
        if not REST.fullmatch(rest):
            raise PositionError(text, f"{quoted(rest)} behind a FEN; expected - or a number")
    # the first rank of the text is rank 8: Othello's row 8 for Edax, its row 1 in Fairy-Stockfish's mirror
    cells = "".join(rows if flipello else reversed(rows))
    black = "P" if flipello else "p"
    side = "X" if fields[1] == ("w" if flipello else "b") else "O"
    return "".join("-" if cell == "-" else "X" if cell == black else "O" for cell in cells) + f" {side}"


def expand_rank(text: str, rank: str) -> str:
    """Eight cells of ``P``, ``p`` and ``-``."""
    cells = "".join("-" * int(sign) if sign in "12345678" else sign for sign in rank)
    if len(cells) != 8 or cells.strip("Pp-"):
        raise PositionError(text, f"rank {quoted(rank)}; expected eight squares of p, P and digits")
    return cells


def format_edax_fen(position: str) -> str:
    """A position as Edax writes it into a PGN file."""
    return f"{ranks(position, black='p', mirrored=False)} {'b' if position[-1] == 'X' else 'w'} - - 0 1"


def format_flipello_fen(position: str) -> str:
    """A position as Fairy-Stockfish's ``flipello`` takes it.

    Each side has a disc in hand for every empty square, as Fairy-Stockfish has it at the start.
    """
    black, white, turn = parse_board(position)
    empties = 64 - (black | white).bit_count()
    pocket = "P" * empties + "p" * empties
    side = "w" if turn is Player.P1 else "b"
    cells = format_board(black, white, turn)
    return f"{ranks(cells, black='P', mirrored=True)}[{pocket}] {side} 0 1"


def ranks(position: str, *, black: str, mirrored: bool) -> str:
    """The board part: empty squares as digits."""
    signs = {"X": black, "O": black.swapcase(), "-": "-"}
    rows = ["".join(signs[cell] for cell in position[first : first + 8]) for first in range(0, 64, 8)]
    out = []
    for row in rows if mirrored else reversed(rows):
        for count in range(8, 0, -1):
            row = row.replace("-" * count, str(count))
        out.append(row)
    return "/".join(out)
