"""Takes a moment for each move. That is no offence; the opponent has to wait."""

import time

from common import Engine


class Slow(Engine):
    def on_go(self) -> None:
        time.sleep(0.06)
        super().on_go()


Slow().run()
