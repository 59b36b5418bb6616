"""Games analysed move by move: the search behind it, the figures, and the ways of showing them."""

from fanqi.analysis.review import GameReview, Line, MoveReview, review_game
from fanqi.analysis.scale import SCALES, Scale
from fanqi.analysis.searcher import Searcher, Stopped
from fanqi.analysis.terms import Plan, Terms
from fanqi.analysis.totals import PHASES, PlayerTotals, Totals, totals_of

__all__ = [
    "PHASES",
    "SCALES",
    "GameReview",
    "Line",
    "MoveReview",
    "Plan",
    "PlayerTotals",
    "Scale",
    "Searcher",
    "Stopped",
    "Terms",
    "Totals",
    "review_game",
    "totals_of",
]
