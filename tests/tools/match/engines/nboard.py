"""An NBoard engine as they are in the wild: blanks for slashes, lower case, NaN, `learn`, `set myname` out of turn."""

from __future__ import annotations

import re
import sys

from instant import othello_moves


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    moves: list[str] = []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "nboard":
            say("status warming up")
        elif line.startswith("set depth"):
            say(f"set myname Wild{line.split()[2]}")
        elif line.startswith("set game"):
            found = re.findall(r"[BW]\[([^\]/]*)", rest.partition("BO[")[2])
            moves = ["pass" if move.upper() == "PA" else move.lower() for move in found]
        elif word == "ping":
            say(f"pong {rest}")
        elif word == "go":
            best = othello_moves(["position", "startpos", "moves", *moves])[0]
            best = "PA" if best == "pass" else best
            say("status thinking")
            say(f"search {best.upper()} NaN,NaN 0 12")
            say(f"search {best.upper()}-D6 2.50,2.50 0 14@73% and so on")
            say("nodestats 35805 0.00")
            say(f"=== {best.lower() if best != 'PA' else best} 2.50 0.0")
            say("learn")
        elif word == "quit":
            return


main()
