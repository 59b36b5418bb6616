"""A person against the engine on a terminal."""

from fanqi.play.dealer import Dealer
from fanqi.play.evening import Evening, Plan
from fanqi.play.opponent import Hint, Opponent
from fanqi.play.screen import Screen
from fanqi.play.strength import StrengthError, with_strength
from fanqi.play.table import Table

__all__ = ["Dealer", "Evening", "Hint", "Opponent", "Plan", "Screen", "StrengthError", "Table", "with_strength"]
