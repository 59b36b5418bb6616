"""Gives every answer twice."""

from common import Engine


class Stutterer(Engine):
    def on_go(self) -> None:
        best = self.best()
        self.say(f"bestmove {best}\nbestmove {best}")


Stutterer().run()
