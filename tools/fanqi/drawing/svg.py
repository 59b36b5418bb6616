"""Boards as SVG: one self-contained picture, no script, no outside font or file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from fanqi.drawing.pieces import BANQI_NAMES, captured_letters
from fanqi.drawing.terminal import Marks

if TYPE_CHECKING:
    from fanqi.game import Position

__all__ = ["board_svg"]

CELL = 50
MARGIN = 30
SANS = "font-family=\"'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\""
CHINESE = "font-family=\"'Noto Serif CJK TC', 'Songti TC', PMingLiU, 'Noto Sans CJK TC', serif\""

GRADIENTS = """<defs>
<radialGradient id="b" cx="35%" cy="30%" r="80%"><stop offset="0" stop-color="#5a5a5a"/><stop offset="0.5" stop-color="#1c1c1c"/><stop offset="1" stop-color="#050505"/></radialGradient>
<radialGradient id="w" cx="35%" cy="30%" r="85%"><stop offset="0" stop-color="#ffffff"/><stop offset="0.7" stop-color="#ececec"/><stop offset="1" stop-color="#bdbdbd"/></radialGradient>
<radialGradient id="p" cx="40%" cy="35%" r="75%"><stop offset="0" stop-color="#fff7e6"/><stop offset="1" stop-color="#ecd3a2"/></radialGradient>
<radialGradient id="c" cx="40%" cy="35%" r="75%"><stop offset="0" stop-color="#b98b55"/><stop offset="1" stop-color="#8a5f30"/></radialGradient>
</defs>"""  # noqa: E501


def board_svg(
    game: str, position: Position, marks: Marks | None = None, title: str = "", numbers: Mapping[str, int] | None = None
) -> str:
    """A picture of a position.

    Args:
        game: ``othello`` or ``banqi``.
        position: what to draw.
        marks: the last move and the legal squares, as far as they are to be shown.
        title: a line above the board.
        numbers: Othello: the number of the move on each square, written on its disc as in printed diagrams.
    """
    found = marks or Marks()
    if game == "othello":
        return othello_svg(position, found, title, numbers or {})
    return banqi_svg(position, found, title)


def frame(width: int, height: int, body: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">'
    )
    return "\n".join((head, GRADIENTS, f'<rect width="{width}" height="{height}" fill="#faf8f4"/>', *body, "</svg>\n"))


def words(x: float, y: float, content: str, size: int = 14, attributes: str = 'text-anchor="middle"') -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" {SANS} {attributes}>{escape(content)}</text>'


def rectangle(x: float, y: float, width: float, height: float, attributes: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {attributes}/>'


def header(title: str, width: int) -> tuple[list[str], int]:
    """The title line, and where the board begins below it."""
    if not title:
        return [], MARGIN
    size = max(9, min(15, int(1.6 * width / max(len(title), 1))))  # a long title gets smaller, not cut
    return [words(width / 2, 22, title, size, 'text-anchor="middle" font-weight="600" fill="#222"')], MARGIN + 20


# ----------------------------------------------------------------------------------------------------- Othello


def othello_svg(position: Position, marks: Marks, title: str, numbers: Mapping[str, int]) -> str:
    cells, side = position.fen().split()[:2]
    width = 8 * CELL + 2 * MARGIN
    body, top = header(title, width)
    body.append(rectangle(MARGIN, top, 8 * CELL, 8 * CELL, 'fill="#1f7a45" stroke="#0c3d21" stroke-width="2"'))
    for step in range(1, 8):
        at, low, high = step * CELL, top, top + 8 * CELL
        body.append(f'<path d="M{MARGIN + at} {low}V{high}M{MARGIN} {top + at}h{8 * CELL}" stroke="#0c3d21"/>')
    for column in (2, 6):
        for row in (2, 6):
            body.append(f'<circle cx="{MARGIN + column * CELL}" cy="{top + row * CELL}" r="4" fill="#0c3d21"/>')
    body += coordinates(MARGIN, top, "abcdefgh", "12345678")
    for index, cell in enumerate(cells):
        column, row = index % 8, index // 8
        square = f"{'abcdefgh'[column]}{row + 1}"
        x, y = MARGIN + column * CELL + CELL / 2, top + row * CELL + CELL / 2
        if cell != "-":
            body.append(othello_disc(x, y, cell, numbers.get(square), marked=square in marks.squares))
        elif square in marks.legal:
            body.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="#d9f2e3" fill-opacity="0.7"/>')
    bottom = top + 8 * CELL + 36
    over = not position.legal_moves()
    state = "Game over" if over else f"{'Black' if side == 'X' else 'White'} to move"
    body.append(f'<circle cx="{MARGIN + 12}" cy="{bottom - 5}" r="10" fill="url(#b)"/>')
    body.append(words(MARGIN + 28, bottom, str(cells.count("X")), 16, 'fill="#222"'))
    body.append(f'<circle cx="{MARGIN + 78}" cy="{bottom - 5}" r="10" fill="url(#w)" stroke="#999"/>')
    body.append(words(MARGIN + 94, bottom, str(cells.count("O")), 16, 'fill="#222"'))
    body.append(words(width - MARGIN, bottom, state, 16, 'text-anchor="end" fill="#222"'))
    return frame(width, bottom + 16, body)


def othello_disc(x: float, y: float, cell: str, number: int | None, *, marked: bool) -> str:
    edge = ' stroke="#000" stroke-opacity="0.35"' if cell == "O" else ""
    disc = f'<circle cx="{x:g}" cy="{y:g}" r="21" fill="url(#{"b" if cell == "X" else "w"})"{edge}/>'
    ink = "#fff" if cell == "X" else "#111"
    if number is not None:
        weight = ' font-weight="700"' if marked else ""
        disc += words(x, y + 6, str(number), 17, f'text-anchor="middle" fill="{"#e5533d" if marked else ink}"{weight}')
    elif marked:
        disc += f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="#e5533d"/>'
    return disc


def coordinates(left: int, top: int, files: str, ranks: str) -> list[str]:
    """Letters above, numbers on the left, ``ranks`` from the top."""
    style = 'text-anchor="middle" fill="#555"'
    letters = [words(left + (at + 0.5) * CELL, top - 8, file, 13, style) for at, file in enumerate(files)]
    return letters + [words(left - 14, top + (at + 0.5) * CELL + 5, rank, 13, style) for at, rank in enumerate(ranks)]


# ------------------------------------------------------------------------------------------------------- banqi


def banqi_svg(position: Position, marks: Marks, title: str) -> str:
    fen = position.fen()
    board, hidden, turn, quiet, chase = fen.split()
    left, panel = MARGIN, 4 * CELL + 2 * MARGIN
    width = panel + 190
    body, top = header(title, width)
    body.append(rectangle(left, top, 4 * CELL, 8 * CELL, 'fill="#e3bd7f" stroke="#6b4a1f" stroke-width="2"'))
    for row, cells in enumerate(board.split("/")):
        for column, cell in enumerate(cells):
            x, y = left + column * CELL, top + row * CELL
            marked = f"{'abcd'[column]}{8 - row}" in marks.squares
            fill = "#f2d27a" if marked else "none"
            body.append(rectangle(x, y, CELL, CELL, f'fill="{fill}" stroke="#6b4a1f" stroke-opacity="0.6"'))
            if cell != ".":
                body.append(banqi_piece(x + CELL / 2, y + CELL / 2, cell))
    body += coordinates(left, top, "abcd", "87654321")
    body += banqi_panel(panel, top, fen, position, (hidden, turn, quiet, chase))
    return frame(width, top + 8 * CELL + 24, body)


def banqi_piece(x: float, y: float, cell: str, radius: float = 21) -> str:
    if cell == "X":
        return (
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="url(#c)" stroke="#5b3c17"/>'
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius * 0.7:g}" fill="none" stroke="#5b3c17" stroke-opacity="0.5"/>'
        )
    ink = "#b3261e" if cell.isupper() else "#1b1b1b"
    size = radius * 1.25
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="url(#p)" stroke="#7a5a2b"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius * 0.84:g}" fill="none" stroke="{ink}" stroke-width="1.2"/>'
        f'<text x="{x:g}" y="{y + size * 0.36:g}" font-size="{size:g}" {CHINESE} text-anchor="middle" '
        f'font-weight="700" fill="{ink}">{BANQI_NAMES[cell]}</text>'
    )


def banqi_panel(left: int, top: int, fen: str, position: Position, fields: tuple[str, str, str, str]) -> list[str]:
    """What is beside the board: whose turn it is, captured and covered men, quiet plies, chases."""
    hidden, turn, quiet, chase = fields
    sides = {"r": "Red to move", "b": "Black to move"}
    state = sides.get(turn, "First flip decides") if position.legal_moves() else "Game over"
    out = [words(left, top + 16, state, 16, 'font-weight="600" fill="#222"')]
    y = top + 42
    for name, lost in zip(("Captured from red", "Captured from black"), captured_letters(fen), strict=True):
        y = small_pieces(out, left, y, name, lost)
    y = small_pieces(out, left, y, "Still covered", hidden.replace("-", ""))
    out.append(words(left, y + 8, f"Quiet plies: {quiet}", 13, 'fill="#555"'))
    if chase != "-":
        out.append(words(left, y + 26, f"Chases: {chase.replace(',', ', ')}", 12, 'fill="#555"'))
    return out


def small_pieces(out: list[str], left: int, y: int, name: str, letters: str) -> int:
    """A heading and a few rows of small pieces; returns where the next heading goes."""
    out.append(words(left, y, f"{name}: {len(letters)}", 13, 'fill="#555"'))
    y += 18
    for at, letter in enumerate(letters):
        out.append(banqi_piece(left + 9 + at % 9 * 19, y + at // 9 * 20, letter, 8.5))
    return y + 20 * ((len(letters) + 8) // 9) + 14
