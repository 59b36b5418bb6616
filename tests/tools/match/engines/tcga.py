"""An engine of the Taiwanese client as they are in the wild: knows no cannons and no chase ban, mutters.

It never plays anything by itself: what the host executes is all it knows.
"""

from __future__ import annotations

import sys

from instant import banqi_moves

moves: list[str] = []

for line in sys.stdin:
    number, _, *arguments = line.split()
    text = ""
    match number:
        case "1":
            text = "Wild TCGA"
        case "2":
            text = "1.0.0"
        case "7":
            moves.clear()
        case "10":
            moves.append("".join(arguments))
        case "11":
            moves.append("=".join(arguments))
        case "12":
            known = len(moves) % 2 == 0 if not moves or moves[0][3].isupper() else len(moves) % 2 == 1
            expected = "unknown" if not moves else "red" if known else "black"
            if arguments != [expected]:
                print(f"?12 expected {expected}", flush=True)
                continue
            best = banqi_moves(["position", "startpos", "moves", *moves])[0]
            text = f"{best[:2]} {best[2:] or best[:2]}"
            print("muttering =12 a1 a1", flush=True)
        case "5":
            print("=5", flush=True)
            break
        case _:
            pass
    print(f"={number} {text}".rstrip(), flush=True)
