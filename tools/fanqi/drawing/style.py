"""What all pages look like: colours for light and dark, type, cards, tables; and boards where there are any."""

from __future__ import annotations

from importlib import resources

__all__ = ["board_script", "page_style"]


def page_style(*, boards: bool = False) -> str:
    """The style sheet that a page begins with.

    Args:
        boards: with what `fanqi.drawing.small_board` needs.
    """
    folder = resources.files("fanqi.drawing") / "page"
    names = ["base.css", *(["boards.css"] if boards else [])]
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def board_script() -> str:
    """The script of the board, for pages that play games: ``OTHELLO`` and ``BANQI`` with states, moves and pictures."""
    return (resources.files("fanqi.drawing") / "page" / "board.js").read_text(encoding="utf-8")
