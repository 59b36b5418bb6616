"""A book in memory: what it says about a position, in that position's own orientation."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from fanqi.othello_book.columns import NO_MOVE, PASS, Columns
from fanqi.othello_book.file import BookHead, parse_book, read_book
from fanqi.othello_book.symmetry import canonical, square_before, symmetries_to

__all__ = ["Advice", "Book", "BookMove", "Entry", "packaged_book", "shared_book"]

MAX_LINE = 128


class Board(Protocol):
    """What a book asks of an Othello position; `fanqi.othello.Position` is one."""

    @property
    def own(self) -> int: ...
    @property
    def opponent(self) -> int: ...
    def legal_moves(self) -> tuple[str, ...]: ...
    def play(self, move: str) -> Self: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """One position as the columns have it; see `Columns`."""

    value: int
    move: int
    score: int
    depth: int
    selectivity: int
    links: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move a book has a score for.

    Attributes:
        move: canonical notation.
        value: hundredths of a disc, from the view of who makes it.
        linked: whether the position after it is in the book. A move that is not is the drop-out move.
        twins: how many moves are symmetric to it, itself included.
    """

    move: str
    value: int
    linked: bool
    twins: int = 1


@dataclass(frozen=True, slots=True)
class Advice:
    """What a book says about a position.

    Attributes:
        value: of the position, hundredths of a disc from the view of the side to move.
        moves: best first, those of equal value by name; empty where the game is over.
    """

    value: int
    moves: tuple[BookMove, ...]

    def within(self, discs: float) -> tuple[BookMove, ...]:
        """The linked moves whose value is at most so much below that of the position, best first."""
        return tuple(move for move in self.moves if move.linked and move.value >= self.value - round(100 * discs))


class Book:
    """See the module. Never changed once made, so that threads may share it."""

    def __init__(self, head: BookHead, columns: Columns) -> None:
        self.head = head
        self.columns = columns
        self._first_link = np.concatenate([np.zeros(1, np.int64), np.cumsum(columns.count, dtype=np.int64)])

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def error(self) -> float:
        """The stated error in discs; 0 where none has been measured."""
        return self.head.error or 0.0

    def find(self, own: int, opponent: int) -> int | None:
        """The index of a position in canonical form."""
        columns = self.columns
        first = int(np.searchsorted(columns.own, np.uint64(own), "left"))
        last = int(np.searchsorted(columns.own, np.uint64(own), "right"))
        index = first + int(np.searchsorted(columns.opponent[first:last], np.uint64(opponent), "left"))
        return index if index < last and int(columns.opponent[index]) == opponent else None

    def entry(self, index: int) -> Entry:
        """The facts about the position of that index."""
        columns = self.columns
        links = columns.links[self._first_link[index] : self._first_link[index + 1]]
        return Entry(
            int(columns.value[index]),
            int(columns.move[index]),
            int(columns.score[index]),
            int(columns.depth[index]),
            int(columns.selectivity[index]),
            tuple(int(link) for link in links),
        )

    def value(self, position: Board) -> int | None:
        """The score of a position of the book for its side to move, None of any other."""
        index = self.find(*canonical(position.own, position.opponent))
        return None if index is None else int(self.columns.value[index])

    def advice(self, position: Board) -> Advice | None:
        """What the book says about a position, None if it is not in the book.

        Every move is legal and named once, whatever the file says.
        """
        least, symmetries = symmetries_to(position.own, position.opponent)
        index = self.find(*least)
        if index is None:
            return None
        entry, legal = self.entry(index), position.legal_moves()
        moves: dict[str, BookMove] = {}
        for link in entry.links:
            twins = images_before(link, symmetries, legal)
            # symmetric moves lead to the same position of the book
            value = self.value(position.play(twins[0])) if twins else None
            if value is not None:
                moves |= {name: BookMove(name, -value, True, len(twins)) for name in twins}
        if entry.move != NO_MOVE:
            twins = images_before(entry.move, symmetries, legal)
            moves = {name: BookMove(name, entry.score, False, len(twins)) for name in twins} | moves
        return Advice(entry.value, tuple(sorted(moves.values(), key=lambda move: (-move.value, move.move))))

    def line(self, position: Board, first: str) -> tuple[tuple[str, ...], int, int]:
        """The book's line from a linked move on.

        Returns:
            its moves, the depth in plies from ``position`` to the end of the search behind its score, and the
            selectivity of that search.
        """
        moves, plies, move = [first], 0, first
        while True:
            plies += move != "pass"
            position = position.play(move)
            index = self.find(*canonical(position.own, position.opponent))
            advice = self.advice(position)
            if index is None or advice is None:
                return tuple(moves), plies, 0
            entry = self.entry(index)
            if not advice.moves or len(moves) >= MAX_LINE:
                return tuple(moves), plies + entry.depth, entry.selectivity
            best = advice.moves[0]
            move = best.move
            moves.append(move)
            if not best.linked:
                return tuple(moves), plies + entry.depth, entry.selectivity


def images_before(move: int, symmetries: tuple[int, ...], legal: tuple[str, ...]) -> list[str]:
    """The legal moves that become ``move`` under one of the symmetries, sorted."""
    names = {name_of(square_before(symmetry, move)) for symmetry in symmetries}
    return sorted(names.intersection(legal))


def name_of(move: int) -> str:
    """``f5`` for 37, ``pass`` for `PASS`."""
    return "pass" if move == PASS else f"{'abcdefgh'[move % 8]}{move // 8 + 1}"


def packaged_book() -> Book:
    """The book that comes with the program.

    Raises:
        BookError: it is missing or damaged.
    """
    return load(None)


def shared_book(path: str) -> Book:
    """A book by its path, "" for the packaged one; read once as long as the file does not change.

    Raises:
        BookError: it cannot be read; the message names it.
    """
    if not path:
        return load(None)
    try:
        state = Path(path).stat()
    except (OSError, ValueError):
        return Book(*read_book(Path(path)))  # says what is wrong
    return load(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=4)
def load(path: str | None, *_state: int) -> Book:
    if path is None:
        return Book(*parse_book(resources.files("fanqi.othello_book").joinpath("data", "book.msgpack").read_bytes()))
    return Book(*read_book(Path(path)))
