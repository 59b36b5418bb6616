"""Writes a line of ten megabytes before each answer."""

from common import Engine


class Verbose(Engine):
    def on_go(self) -> None:
        if self.moves_made < 3:
            self.say("x" * 10_000_000)
        super().on_go()


Verbose().run()
