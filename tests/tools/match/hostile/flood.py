"""Floods the host with info lines and forgets the time."""

import os

from common import Engine


class Flooder(Engine):
    def on_go(self) -> None:
        block = b"info depth 1 score cp 1 nodes 1 time 1 pv f5\n" * 1000
        while True:
            os.write(1, block)


Flooder().run()
