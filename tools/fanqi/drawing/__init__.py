"""Boards for people: on a terminal, and as SVG pictures, one by one or many to a page."""

from fanqi.drawing.pieces import BANQI_NAMES, banqi_name
from fanqi.drawing.small import board_symbols, small_board
from fanqi.drawing.style import page_style
from fanqi.drawing.svg import board_svg
from fanqi.drawing.terminal import Marks, board_text

__all__ = [
    "BANQI_NAMES",
    "Marks",
    "banqi_name",
    "board_svg",
    "board_symbols",
    "board_text",
    "page_style",
    "small_board",
]
