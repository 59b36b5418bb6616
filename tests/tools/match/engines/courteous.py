"""An Othello engine with manners: arguments ``resign N`` and ``offer N`` (its N-th answer), ``accept`` (a draw)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "hostile"))

from common import Engine


class Courteous(Engine):
    def __init__(self, arguments: list[str]) -> None:
        super().__init__()
        self.accepts = "accept" in arguments
        self.word = {"resign": "resign", "offer": "draw"}.get(arguments[0], "") if arguments else ""
        self.at = int(arguments[1]) if self.word else 0

    def handle(self, words: list[str]) -> None:
        if words[0] == "draw":
            self.say("response accept" if self.accepts else "response decline")
        else:
            super().handle(words)

    def on_go(self) -> None:
        word = f" {self.word}" if self.moves_made + 1 == self.at else ""
        self.say(f"info depth 3 score cp {10 * self.moves_made} nodes 7 time 1 pv {self.best()}")
        self.say(f"bestmove {self.best()}{word}")


Courteous(sys.argv[1:]).run()
