"""Answers b5b6 first, and what `instant` would play after that."""

from __future__ import annotations

import sys

from instant import banqi_moves

for line in sys.stdin:
    words = line.split()
    match words:
        case ["uci"]:
            print("id name Chaser\noption name UCI_Variant type combo default banqi var banqi")
            print("option name Rules type string default <empty>\nuciok")
        case ["isready"]:
            print("readyok")
        case ["position", *_]:
            position = words
        case ["go", *_]:
            print(f"bestmove {banqi_moves(position)[0] if 'moves' in position else 'b5b6'}")
        case ["quit"]:
            break
    sys.stdout.flush()
