"""Answers b5b6 first, and what `instant` would play after that.

``--second MOVE`` is its answer when it is asked the same once more.
"""

from __future__ import annotations

import sys

from instant import banqi_moves

second = sys.argv[sys.argv.index("--second") + 1] if "--second" in sys.argv else "b5b6"
asked = 0

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
            asked += 1
            first = "b5b6" if asked == 1 else second
            print(f"bestmove {banqi_moves(position)[0] if 'moves' in position else first}")
        case ["quit"]:
            break
    sys.stdout.flush()
