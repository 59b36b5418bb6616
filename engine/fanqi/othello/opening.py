"""When the engine plays from its book instead of searching, and which move."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING

from fanqi.othello.certainty import final_deviation
from fanqi.othello.chances import chances
from fanqi.search import Info, SearchResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.othello.board import Position
    from fanqi.othello_book import Book, BookMove
    from fanqi.search import Control, Limits, Settings

__all__ = ["Opening"]

SHOWN_MOVES = 8
TIMED_DEPTH = 16
"""A book that has looked less deep is not asked for a move against the clock: a search of a tenth of a second sees as
much, and chooses among all moves."""


class Opening:
    """One engine's use of its book.

    A game is what lies between two calls of `new_game`; with `Settings.book_variety` each draws its own lots, and the
    same seed gives the same games in the same order.
    """

    def __init__(self) -> None:
        self._games = 0
        self._refused: str | None = None  # the file that could not be read, and was complained about

    def new_game(self) -> None:
        """The next moves are of another game."""
        self._games += 1

    def load(self, settings: Settings) -> None:
        """Read the book that the settings name. What is wrong with it is told when it is asked for a move."""
        if settings.own_book:
            from fanqi.othello_book import BookError, shared_book

            with suppress(BookError):
                shared_book(settings.book_path)

    def answer(
        self, position: Position, limits: Limits, settings: Settings, control: Control, on_info: Callable[[Info], None]
    ) -> SearchResult | None:
        """The book's answer to a search, None where there has to be one.

        A book that cannot be read is told of once, and then done without.
        """
        if not uses_book(settings, limits):
            return None
        book = self._book(settings.book_path, on_info)
        advice = None if book is None else book.advice(position)
        if book is None or advice is None:
            return None
        # what the book cannot tell apart it may choose from; what is worse for certain it never plays
        margin = min(settings.book_variety, book.error)
        needed = TIMED_DEPTH if limits.depth is None else limits.depth
        lines = {move: book.line(position, move.move) for move in advice.within(margin)}
        certain = limits.certainty or 0
        candidates = tuple(move for move, (_, deep, sure) in lines.items() if deep >= needed and sure >= certain)
        # if the best move is the drop-out move, nobody has looked behind it, and the search sees further
        if not candidates or candidates[0].value < advice.value:
            return None
        chosen = self._draw(position, settings, candidates) if margin > 0 else candidates[0]
        line, depth, selectivity = lines[chosen]
        info = Info(
            depth=depth,
            seldepth=depth,
            selectivity=selectivity,
            score_cp=chosen.value,
            wdl=chances(chosen.value, 0.0, final_deviation(depth, position.empties)),
            time_ms=int(control.elapsed_ms()),
            pv=line,
            text=describe(candidates),
        )
        on_info(info)
        return SearchResult(line[0], line[1] if len(line) > 1 else None, (info,))

    def _book(self, path: str, on_info: Callable[[Info], None]) -> Book | None:
        from fanqi.othello_book import BookError, shared_book  # few sessions ever ask for it

        if path == self._refused:
            return None
        try:
            book = shared_book(path)
        except BookError as error:
            self._refused = path
            on_info(Info(text=f"{error}; playing without a book"))
            return None
        self._refused = None
        return book

    def _draw(self, position: Position, settings: Settings, candidates: tuple[BookMove, ...]) -> BookMove:
        """One of the moves by lot; symmetric ones count as one."""
        dice = random.Random(f"{settings.seed} {self._games} {position.fen()}")
        return dice.choices(candidates, [1 / move.twins for move in candidates])[0]


def uses_book(settings: Settings, limits: Limits) -> bool:
    """Whether a move is to be played, in the game the book was made for.

    What asks for an analysis is always searched: ``infinite``, nodes, chosen root moves, an exact solution, several
    lines.
    """
    if not settings.own_book or settings.multipv > 1 or settings.objective != "most" or settings.draw_line:
        return False
    analysed = limits.infinite or limits.nodes is not None or limits.moves is not None or limits.solve is not None
    timed = limits.movetime_ms is not None or limits.clock is not None or limits.depth is not None
    return timed and not analysed


def describe(moves: tuple[BookMove, ...]) -> str:
    """The moves there were to choose from, with their values in discs."""
    shown = " ".join(f"{move.move} {move.value / 100:+.2f}" for move in moves[:SHOWN_MOVES])
    return f"book {shown}{' …' if len(moves) > SHOWN_MOVES else ''}"
