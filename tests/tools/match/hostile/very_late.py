"""Thinks on after its time, and answers only in the next game, were it not stopped before."""

import time

from common import Engine


class VeryLate(Engine):
    def on_go(self) -> None:
        if self.moves_made == 3:
            time.sleep(0.9)
        super().on_go()


VeryLate().run()
