"""What every search takes and gives, whatever the game: limits in, typed info by callback, a handle to stop it.

No search prints, logs or reads a clock it was not given.
"""

from fanqi.search.control import Control
from fanqi.search.engine import Engine, EvaluationTerm, SearchResult, Settings
from fanqi.search.info import Bound, Info
from fanqi.search.limits import Clock, Limits, Solve
from fanqi.search.timing import Budget, allot

__all__ = [
    "Bound",
    "Budget",
    "Clock",
    "Control",
    "Engine",
    "EvaluationTerm",
    "Info",
    "Limits",
    "SearchResult",
    "Settings",
    "Solve",
    "allot",
]
