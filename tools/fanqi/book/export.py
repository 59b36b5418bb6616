"""A book in forms that other programs read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fanqi.othello import Position
from fanqi.othello_book import canonical
from fanqi.records import Problem, format_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fanqi.othello_book import Book

__all__ = ["EXPORTS", "as_json", "as_obf", "as_transcripts"]


def as_transcripts(book: Book) -> Iterator[str]:
    """Lines of moves from the start position that pass through every position a link leads to from there.

    Every position is on one line only after its first branching: lines end where all that follows is on another.
    Passes are left out, as in all transcripts. `fanqi book import` makes a book of the same positions from them.
    """
    seen: set[tuple[int, int]] = set()
    # depth first, best moves first; each entry is a position and the moves to it
    waiting = [(Position(), "")]
    while waiting:
        position, moves = waiting.pop()
        key = canonical(position.own, position.opponent)
        if key in seen:
            continue
        seen.add(key)
        after = []
        advice = book.advice(position)
        for move in () if advice is None else advice.moves:
            if not move.linked:
                continue
            follower = position.play(move.move)
            if canonical(follower.own, follower.opponent) not in seen:
                after.append((follower, moves if move.move == "pass" else moves + move.move))
        if not after and moves:
            yield moves
        waiting.extend(reversed(after))


def positions_of(book: Book) -> Iterator[tuple[Position, int]]:
    """Every position with Black to move, in the order of the file, and its index."""
    columns = book.columns
    for index, (own, opponent) in enumerate(zip(columns.own.tolist(), columns.opponent.tolist(), strict=True)):
        yield Position(own, opponent), index


def as_json(book: Book) -> Iterator[str]:
    """One position a line: its board, its value, its moves and the search of the drop-out move; scores in discs."""
    for position, index in positions_of(book):
        entry, advice = book.entry(index), book.advice(position)
        assert advice is not None
        moves = [
            {"move": move.move, "value": move.value / 100, "linked": move.linked, "twins": move.twins}
            for move in advice.moves
        ]
        fields = {
            "position": position.fen(),
            "value": entry.value / 100,
            "moves": moves,
            "depth": entry.depth,
            "selectivity": entry.selectivity,
        }
        yield json.dumps(fields)


def as_obf(book: Book) -> Iterator[str]:
    """One position a line, and the values of its moves in discs."""
    for position, _ in positions_of(book):
        advice = book.advice(position)
        assert advice is not None
        yield format_problem(Problem(position.fen(), tuple((move.move, move.value / 100) for move in advice.moves)))


EXPORTS: dict[str, Callable[[Book], Iterator[str]]] = {
    "transcripts": as_transcripts,
    "json": as_json,
    "obf": as_obf,
}
