"""Whether a book keeps its promises: what reading alone cannot tell, because it takes the rules and the whole graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.book.graph import Graph
from fanqi.othello_book import NO_MOVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.othello_book import Book

__all__ = ["faults"]


def faults(book: Book) -> Iterator[str]:
    """What is wrong with a book, one sentence a fault.

    Every link must be a legal move to a position of the book, every such move must be linked, the drop-out move must be
    legal and lead out of the book, and every value must be the best of its links' and the drop-out move's.
    """
    columns, graph = book.columns, Graph.of(book.columns)
    for number in range(len(graph)):
        entry = book.entry(number)
        key = graph.key(number)
        after = graph.successors([key])
        known = {
            move
            for own, opponent, move in zip(
                after.own.tolist(), after.opponent.tolist(), after.move.tolist(), strict=True
            )
            if (own, opponent) in graph
        }
        if set(entry.links) != known:
            yield f"position {number + 1}: linked are {sorted(entry.links)}, in the book are {sorted(known)}"
        open_ = set(after.move.tolist()) - known
        if (entry.move == NO_MOVE) is bool(open_) or (entry.move != NO_MOVE and entry.move not in open_):
            yield f"position {number + 1}: the drop-out move is {entry.move}, open are {sorted(open_)}"
    values = graph.values()
    for number in np.nonzero(values != columns.value.astype(np.int64))[0].tolist():
        said, best = int(columns.value[number]), int(values[number])
        yield f"position {number + 1}: its value is {said}, its moves' best {best}"
