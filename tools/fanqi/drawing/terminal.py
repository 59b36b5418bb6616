"""Boards on a terminal, drawn with rich: colours where there are some, and readable without."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.text import Text

from fanqi.drawing.pieces import banqi_name, captured_letters

if TYPE_CHECKING:
    from fanqi.game import Position

__all__ = ["Marks", "board_text"]

GREEN = "on #1f7a45"
GREEN_MARKED = "on #c9a227"
WOOD = "on #e8c88c"
WOOD_MARKED = "on #d69d3c"

OTHELLO_SIGNS = {"X": "●", "O": "○", "-": " ", "+": "·"}
OTHELLO_LETTERS = {"X": "X", "O": "O", "-": "-", "+": "+"}
OTHELLO_STYLES = {"X": "bold black", "O": "bold white", "-": "white", "+": "#9fd8b5"}


@dataclass(frozen=True, slots=True)
class Marks:
    """What to point out on a board.

    Attributes:
        last: the move that led here, canonical.
        legal: squares to play on, marked where they are empty.
        letters: letters instead of discs and Chinese characters, for terminals that cannot show them.
    """

    last: str = ""
    legal: Collection[str] = field(default_factory=tuple)
    letters: bool = False

    @property
    def squares(self) -> tuple[str, ...]:
        """The squares of the last move."""
        move = self.last.partition("=")[0]
        return tuple(move[at : at + 2] for at in range(0, len(move), 2)) if move != "pass" else ()


def board_text(game: str, position: Position, marks: Marks | None = None) -> Text:
    """The board with coordinates and what there is to know about it, without a newline at the end."""
    found = marks or Marks()
    return othello_text(position, found) if game == "othello" else banqi_text(position, found)


def othello_text(position: Position, marks: Marks) -> Text:
    cells, side, *hand = position.fen().split()
    signs = OTHELLO_LETTERS if marks.letters else OTHELLO_SIGNS
    text = Text("   a b c d e f g h\n", style="bold")
    for row in range(8):
        text.append(f" {row + 1} ", style="bold")
        for column in range(8):
            square = f"{'abcdefgh'[column]}{row + 1}"
            cell = "+" if square in marks.legal else cells[8 * row + column]
            back = GREEN_MARKED if square in marks.squares else GREEN
            text.append(signs[cell], style=f"{OTHELLO_STYLES[cell]} {back}")
            text.append(" ", style=GREEN)
        text.append("\n")
    black, white = cells.count("X"), cells.count("O")
    text.append(f"   {signs['X']} Black {black}   {signs['O']} White {white}   ")
    if position.legal_moves():
        text.append(f"{'Black' if side == 'X' else 'White'} to move", style="bold")
    else:
        text.append("game over", style="bold")
    if hand:  # old Reversi
        text.append("\n   in hand: Black {}, White {}".format(*position.facts("hand").split()))
    return text


def banqi_text(position: Position, marks: Marks) -> Text:
    fen = position.fen()
    board, hidden, turn, quiet, chase = fen.split()
    wide = not marks.letters
    text = Text("    a  b  c  d\n" if wide else "    a b c d\n", style="bold")
    for row, cells in enumerate(board.split("/")):
        rank = 8 - row
        text.append(f"  {rank} ", style="bold")
        for column, cell in enumerate(cells):
            square = f"{'abcd'[column]}{rank}"
            back = WOOD_MARKED if square in marks.squares else WOOD
            text.append(banqi_cell(cell, letters=marks.letters), style=f"{banqi_style(cell)} {back}")
            text.append(" ", style=WOOD)
        text.append("\n")
    for name, lost in zip(("red", "black"), captured_letters(fen), strict=True):
        if lost:
            shown = "".join(banqi_name(letter, letters=marks.letters) for letter in lost)
            text.append(f"    captured from {name}: {shown}\n")
    if hidden != "-":
        shown = " ".join(
            f"{banqi_name(letter, letters=marks.letters)}{hidden.count(letter)}" for letter in dict.fromkeys(hidden)
        )
        text.append(f"    covered: {shown}\n")
    if chase != "-":
        text.append(f"    chases: {chase}\n")
    sides = {"r": "red to move", "b": "black to move"}
    over = not position.legal_moves()
    text.append("    game over" if over else f"    {sides.get(turn, 'nobody has a colour yet')}", style="bold")
    text.append(f"   quiet plies {quiet}")
    return text


def banqi_cell(cell: str, *, letters: bool) -> str:
    """Two columns wide with characters, one with letters."""
    if cell == ".":
        return "." if letters else " ·"
    if cell == "X":
        return "?" if letters else "▒▒"
    return banqi_name(cell, letters=letters)


def banqi_style(cell: str) -> str:
    if cell in ".X":
        return "#8a6d3b"
    return "bold #b3261e" if cell.isupper() else "bold black"
