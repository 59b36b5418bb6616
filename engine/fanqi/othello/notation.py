"""Othello's texts: squares, moves and positions, as pure functions between ``str`` and integers.

Squares are numbered row by row from the top left, as in every Othello program::

       a  b  c  d  e  f  g  h
    1  0  1  2  3  4  5  6  7
    2  8  9 10 11 12 13 14 15
    …
    8 56 57 58 59 60 61 62 63

and bit ``1 << square`` of a bitboard stands for that square. The number 64 is the pass.
"""

from __future__ import annotations

from fanqi.game import MoveError, Player, PositionError, quoted

__all__ = [
    "PASS",
    "PASS_TEXT",
    "format_board",
    "format_move",
    "format_squares",
    "parse_board",
    "parse_move",
    "squares_of",
]

PASS = 64
PASS_TEXT = "pass"
PASS_SPELLINGS = frozenset({"pass", "pa", "ps", "--", "0000", "@@@@"})

BLACK_CELLS = "Xx*Bb"
WHITE_CELLS = "OoWw0"
EMPTY_CELLS = "-._"

MOVE_NAMES = (*(f"{'abcdefgh'[square % 8]}{square // 8 + 1}" for square in range(64)), PASS_TEXT)
MOVE_NUMBERS = {name: number for number, name in enumerate(MOVE_NAMES)}


def format_move(move: int) -> str:
    """``f5`` for 37, ``pass`` for 64."""
    return MOVE_NAMES[move]


def parse_move(text: str) -> int:
    """The number of a move written in any way Fanqi reads: ``f5``, ``F5``, ``pass``, ``PA``, ``ps``, ``--``,
    ….

    Raises:
        MoveError: it is no square and no spelling of the pass.
    """
    lowered = text.lower()
    if lowered in PASS_SPELLINGS:
        return PASS
    number = MOVE_NUMBERS.get(lowered)
    if number is None:
        raise MoveError(text, "not a move; expected a square a1 to h8, or pass")
    return number


def squares_of(bits: int) -> list[int]:
    """The squares of a bitboard in the order of their names (a1, a2, …, h8)."""
    return sorted((square for square in range(64) if bits >> square & 1), key=MOVE_NAMES.__getitem__)


def format_squares(bits: int) -> tuple[str, ...]:
    """The names of the squares of a bitboard, sorted."""
    return tuple(MOVE_NAMES[square] for square in squares_of(bits))


def format_board(black: int, white: int, turn: Player) -> str:
    """Sixty-four cells from a1 to h8 (``X`` black, ``O`` white, ``-`` empty), a blank, the side to move."""
    cells = ("X" if black >> square & 1 else "O" if white >> square & 1 else "-" for square in range(64))
    return f"{''.join(cells)} {'X' if turn is Player.P1 else 'O'}"


def parse_board(text: str) -> tuple[int, int, Player]:
    """Black's discs, White's discs and the side to move.

    Black may be written ``X x * B b``, White ``O o W w 0``, an empty square ``- . _``. Blanks anywhere are
    skipped, as in the ``BO`` field of a GGF record, and so is a semicolon at the end, as in an OBF line.

    Raises:
        PositionError: wrong length, or a character that is none of these (its place is named).
    """
    cells = "".join(text.split()).removesuffix(";")
    if len(cells) != 65:
        found = f"{len(cells)} characters" if len(cells) != 64 else "64 cells and no side to move"
        raise PositionError(text, f"expected 64 cells and the side to move, found {found}")
    black = white = 0
    for square, cell in enumerate(cells[:64]):
        if cell in BLACK_CELLS:
            black |= 1 << square
        elif cell in WHITE_CELLS:
            white |= 1 << square
        elif cell not in EMPTY_CELLS:
            raise PositionError(text, f"cell {square + 1} ({MOVE_NAMES[square]}) is {cell!r}; expected X, O or -")
    side = cells[64]
    if side in BLACK_CELLS:
        return black, white, Player.P1
    if side in WHITE_CELLS:
        return black, white, Player.P2
    raise PositionError(text, f"the side to move is {quoted(side)}; expected X or O")
