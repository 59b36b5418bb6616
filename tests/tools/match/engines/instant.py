"""An engine that answers at once with the first legal move it is told or can think of.

It knows no rules: for Othello it keeps a small board of its own, for banqi as well. Standard library only, so that
it starts quickly. Arguments: ``--random SEED`` chooses by a hash of the move list instead of the first move.
"""

from __future__ import annotations

import hashlib
import sys

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
RANKS = "PCNRMGK"


def othello_moves(words: list[str]) -> list[str]:
    """Legal moves after ``position …`` words."""
    if words[1] == "startpos":
        cells = list("-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27)
        turn = "X"
    else:
        cells, turn = list(words[2]), words[3]
    played = words[words.index("moves") + 1 :] if "moves" in words else []
    for move in played:
        if move != "pass":
            flip(cells, move, turn)
        turn = "O" if turn == "X" else "X"
    return legal(cells, turn) or ["pass"]


def flips(cells: list[str], at: int, turn: str) -> list[int]:
    found: list[int] = []
    for dx, dy in DIRECTIONS:
        x, y, line = at % 8 + dx, at // 8 + dy, []
        while 0 <= x < 8 and 0 <= y < 8 and cells[8 * y + x] not in ("-", turn):
            line.append(8 * y + x)
            x, y = x + dx, y + dy
        if line and 0 <= x < 8 and 0 <= y < 8 and cells[8 * y + x] == turn:
            found += line
    return found


def flip(cells: list[str], move: str, turn: str) -> None:
    at = "abcdefgh".index(move[0]) + 8 * (int(move[1]) - 1)
    for turned in flips(cells, at, turn):
        cells[turned] = turn
    cells[at] = turn


def legal(cells: list[str], turn: str) -> list[str]:
    return ["abcdefgh"[at % 8] + str(at // 8 + 1) for at in range(64) if cells[at] == "-" and flips(cells, at, turn)]


def banqi_moves(words: list[str]) -> list[str]:
    """Flips first, then steps and captures by rank; it knows neither cannons nor the chase ban."""
    board = ["X"] * 32
    if words[1] == "fen":
        ranks = words[2].split("/")
        board = list("".join(reversed(ranks)))
    played = words[words.index("moves") + 1 :] if "moves" in words else []
    mine = None if words[1] == "startpos" else words[4] == "r"
    for number, move in enumerate(played):
        at = square(move[:2])
        if "=" in move:
            board[at] = move[3]
            if number == 0 and words[1] == "startpos":
                mine = move[3].isupper()
        else:
            board[square(move[2:])], board[at] = board[at], "."
    if mine is None:
        mine = True
    red = mine == (len(played) % 2 == 0)
    found = [name(at) for at in range(32) if board[at] == "X"]
    for at in range(32):
        if board[at].isalpha() and board[at] != "X" and board[at].isupper() == red:
            found += [name(at) + name(to) for to in neighbours(at) if takes(board[at], board[to])]
    return found


def takes(man: str, target: str) -> bool:
    if target == ".":
        return True
    if target == "X" or target.isupper() == man.isupper() or man.upper() == "C":
        return False
    own, other = RANKS.index(man.upper()), RANKS.index(target.upper())
    if man.upper() == "K" and target.upper() == "P":
        return False
    return own >= other or (man.upper() == "P" and target.upper() == "K")


def neighbours(at: int) -> list[int]:
    x, y = at % 4, at // 4
    return [
        4 * (y + dy) + x + dx for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)) if 0 <= x + dx < 4 and 0 <= y + dy < 8
    ]


def square(text: str) -> int:
    return "abcd".index(text[0]) + 4 * (int(text[1]) - 1)


def name(at: int) -> str:
    return "abcd"[at % 4] + str(at // 4 + 1)


def main() -> None:
    seed = sys.argv[sys.argv.index("--random") + 1] if "--random" in sys.argv else None
    game, position = "othello", ["position", "startpos"]
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] in ("uci", "ugi"):
            print("id name Instant 1\nid author tests\noption name UCI_Variant type combo default othello", end=" ")
            print("var othello var banqi\noption name Rules type string default <empty>")
            print(f"{words[0]}ok", flush=True)
        elif words[0] == "isready":
            print("readyok", flush=True)
        elif words[:3] == ["setoption", "name", "UCI_Variant"]:
            game = words[4]
        elif words[0] == "position":
            position = words
        elif words[0] == "go":
            moves = othello_moves(position) if game == "othello" else banqi_moves(position)
            move = moves[0]
            if seed is not None:
                digest = hashlib.sha256(f"{seed} {' '.join(position)}".encode()).digest()
                move = moves[digest[0] % len(moves)]
            print(f"info depth 1 score cp 10 nodes {len(moves)} time 0 pv {move}\nbestmove {move}", flush=True)
        elif words[0] == "quit":
            return


if __name__ == "__main__":
    main()
