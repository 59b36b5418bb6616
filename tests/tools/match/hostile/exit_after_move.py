"""Ends after its second answer."""

import sys

from common import Engine


class Tired(Engine):
    def on_go(self) -> None:
        super().on_go()
        if self.moves_made == 1:
            sys.exit(0)


Tired().run()
