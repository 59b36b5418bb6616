"""Othello on every board of GGS: 4 to 14 squares wide, and 88, a 10x10 board without its corners.

Plain Python, since a referee needs a few thousand moves a second and no more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from fanqi.ggs_server.errors import RuleError
from fanqi.ggs_wire import BOARD_WIDTHS, Diagram, GameType, is_pass

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

__all__ = ["BLACK", "EMPTY", "WHITE", "Board", "other", "random_start", "standard_start"]

BLACK, WHITE, EMPTY, MISSING = "*O- "
DIRECTIONS = tuple((across, down) for down in (-1, 0, 1) for across in (-1, 0, 1) if across or down)


def other(colour: str) -> str:
    """The other colour."""
    return WHITE if colour == BLACK else BLACK


@dataclass(frozen=True, slots=True)
class Board:
    """A position.

    Attributes:
        width: squares in a row.
        cells: row by row from a1.
        turn: the side to move, also when the game is over.
    """

    width: int
    cells: str
    turn: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """A board from ``ROWS … TURN``, as `Diagram.ggf` writes it for boards with all their squares.

        Raises:
            RuleError: it is none.
        """
        *rows, turn = text.split(" ")
        width = len(rows)
        if any(len(row) != width for row in rows) or turn not in (BLACK, WHITE) or not width:
            raise RuleError(f"not a board: {text}")
        return cls(width, "".join(rows), turn)

    def diagram(self) -> Diagram:
        return Diagram(self.width, self.cells, self.turn)

    def square(self, move: str) -> int | None:
        """The index of a square such as ``f5``; None for a pass.

        Raises:
            RuleError: not a move, or off the board.
        """
        if is_pass(move):
            return None
        column, row = ord(move[0].lower()) - ord("a"), move[1:]
        if not (0 <= column < 14 and row.isascii() and row.isdigit() and len(row) <= 2 and 1 <= int(row) <= 14):
            raise RuleError("corrupt move")
        if column >= self.width or int(row) > self.width:
            raise RuleError("illegal move")
        return (int(row) - 1) * self.width + column

    def flips(self, square: int, colour: str) -> list[int]:
        """The discs that a disc of ``colour`` on an empty ``square`` would turn."""
        if self.cells[square] != EMPTY:
            return []
        turned: list[int] = []
        theirs = other(colour)
        row, column = divmod(square, self.width)
        for across, down in DIRECTIONS:
            line: list[int] = []
            x, y = column + across, row + down
            while 0 <= x < self.width and 0 <= y < self.width and self.cells[y * self.width + x] == theirs:
                line.append(y * self.width + x)
                x, y = x + across, y + down
            if line and 0 <= x < self.width and 0 <= y < self.width and self.cells[y * self.width + x] == colour:
                turned += line
        return turned

    def can_move(self, colour: str) -> bool:
        """Whether ``colour`` has a move that is no pass."""
        return any(self.flips(square, colour) for square in range(len(self.cells)))

    @property
    def finished(self) -> bool:
        return not self.can_move(self.turn) and not self.can_move(other(self.turn))

    def play(self, move: str) -> Self:
        """The position after a move or a pass of the side to move.

        Raises:
            RuleError: ``corrupt move`` or ``illegal move``.
        """
        square = self.square(move)
        if square is None:
            if self.can_move(self.turn):
                raise RuleError("illegal move")
            return replace(self, turn=other(self.turn))
        turned = self.flips(square, self.turn)
        if not turned:
            raise RuleError("illegal move")
        cells = list(self.cells)
        for at in (square, *turned):
            cells[at] = self.turn
        return replace(self, cells="".join(cells), turn=other(self.turn))

    @property
    def squares(self) -> int:
        """How many squares there are: the largest result."""
        return len(self.cells) - self.cells.count(MISSING)

    def margin(self, empties_count: bool = True) -> int:
        """Black's discs less White's; the empty squares go to who has more."""
        difference = self.cells.count(BLACK) - self.cells.count(WHITE)
        if empties_count and difference:
            difference += self.cells.count(EMPTY) * (1 if difference > 0 else -1)
        return difference


def empty_cells(board: int) -> list[str]:
    """No discs; on board 88 each corner lacks three squares."""
    width = BOARD_WIDTHS[board]
    cells = [EMPTY] * (width * width)
    if board == 88:
        last = width - 1
        for x, y in ((0, 0), (1, 0), (0, 1)):
            for across in (x, last - x):
                for down in (y, last - y):
                    cells[down * width + across] = MISSING
    return cells


def standard_start(board: int) -> Board:
    """Four discs in the middle, Black to move."""
    width = BOARD_WIDTHS[board]
    cells = empty_cells(board)
    low = width // 2 - 1
    for x, y, colour in ((0, 0, WHITE), (1, 0, BLACK), (0, 1, BLACK), (1, 1, WHITE)):
        cells[(low + y) * width + low + x] = colour
    return Board(width, "".join(cells), BLACK)


def near_corner(board: Board, square: int) -> bool:
    """Whether a square is a corner, next to one, or next to a square that is cut off."""
    row, column = divmod(square, board.width)
    edge = board.width - 1
    if min(row, edge - row) + min(column, edge - column) <= 1 or (row in (1, edge - 1) and column in (1, edge - 1)):
        return True
    around = ((row + down, column + across) for across, down in DIRECTIONS)
    return any(0 <= y <= edge and 0 <= x <= edge and board.cells[y * board.width + x] == MISSING for y, x in around)


def rings(board: Board) -> Iterator[list[int]]:
    """The squares that a random start may use, ring by ring from the centre."""
    middle = board.width // 2
    for distance in range(middle):
        ring = []
        for square in range(len(board.cells)):
            row, column = divmod(square, board.width)
            away = max(middle - 1 - row, row - middle, middle - 1 - column, column - middle, 0)
            if away == distance and board.cells[square] == EMPTY and not near_corner(board, square):
                ring.append(square)
        yield ring


def random_start(kind: GameType, source: random.Random) -> Board:
    """A random start with ``kind.random`` discs, as dense around the centre as they fit.

    Colours are random, one leading by at most a third of all discs; the side to move follows from their number; both
    sides can move.
    """
    discs = kind.random or 4
    blank = Board(BOARD_WIDTHS[kind.board], "".join(empty_cells(kind.board)), BLACK if discs % 2 == 0 else WHITE)
    while True:
        order: list[int] = []
        for ring in rings(blank):
            source.shuffle(ring)
            order += ring
        cells = list(blank.cells)
        for square in order[:discs]:
            cells[square] = source.choice((BLACK, WHITE))
        board = replace(blank, cells="".join(cells))
        balanced = abs(board.margin(empties_count=False)) * 3 <= discs
        if balanced and board.can_move(BLACK) and board.can_move(WHITE):
            return board
