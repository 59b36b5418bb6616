"""Ends when its first game is over, long before the next one begins."""

import sys

from common import Engine


class OneGame(Engine):
    def on_new_game(self) -> None:
        if self.games == 2:
            sys.exit(0)


OneGame().run()
