"""What hostile engines have in common: an honest Othello player that a script can make misbehave.

Each script beside this one is one kind of misbehaviour. They write their process id to the folder named by the
environment variable HOSTILE_PIDS, if it is set, so that a test can see that none is left.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))

from instant import othello_moves


def note_pid() -> None:
    folder = os.environ.get("HOSTILE_PIDS")
    if folder:
        Path(folder, str(os.getpid())).touch()


def say(text: str, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


class Engine:
    """Answers as it should; a script overrides what it does wrong."""

    end = "\n"

    def __init__(self) -> None:
        self.position = ["position", "startpos"]
        self.moves_made = 0
        self.games = 0

    def run(self) -> None:
        note_pid()
        for line in sys.stdin:
            words = line.split()
            if words:
                self.handle(words)

    def handle(self, words: list[str]) -> None:
        match words[0]:
            case "uci":
                self.on_uci()
            case "isready":
                self.on_isready()
            case "ucinewgame":
                self.games += 1
                self.on_new_game()
            case "position":
                self.position = words
            case "go":
                self.on_go()
                self.moves_made += 1
            case "stop":
                self.on_stop()
            case "quit":
                self.on_quit()

    def say(self, text: str) -> None:
        say(text, self.end)

    def best(self) -> str:
        return othello_moves(self.position)[0]

    def on_uci(self) -> None:
        self.say("id name Hostile")
        self.say("uciok")

    def on_isready(self) -> None:
        self.say("readyok")

    def on_new_game(self) -> None:
        pass

    def on_go(self) -> None:
        self.say(f"bestmove {self.best()}")

    def on_stop(self) -> None:
        pass

    def on_quit(self) -> None:
        sys.exit(0)
