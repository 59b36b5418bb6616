"""Leaves a process in a session of its own that ignores SIGTERM and SIGHUP; with ``--crash`` it then dies at its third
move."""

import os
import signal
import sys
import time

from common import Engine, note_pid


class Starter(Engine):
    def on_go(self) -> None:
        if "--crash" in sys.argv and self.moves_made == 2:
            os._exit(1)
        super().on_go()


def leave_a_daemon() -> None:
    """Returns when the daemon runs."""
    ready, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            note_pid()
            for descriptor in (0, 1, 2, tell):
                os.close(descriptor)
            while True:
                time.sleep(1)
        os._exit(0)
    os.close(tell)
    os.read(ready, 1)


leave_a_daemon()
Starter().run()
