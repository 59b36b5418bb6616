"""What the person sees: the board after every move, and a line for everything that happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.drawing import Marks, banqi_name, board_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from fanqi.game import Position
    from fanqi.play.table import Table

__all__ = ["Screen"]


class Screen:
    """Draws on a rich console and asks for lines.

    Args:
        console: where.
        ask: reads a line after a prompt; raises EOFError at the end of the input.
        letters: letters instead of discs and Chinese characters.
    """

    def __init__(self, console: Console, ask: Callable[[str], str], *, letters: bool = False) -> None:
        self.console = console
        self._ask = ask
        self.letters = letters

    def board(self, table: Table) -> None:
        """The board, on a clean page of a terminal."""
        if self.console.is_terminal:
            self.console.clear()
        self.console.print()
        legal = table.position.legal_moves() if table.game.name == "othello" else ()
        self.console.print(board_text(table.game.name, table.position, Marks(table.last, legal, self.letters)))
        self.console.print()

    def say(self, text: str, style: str = "") -> None:
        """A line."""
        self.console.print(text, style=style, soft_wrap=True, markup=False)

    def ask(self, prompt: str) -> str:
        """A line from the person, without what a stray key adds to it.

        Raises:
            EOFError: there is no more input.
        """
        line = self._ask(f"{prompt} ").replace("\t", " ")
        return "".join(filter(str.isprintable, line)).strip()

    def move_words(self, move: str, position: Position) -> str:
        """A move as one would say it."""
        if move == "pass":
            return "passes"
        square, _, letter = move.partition("=")
        if letter:
            name = banqi_name(letter, letters=self.letters)
            return f"turns up {name} on {square}"
        return f"plays {move}" if len(move) == 2 else f"plays {move[:2]}-{move[2:]}"
