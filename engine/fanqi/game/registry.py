"""Finding a game by name without importing the other one, nor any game before it is needed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from fanqi.game.position import Game

__all__ = ["GAME_NAMES", "load_game"]

GAME_NAMES = ("othello", "banqi")


def load_game(name: str) -> Game:
    """The game called ``name``. Imports numba and that game's kernels, so it takes up to a second the first time.

    Raises:
        KeyError: there is no such game.
    """
    if name not in GAME_NAMES:
        raise KeyError(name)
    return cast("Game", importlib.import_module(f"fanqi.{name}").GAME)
