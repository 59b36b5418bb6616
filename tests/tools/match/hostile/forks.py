"""Leaves a child behind that holds its pipes, and dies in the middle of a game."""

import os
import time

from common import Engine, note_pid


class Parent(Engine):
    def on_go(self) -> None:
        if self.moves_made == 2:
            if os.fork() == 0:
                note_pid()
                while True:
                    time.sleep(1)
            os._exit(1)
        super().on_go()


Parent().run()
