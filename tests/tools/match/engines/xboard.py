"""An XBoard engine as they are in the wild: features over several lines, more columns of thinking, chatter."""

from __future__ import annotations

import sys

from instant import othello_moves


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    moves: list[str] = []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "protover":
            say('feature ping=1 usermove=1 setboard=1 myname="Wild board" done=0')
            say('feature variants="normal,reversi" option="Level -spin 3 0 9"')
            say('feature option="Deep -check 0"')
            say('feature option="Forget -button"')
            say("feature done=1")
        elif word == "new":
            moves = []
        elif word == "usermove":
            moves.append("pass" if rest == "@@@@" else rest[2:])
        elif word == "ping":
            say(f"pong {rest}")
        elif word == "go":
            best = othello_moves(["position", "startpos", "moves", *moves])[0]
            written = "@@@@" if best == "pass" else f"P@{best}"
            say(f"3 250 1 23 3 1916 0\t {written} P@d6")
            say("tellall nothing of interest")
            say(f"move {written}")
            moves.append(best)
        elif word == "option" and rest not in ("Level=5", "Deep=1", "Forget"):
            say(f"Error (unknown option): {rest}")
        elif word == "quit":
            return


main()
