"""What the person sees: the board after every move, and a line for everything that happens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from fanqi.drawing import Marks, banqi_name, board_text
from fanqi.game import Player

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from fanqi.banqi import Position as BanqiPosition
    from fanqi.game import Position
    from fanqi.play.table import Table

__all__ = ["Screen"]

KEY = re.compile(r"(?:\x1b\[|\x9b)(?:\[.|[0-?]*[ -/]*[@-~]|)|\x1b(?:O.|.|)")
"""What a function key sends: a control sequence (also that of the Linux console), or an escape and a character."""


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

    def board(self, table: Table, person: Player) -> None:
        """The board, on a clean page of a terminal, the last move, and what the person plays."""
        if self.console.is_terminal:
            self.console.clear()
        self.console.print()
        legal = table.position.legal_moves() if table.game.name == "othello" else ()
        self.console.print(board_text(table.game.name, table.position, Marks(table.last, legal, self.letters)))
        if table.last:
            before = table.before_last
            who = "you" if before.turn is person else "Fanqi"
            self.say(f"Last move: {who}, {self.square_words(table.last, before)}")
        self.say(f"You are {self.seat_words(table, person)}.")
        self.console.print()

    def say(self, text: str, style: str = "") -> None:
        """A line."""
        self.console.print(text, style=style, soft_wrap=True, markup=False)

    def ask(self, prompt: str) -> str:
        """A line from the person, without what a stray key adds to it.

        Raises:
            EOFError: there is no more input.
        """
        line = KEY.sub("", self._ask(f"{prompt} ")).replace("\t", " ")
        return "".join(filter(str.isprintable, line)).strip()

    def seat_words(self, table: Table, person: Player) -> str:
        """What a person plays: the colour, in banqi once there is one."""
        if table.game.name == "othello":
            return ("Black", "White")[person - 1]
        first = cast("BanqiPosition", table.position).colour(Player.P1)
        seat = ("first", "second")[person - 1]
        if first is None:
            return f"the {seat} player; the first piece that is turned up decides the colours"
        return ("red", "black")[first if person is Player.P1 else 1 - first]

    def square_words(self, move: str, position: Position) -> str:
        """A move with what it did to a man: ``b8-a8 captures P``, ``b8 shows P``, ``f5``."""
        if move == "pass":
            return "pass"
        square, _, letter = move.partition("=")
        if letter:
            return f"{square} shows {banqi_name(letter, letters=self.letters)}"
        if len(move) == 2:
            return move
        taken = cast("BanqiPosition", position).piece(move[2:])
        captured = "" if taken == "." else f" captures {banqi_name(taken, letters=self.letters)}"
        return f"{move[:2]}-{move[2:]}{captured}"

    def move_words(self, move: str, position: Position) -> str:
        """A move as one would say it."""
        if move == "pass":
            return "passes"
        square, _, letter = move.partition("=")
        if letter:
            return f"turns up {banqi_name(letter, letters=self.letters)} on {square}"
        return f"plays {self.square_words(move, position).replace(' captures', ' and captures')}"
