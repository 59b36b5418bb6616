"""Closes its standard output in the middle of a game and lives on."""

import os
import time

from common import Engine


class Mute(Engine):
    def on_go(self) -> None:
        if self.moves_made == 2:
            os.close(1)
            while True:
                time.sleep(1)
        super().on_go()


Mute().run()
