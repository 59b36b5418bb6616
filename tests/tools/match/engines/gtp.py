"""A GTP engine as they are in the wild: `= 1` with a blank, upper case, answers of several lines, chatter."""

from __future__ import annotations

import sys

from instant import othello_moves

moves: list[str] = []


def answer(text: str = "", sign: str = "=") -> None:
    print(f"{sign} {text}\n", flush=True)


for line in sys.stdin:
    words = line.lower().split()
    match words:
        case ["name"]:
            print("chatter before the first answer", flush=True)
            answer("Wild GTP")
        case ["version"]:
            answer("0.1")
        case ["list_commands"]:
            answer("name\nversion\nplay\ngenmove\nset_level\ntime_left\ntime_settings")
        case ["clear_board"]:
            moves.clear()
            answer()
        case ["boardsize", "8"] | ["set_level", _] | ["time_left", *_] | ["time_settings", *_]:
            answer()
        case ["play", color, move]:
            expected = "black" if len(moves) % 2 == 0 else "white"
            if color != expected or move not in othello_moves(["position", "startpos", "moves", *moves]):
                answer(f"illegal move {color} {move}", "?")
            else:
                moves.append(move)
                answer()
        case ["genmove", _]:
            best = othello_moves(["position", "startpos", "moves", *moves])[0]
            moves.append(best)
            answer(best.upper())
        case ["quit"]:
            answer()
            break
        case _:
            answer("unknown command", "?")
