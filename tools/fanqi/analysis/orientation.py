"""One of the eight ways to lay an Othello board: games that are images of each other are searched as one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.othello import Position
from fanqi.othello_book import SYMMETRIES, apply_symmetry, square_under

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fanqi.game import Position as AnyPosition
    from fanqi.records import GameRecord
    from fanqi.search import Info

__all__ = ["Orientation", "image_between", "orientation_of", "turned_move"]

INVERSES = (0, 1, 2, 3, 4, 6, 5, 7)
"""Of each symmetry; all but the two quarter turns are their own."""


def turned_move(symmetry: int, move: str) -> str:
    """The image of an Othello move; a pass is its own."""
    if len(move) != 2:
        return move
    square = square_under(symmetry, "abcdefgh".index(move[0]) + 8 * int(move[1]) - 8)
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


class Orientation:
    """Positions and moves of a game as they are searched, and lines of the search as the game has them.

    Args:
        symmetry: of the board; 0 leaves all as it is, as banqi needs.
    """

    def __init__(self, symmetry: int = 0) -> None:
        self._there, self._back = symmetry, INVERSES[symmetry]

    def position(self, position: AnyPosition) -> AnyPosition:
        """The image of a position of the game."""
        if not self._there or not isinstance(position, Position):
            return position
        black, white = (apply_symmetry(self._there, bits) for bits in (position.black, position.white))
        return Position(black, white, position.turn, position.ply)

    def moves(self, moves: Iterable[str] | None) -> tuple[str, ...] | None:
        """The images of moves of the game."""
        return None if moves is None else tuple(turned_move(self._there, move) for move in moves)

    def back(self, move: str) -> str:
        """The move of the game whose image this is."""
        return turned_move(self._back, move) if self._there else move

    def line_back(self, info: Info) -> Info:
        """A line of the search as one of the game."""
        return replace(info, pv=tuple(map(self.back, info.pv))) if self._there else info


def orientation_of(record: GameRecord, boards: Sequence[AnyPosition]) -> Orientation:
    """The orientation in which a game is the least of its images: start first, then move by move."""
    start = boards[0]
    if record.rules or not isinstance(start, Position):
        return Orientation()

    def image(symmetry: int) -> tuple[int, int, list[str]]:
        moves = [turned_move(symmetry, played.move) for played in record.moves]
        return apply_symmetry(symmetry, start.black), apply_symmetry(symmetry, start.white), moves

    return Orientation(min(SYMMETRIES, key=image))


def image_between(position: AnyPosition, move: str, other: str) -> int | None:
    """The symmetry under which the position after ``move`` becomes that after ``other``, if there is one (Othello)."""
    if not isinstance(position, Position):
        return None
    after, wanted = position.play(move), position.play(other)
    for symmetry in SYMMETRIES:
        if (apply_symmetry(symmetry, after.own), apply_symmetry(symmetry, after.opponent)) == (
            wanted.own,
            wanted.opponent,
        ):
            return symmetry
    return None
