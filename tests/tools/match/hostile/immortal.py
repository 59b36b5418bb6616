"""Ignores `quit`, the end of its input, and SIGTERM."""

import signal
import time

from common import Engine


class Immortal(Engine):
    def on_quit(self) -> None:
        pass


signal.signal(signal.SIGTERM, signal.SIG_IGN)
Immortal().run()
while True:
    time.sleep(1)
