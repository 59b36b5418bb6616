"""Answers with a move of another game."""

from common import Engine


class Confused(Engine):
    def best(self) -> str:
        return "b8a8"


Confused().run()
