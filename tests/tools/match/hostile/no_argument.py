"""Says `bestmove` and leaves out the move."""

from common import Engine


class Forgetful(Engine):
    def on_go(self) -> None:
        self.say("bestmove")


Forgetful().run()
