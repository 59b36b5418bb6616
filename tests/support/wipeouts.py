"""Positions in which a legal move lets the mover lose all discs within eight plies, from random games.

``python tests/support/wipeouts.py [POSITIONS] [SEED]`` writes ``tests/data/othello/wipeouts.txt``. A line is the
moves of a game, then each move of the position after them that loses all discs by force, with the number of plies that
takes at most (that move counted, passes not)::

    f5d6c7f4e3f6g5f2c5f3g1d3f7 c4:4

The proof is plain alpha-beta with the two values "all discs lost" and "not". It shares nothing with the engine, not
even the moves. `faults` asks the engine about a position.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from fanqi.othello import Position
from fanqi.search import Bound, Control, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.search import Engine

FILE = Path(__file__).parents[1] / "data" / "othello" / "wipeouts.txt"
PLIES = 8
ALL_LOST = -6400
MOST_DISCS = 7
"""Positions where the mover has more, or a corner, are not looked at: the proof takes long, or there can be none."""
CORNERS = np.uint64(0x8100000000000081)

# a direction: the shift to the left, and the squares from which a step there stays on the board
NOT_A, NOT_H = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
ALL = 0xFFFFFFFFFFFFFFFF
SHIFTS = np.array([1, 9, 8, 7, -1, -9, -8, -7], np.int64)
STAYS = np.array([NOT_H, NOT_H, ALL, NOT_A, NOT_A, NOT_A, ALL, NOT_H], np.uint64)


@numba.njit("uint64(uint64, int64)")
def step(bits: Any, direction: Any) -> Any:
    """All squares one step on; what would leave the board is dropped."""
    bits = bits & STAYS[direction]
    shift = SHIFTS[direction]
    return bits << np.uint64(shift) if shift > 0 else bits >> np.uint64(-shift)


@numba.njit("uint64(uint64, uint64, uint64)")
def turned(own: Any, opp: Any, square: Any) -> Any:
    """The discs that a disc of ``own`` on the empty square turns, as a bitboard; all three are bitboards."""
    result = np.uint64(0)
    for direction in range(8):
        run, at = np.uint64(0), step(square, direction)
        while at & opp:
            run |= at
            at = step(at, direction)
        if at & own:
            result |= run
    return result


@numba.njit("uint64(uint64, uint64)")
def legal(own: Any, opp: Any) -> Any:
    """The squares ``own`` can play to, as a bitboard."""
    result = np.uint64(0)
    empty = ~(own | opp)
    for direction in range(8):
        run = step(own, direction) & opp
        while run:
            run = step(run, direction)
            result |= run & empty
            run &= opp
    return result


@numba.njit("boolean(uint64, uint64, boolean, int64)")
def loses(victim: Any, attacker: Any, attacking: Any, plies: Any) -> Any:
    """Whether ``victim`` loses all discs by force within so many plies; ``attacking``: the attacker is to move."""
    if victim == 0:
        return True
    if plies == 0 or victim & CORNERS:
        return False
    own, opp = (attacker, victim) if attacking else (victim, attacker)
    moves = legal(own, opp)
    if not moves:
        return legal(opp, own) != 0 and loses(victim, attacker, not attacking, plies)
    while moves:
        square = moves & (~moves + np.uint64(1))
        moves ^= square
        flips = turned(own, opp, square)
        after, other = own | flips | square, opp ^ flips
        if attacking:
            if loses(other, after, False, plies - 1):
                return True
        elif not loses(after, other, True, plies - 1):
            return False
    return not attacking


def squares(bits: int) -> list[int]:
    """The numbers of the squares of a bitboard."""
    return [square for square in range(64) if int(bits) >> square & 1]


def name(square: int) -> str:
    """The name of a square."""
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def play(own: int, opp: int, square: int) -> tuple[int, int]:
    """Own and the other's discs after a move, from the same side's view.

    Raises:
        ValueError: it turns nothing.
    """
    flips = int(turned(np.uint64(own), np.uint64(opp), np.uint64(1 << square)))
    if not flips or (own | opp) >> square & 1:
        raise ValueError(f"{name(square)} is not legal")
    return own | flips | 1 << square, opp ^ flips


def moves_of(own: int, opp: int) -> list[int]:
    """The squares ``own`` can play to."""
    return squares(legal(np.uint64(own), np.uint64(opp)))


def losing(own: int, opp: int) -> dict[str, int]:
    """The moves of ``own`` that lose all discs within `PLIES`, and within how many."""
    found = {}
    for square in moves_of(own, opp):
        after, other = play(own, opp, square)
        for plies in range(2, PLIES + 1, 2):
            if loses(np.uint64(after), np.uint64(other), True, plies - 1):
                found[name(square)] = plies
                break
    return found


def replay(moves: str) -> tuple[int, int]:
    """The discs of the side to move and of the other one, after moves written without blanks."""
    own, opp = 0x0000000810000000, 0x0000001008000000
    for at in range(0, len(moves), 2):
        if not moves_of(own, opp):
            own, opp = opp, own
        opp, own = play(own, opp, "abcdefgh".index(moves[at]) + 8 * int(moves[at + 1]) - 8)
    return (own, opp) if moves_of(own, opp) else (opp, own)


def random_game(dice: random.Random) -> Iterator[tuple[str, int, int]]:
    """The positions of a game of random moves where a side can move: moves so far, mover's discs, the other's."""
    moves, own, opp = "", *replay("")
    while choices := moves_of(own, opp):
        yield moves, own, opp
        square = dice.choice(choices)
        moves += name(square)
        opp, own = play(own, opp, square)
        if not legal(np.uint64(own), np.uint64(opp)):
            own, opp = opp, own


def lines(seed: int) -> Iterator[str]:
    """Lines of the file: at most one position of a game, drawn from all of the game that qualify."""
    dice = random.Random(seed)
    while True:
        found = []
        for moves, own, opp in random_game(dice):
            if own.bit_count() <= MOST_DISCS and not own & int(CORNERS):
                lost = losing(own, opp)
                if lost:
                    found.append(" ".join([moves, *(f"{move}:{plies}" for move, plies in lost.items())]))
        if found:
            yield dice.choice(found)


def read() -> list[tuple[str, dict[str, int]]]:
    """The file: the moves up to each position, and those that lose all discs, with the plies that takes."""
    rows = (line.split() for line in FILE.read_text(encoding="ascii").splitlines())
    return [(moves, {move: int(plies) for move, plies in (fact.split(":") for fact in lost)}) for moves, *lost in rows]


def faults(engine: Engine, moves: str, lost: dict[str, int], nodes: int) -> list[str]:
    """What a search of so many nodes, without memory, gets wrong about a position of the file."""
    position = Position(*replay(moves))
    engine.new_game()
    reports = []
    result = engine.search(position, Limits(nodes=nodes), Control(), reports.append)
    found = []
    if result.move in lost and not lost.keys() >= set(position.legal_moves()):
        found.append(f"{moves}, {nodes} nodes: {result.move} loses all discs")
    return found + [
        f"{moves}, {nodes} nodes: {info.pv[0]} has {info.score_cp} at depth {info.depth}"
        for info in (*reports, *result.infos)
        if info.pv[0] in lost and info.bound is not Bound.UPPER and info.score_cp > ALL_LOST
    ]


def main(count: int = 1000, seed: int = 1) -> None:
    """Write the file."""
    kept: dict[str, None] = {}
    for line in lines(seed):
        kept[line] = None
        print(f"{len(kept)} of {count}: {line}", file=sys.stderr, flush=True)
        if len(kept) == count:
            break
    FILE.write_text("".join(f"{line}\n" for line in kept), encoding="ascii")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
