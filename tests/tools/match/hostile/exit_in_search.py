"""Dies by a signal while it searches."""

import os
import signal

from common import Engine


class Crasher(Engine):
    def on_go(self) -> None:
        if self.moves_made == 2:
            os.kill(os.getpid(), signal.SIGSEGV)
        super().on_go()


Crasher().run()
