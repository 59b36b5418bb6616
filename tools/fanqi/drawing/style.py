"""What all pages look like: colours for light and dark, type, cards, tables; and boards where there are any."""

from __future__ import annotations

from importlib import resources

__all__ = ["page_style"]


def page_style(*, boards: bool = False) -> str:
    """The style sheet that a page begins with.

    Args:
        boards: with what `fanqi.drawing.small_board` needs.
    """
    folder = resources.files("fanqi.drawing") / "page"
    names = ["base.css", *(["boards.css"] if boards else [])]
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)
