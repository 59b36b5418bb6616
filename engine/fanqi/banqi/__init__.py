"""Banqi (Chinese dark chess): rules, engine, and its face towards sessions and referees."""

from fanqi.banqi.game import GAME, Banqi
from fanqi.banqi.position import Position
from fanqi.banqi.rules import Rules

__all__ = ["GAME", "Banqi", "Position", "Rules"]
