"""Boards for people: on a terminal, and as SVG pictures, one by one or many to a page."""

from fanqi.drawing.pieces import BANQI_NAMES, ENDINGS, banqi_name, captured_letters, ending_words
from fanqi.drawing.scores import expected_score
from fanqi.drawing.small import board_symbols, small_board
from fanqi.drawing.style import board_script, page_style
from fanqi.drawing.svg import board_svg
from fanqi.drawing.terminal import Marks, board_text

__all__ = [
    "BANQI_NAMES",
    "ENDINGS",
    "Marks",
    "banqi_name",
    "board_script",
    "board_svg",
    "board_symbols",
    "board_text",
    "captured_letters",
    "ending_words",
    "expected_score",
    "page_style",
    "small_board",
]
