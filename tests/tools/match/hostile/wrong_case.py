"""Shouts its moves. That is no offence."""

from common import Engine


class Shouter(Engine):
    def best(self) -> str:
        return super().best().upper()


Shouter().run()
