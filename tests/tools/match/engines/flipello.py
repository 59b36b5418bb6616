"""An engine that speaks Fairy-Stockfish's flipello: mirrored ranks, drops, passes by a square given twice.

``--deaf`` drops move lists from the first pass on without a word, as Fairy-Stockfish does with what it cannot read.
"""

from __future__ import annotations

import sys

from instant import flip, legal


def mirror(square: str) -> str:
    return f"{square[0]}{9 - int(square[1])}"


def replay(words: list[str]) -> tuple[list[str], str]:
    cells, turn = list("-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27), "X"
    for move in words:
        if "@" in move:
            flip(cells, mirror(move[2:]), turn)
        elif "--deaf" in sys.argv:
            break
        turn = "O" if turn == "X" else "X"
    return cells, turn


def written(cells: list[str], turn: str) -> list[str]:
    moves = legal(cells, turn)
    if moves:
        return [f"P@{mirror(move)}" for move in moves]
    own = [f"{'abcdefgh'[at % 8]}{8 - at // 8}" for at in range(64) if cells[at] == turn]
    lowest = min(own, key=lambda square: (square[1], square[0]))
    return [lowest * 2]


position: list[str] = []
for line in sys.stdin:
    words = line.split()
    match words:
        case ["uci"]:
            print("id name Wild Fish\noption name UCI_Variant type combo default chess var chess var flipello\nuciok")
        case ["isready"]:
            print("readyok")
        case ["position", "startpos", *rest]:
            position = rest[1:]
        case ["go", "perft", "1"]:
            for move in written(*replay(position)):
                print(f"{move}: 1")
            print("\nNodes searched: many")
        case ["go", *_]:
            best = written(*replay(position))[0]
            print(f"info depth 1 seldepth 1 multipv 1 score mate 3 nodes 4 nps 2000 tbhits 0 time 2 pv {best}")
            print(f"bestmove {best} ponder P@a1")
        case ["quit"]:
            break
    sys.stdout.flush()
