"""Reversi as it was played before Othello: the rules of 1890 and of 1886, with their positions and search.

Importing this package gives the rules; perft and search are imported by whoever needs them.
"""

from fanqi.othello.reversi.position import ReversiPosition
from fanqi.othello.reversi.rules import Rules

__all__ = ["ReversiPosition", "Rules"]
