"""Boards for pages with hundreds of them: the parts once a page, then some hundred bytes a board.

Colours are those of ``page_style(boards=True)``, so boards follow the page into the dark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.drawing.pieces import BANQI_NAMES

if TYPE_CHECKING:
    from fanqi.drawing.terminal import Marks
    from fanqi.game import Position

__all__ = ["board_symbols", "small_board"]

CELL = 50
EDGE = 24
"""Left of the board and below it, for the coordinates."""


def board_symbols(games: set[str]) -> str:
    """The parts that `small_board` uses, to be put into a page once, before the first board."""
    parts = ['<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>']
    if "othello" in games:
        parts.append(othello_board())
    if "banqi" in games:
        parts.append(banqi_board())
        parts += [man(letter) for letter in BANQI_NAMES]
        parts.append(
            '<g id="m-X"><circle r="21" fill="#8a6a3b" stroke="#6d5128" stroke-width="2"/>'
            '<circle r="14" fill="none" stroke="#b08c55" stroke-width="1.5"/></g>'
        )
    parts.append("</defs></svg>")
    return "\n".join(parts)


def small_board(game: str, position: Position, marks: Marks, hint: str = "") -> str:
    """A position.

    Args:
        marks: the last move.
        hint: another move, whose target gets a ring.
    """
    if game == "othello":
        return othello(position, marks, hint)
    return banqi(position, marks, hint)


def grid(columns: int, left: int) -> str:
    width, height = columns * CELL, 8 * CELL
    upright = "".join(f"M{left + at * CELL} 0V{height}" for at in range(1, columns))
    level = "".join(f"M{left} {at * CELL}H{left + width}" for at in range(1, 8))
    return upright + level


def labels(files: str, ranks: str) -> str:
    style = 'text-anchor="middle" style="fill:var(--soft);font-size:15px"'
    below = [f'<text x="{EDGE + (at + 0.5) * CELL:g}" y="419" {style}>{name}</text>' for at, name in enumerate(files)]
    left = [f'<text x="10" y="{(at + 0.5) * CELL + 5:g}" {style}>{name}</text>' for at, name in enumerate(ranks)]
    return "".join(below + left)


def othello_board() -> str:
    dots = "".join(
        f'<circle cx="{EDGE + column * CELL}" cy="{row * CELL}" r="4" fill="var(--board-line)"/>'
        for column in (2, 6)
        for row in (2, 6)
    )
    return (
        f'<g id="othello-board"><rect x="{EDGE}" width="400" height="400" rx="4" fill="var(--board)"/>'
        f'<path d="{grid(8, EDGE)}" stroke="var(--board-line)" stroke-width="1.5"/>{dots}'
        f"{labels('abcdefgh', '12345678')}</g>"
    )


def banqi_board() -> str:
    return (
        f'<g id="banqi-board"><rect x="{EDGE}" width="200" height="400" rx="4" fill="#e6c48a" stroke="#8a6230"/>'
        f'<path d="{grid(4, EDGE)}" stroke="#8a6230" stroke-opacity=".6"/>{labels("abcd", "87654321")}</g>'
    )


def man(letter: str) -> str:
    ink = "#b3261e" if letter.isupper() else "#1d1d1d"
    return (
        f'<g id="m-{letter}"><circle r="21" fill="#f6e7c4" stroke="#a97f3f" stroke-width="2"/>'
        f'<circle r="17.5" fill="none" stroke="{ink}"/>'
        f'<text class="man" y="10" text-anchor="middle" style="fill:{ink};font-size:27px">'
        f"{BANQI_NAMES[letter]}</text></g>"
    )


def centre(column: int, row: int) -> tuple[int, int]:
    return EDGE + column * CELL + CELL // 2, row * CELL + CELL // 2


def othello(position: Position, marks: Marks, hint: str) -> str:
    cells, side = position.fen().split()[:2]
    paths = {"X": "", "O": ""}
    for index, cell in enumerate(cells):
        if cell in paths:
            x, y = centre(index % 8, index // 8)
            paths[cell] += f"M{x} {y}h.01"  # a line of no length with round ends: a disc
    body = ['<use href="#othello-board"/>']
    body += [f'<path class="{cell.lower()}" d="{path}"/>' for cell, path in paths.items() if path]
    for square in marks.squares:
        x, y = othello_centre(square)
        body.append(f'<circle class="last" cx="{x}" cy="{y}" r="6"/>')
    if len(hint) == 2:
        x, y = othello_centre(hint)
        body.append(f'<circle class="hint" cx="{x}" cy="{y}" r="17"/>')
    text = f"Black {cells.count('X')}, White {cells.count('O')}, {'Black' if side == 'X' else 'White'} to move"
    return picture(424, text, body)


def othello_centre(square: str) -> tuple[int, int]:
    return centre("abcdefgh".index(square[0]), int(square[1]) - 1)


def banqi_centre(square: str) -> tuple[int, int]:
    return centre("abcd".index(square[0]), 8 - int(square[1]))


def banqi(position: Position, marks: Marks, hint: str) -> str:
    rows = position.fen().split()[0].split("/")
    body = ['<use href="#banqi-board"/>']
    for square in marks.squares:
        x, y = banqi_centre(square)
        body.append(f'<rect class="from" x="{x - 25}" y="{y - 25}" width="50" height="50"/>')
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell != ".":
                x, y = centre(column, row)
                body.append(f'<use href="#m-{cell}" x="{x}" y="{y}"/>')
    if hint:
        x, y = banqi_centre(hint[-2:])
        body.append(f'<circle class="hint" cx="{x}" cy="{y}" r="22"/>')
    return picture(224, f"banqi board {'/'.join(rows)}", body)


def picture(width: int, text: str, body: list[str]) -> str:
    return f'<svg class="board" viewBox="0 0 {width + 2} 424" role="img" aria-label="{text}">{"".join(body)}</svg>'
