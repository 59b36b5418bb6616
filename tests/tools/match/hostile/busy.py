"""Burns processor time while it is not its turn."""

import threading

from common import Engine


def burn() -> None:
    while True:
        sum(range(1000))


threading.Thread(target=burn, daemon=True).start()
Engine().run()
