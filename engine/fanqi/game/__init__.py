"""What the two games have in common: positions, results, the face that sessions, referees and searches use."""

from fanqi.game.errors import DepthError, GameError, MoveError, PositionError, QuestionError, RulesError
from fanqi.game.features import FEATURES, Features, game_of_rules
from fanqi.game.position import Game, Outcome, Player, Position
from fanqi.game.quoting import quoted
from fanqi.game.registry import GAME_NAMES, load_game

__all__ = [
    "FEATURES",
    "GAME_NAMES",
    "DepthError",
    "Features",
    "Game",
    "GameError",
    "MoveError",
    "Outcome",
    "Player",
    "Position",
    "PositionError",
    "QuestionError",
    "RulesError",
    "game_of_rules",
    "load_game",
    "quoted",
]
