"""What lies behind each move of a position, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.othello_book import canonical

if TYPE_CHECKING:
    from fanqi.othello import Position
    from fanqi.othello_book import Book

__all__ = ["MoveRow", "sizes_after"]


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One move of a position and those symmetric to it.

    Attributes:
        moves: in canonical notation, sorted.
        value: hundredths of a disc from the view of who makes it.
        depth, selectivity: plies to the end of the search behind the value, and that search's certainty in percent.
        positions: of the book that can be reached by it; 0 for the drop-out move.
        line: the best play after it, the move itself left out.
    """

    moves: tuple[str, ...]
    value: int
    depth: int
    selectivity: int
    positions: int
    line: tuple[str, ...]


def sizes_after(book: Book, position: Position) -> list[MoveRow]:
    """The moves of a position of the book, best first; empty for any other."""
    advice = book.advice(position)
    index = book.find(*canonical(position.own, position.opponent))
    if advice is None or index is None:
        return []
    entry = book.entry(index)
    groups: dict[tuple[int, int], list[str]] = {}
    for move in advice.moves:
        after = position.play(move.move)
        groups.setdefault(canonical(after.own, after.opponent), []).append(move.move)
    by_name = {move.move: move for move in advice.moves}
    rows = []
    for names in groups.values():
        move = by_name[names[0]]
        if move.linked:
            line, depth, selectivity = book.line(position, names[0])
            rows.append(
                MoveRow(tuple(names), move.value, depth, selectivity, reachable(book, position, names[0]), line[1:])
            )
        else:
            rows.append(MoveRow(tuple(names), move.value, entry.depth, entry.selectivity, 0, ()))
    return rows


def reachable(book: Book, position: Position, move: str) -> int:
    """How many positions of the book can be reached by a move."""
    seen: set[tuple[int, int]] = set()
    waiting = [position.play(move)]
    while waiting:
        reached = waiting.pop()
        key = canonical(reached.own, reached.opponent)
        if key in seen or book.find(*key) is None:
            continue
        seen.add(key)
        advice = book.advice(reached)
        waiting.extend(
            reached.play(known.move) for known in (advice.moves if advice is not None else ()) if known.linked
        )
    return len(seen)
