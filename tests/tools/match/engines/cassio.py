"""An engine of Cassio's: searches at once what has few empty squares or little depth, and for ever what has not."""

from __future__ import annotations

import sys

from instant import othello_moves


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    pending = False
    for line in sys.stdin:
        words = line.split()[1:]
        match words:
            case ["init"] | ["new-position"]:
                say("ready.")
            case ["get-version"]:
                say("version: Wild Cassio 1")
                say("ready.")
            case [("midgame-search" | "endgame-search") as kind, cells, *limits]:
                best = othello_moves(["position", "fen", cells[:64], cells[64]])[0]
                side = "B" if cells[64] == "X" else "W"
                say(
                    f"{cells}, move {best}, depth 9, @73%, {side}+2.00 <= v <= {side}+2.00, {best}, node 10, time 0.001"
                )
                pending = kind == "midgame-search" and int(limits[2]) > 20
                if not pending:
                    say("ready.")
            case ["stop"]:
                say("ready.")
                pending = False
            case ["quit"]:
                say("bye bye.")
                return


main()
