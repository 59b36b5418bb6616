"""Prints on its standard error without end while it plays well."""

import os
import threading

from common import Engine


def complain() -> None:
    block = b"this is most unusual\n" * 3000
    while True:
        os.write(2, block)


threading.Thread(target=complain, daemon=True).start()
Engine().run()
