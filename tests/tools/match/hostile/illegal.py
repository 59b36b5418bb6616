"""Plays a move that is not legal."""

from common import Engine


class Cheat(Engine):
    def best(self) -> str:
        return "a1" if self.moves_made == 2 else super().best()


Cheat().run()
