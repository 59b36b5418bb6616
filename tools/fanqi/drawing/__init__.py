"""Boards for people: on a terminal, and as SVG pictures."""

from fanqi.drawing.pieces import BANQI_NAMES, banqi_name
from fanqi.drawing.svg import board_svg
from fanqi.drawing.terminal import Marks, board_text

__all__ = ["BANQI_NAMES", "Marks", "banqi_name", "board_svg", "board_text"]
