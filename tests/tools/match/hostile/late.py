"""Answers, but too late; after the third move."""

import time

from common import Engine


class Late(Engine):
    def on_go(self) -> None:
        if self.moves_made == 3:
            time.sleep(0.45)
        super().on_go()


Late().run()
