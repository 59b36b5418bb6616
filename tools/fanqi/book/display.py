"""A book on a terminal: what it is, what it says of a position, how far a work on it has got."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from fanqi.book.tree import sizes_after
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fanqi.othello import Position
    from fanqi.othello_book import Book, BookHead

__all__ = ["head_table", "moves_table", "plies_table", "progress_bar"]


def head_table(head: BookHead, positions: int) -> Table:
    """What a book says about itself; what a stranger wrote there is neither markup nor control characters."""
    table = Table("book", "", show_header=False)
    table.add_row("positions", f"{positions:,}")
    table.add_row("stated error", "not measured" if head.error is None else f"{head.error:.2f} discs")
    for name, value in head.provenance.items():
        table.add_row(Text(shown(name.replace("_", " "))), Text(shown(str(value), 400)))
    return table


def plies_table(book: Book) -> Table:
    """How many positions there are after each number of moves."""
    plies = np.bitwise_count(book.columns.own | book.columns.opponent).astype(np.int64) - 4
    table = Table("moves", "positions")
    for column in table.columns:
        column.justify = "right"
    for ply, count in enumerate(np.bincount(plies).tolist()):
        if count:
            table.add_row(str(ply), f"{count:,}")
    return table


def moves_table(book: Book, position: Position) -> Table:
    """The moves of a position, symmetric ones in one row."""
    advice = book.advice(position)
    assert advice is not None
    table = Table(
        "move", "value", "depth", "selectivity", "positions", "line", title=f"value {advice.value / 100:+.2f}"
    )
    for column in table.columns[1:5]:
        column.justify = "right"
    for row in sizes_after(book, position):
        table.add_row(
            " ".join(row.moves),
            f"{row.value / 100:+.2f}",
            str(row.depth),
            f"{row.selectivity} %",
            f"{row.positions:,}" if row.positions else "not in the book",
            " ".join(row.line),
        )
    return table


@contextlib.contextmanager
def progress_bar(title: str, total: int | None, unit: str) -> Iterator[Callable[[int], None]]:
    """A rich progress bar; the value is a function that takes what is done so far. Without a total it pulses."""
    columns = (
        TextColumn("{task.description}", markup=False),  # the name of a file may be anything
        BarColumn(),
        TextColumn("{task.fields[done]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as bar:
        task = bar.add_task(title, total=total, done="")

        def tell(done: int) -> None:
            text = f"{done:,} {unit}" if total is None else f"{done:,} of {total:,} {unit}"
            bar.update(task, completed=min(done, total) if total is not None else done, done=text)

        yield tell
