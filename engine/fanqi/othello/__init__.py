"""Othello 8x8: rules, scoring conventions, search.

Importing this package imports numba; the search is imported when an engine is first asked for.
"""

from fanqi.othello.board import Position
from fanqi.othello.game import GAME, OthelloGame
from fanqi.othello.scoring import DEFAULT_SCORING, SCORINGS, final_discs, final_margin

__all__ = ["DEFAULT_SCORING", "GAME", "SCORINGS", "OthelloGame", "Position", "final_discs", "final_margin"]
