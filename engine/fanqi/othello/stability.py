"""Discs that can never be turned again: a lower bound that is quick to find.

A disc is safe along a line when the line is full, when it stands at the end of the line, or when a neighbour
on the line is a stable disc of its own colour. Safe along all four lines, it is stable. The seed of that
induction are the discs on full lines in all four directions, and the edges, where a table knows every
arrangement exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load_byte, popcount
from fanqi.bits.tables import word_table
from fanqi.kernels import kernel
from fanqi.othello.moves import ZERO

__all__ = ["EDGE_CONFIGURATIONS", "edge_stability", "stable_discs"]

EDGE_CONFIGURATIONS = 3**8

ternary = word_table(
    "fanqi_ternary", [sum(3**i for i in range(8) if row >> i & 1) for row in range(256)]
)  # a byte read as digits 0 and 1 in base three
column = word_table("fanqi_column", [sum(1 << 8 * i for i in range(8) if row >> i & 1) for row in range(256)])

FILE_A = np.uint64(0x0101010101010101)
FILE_A_TO_BYTE = np.uint64(0x0102040810204080)  # multiplying by it gathers a file in the top byte
BYTE = np.uint64(0xFF)
BORDER_FILES = np.uint64(0x8181818181818181)
BORDER_ROWS = np.uint64(0xFF000000000000FF)
BORDER = np.uint64(0xFF818181818181FF)
INTERIOR = np.uint64(0x007E7E7E7E7E7E00)


def stays(step: int, count: int) -> np.uint64:
    """The squares from which ``count`` steps of 7 or 9 squares, up or down, stay on the board."""
    columns = {7: -1, 9: 1, -7: 1, -9: -1}[step] * count
    rows = (1 if step > 0 else -1) * count
    on_board = (s for s in range(64) if 0 <= s % 8 + columns < 8 and 0 <= s // 8 + rows < 8)
    return np.uint64(sum(1 << square for square in on_board))


UP_7 = tuple(stays(7, count) for count in (1, 2, 4))
DOWN_7 = tuple(stays(-7, count) for count in (1, 2, 4))
UP_9 = tuple(stays(9, count) for count in (1, 2, 4))
DOWN_9 = tuple(stays(-9, count) for count in (1, 2, 4))


@kernel
def spread_7(bits: Any) -> Any:
    """Every square on a falling diagonal (h1 to a8) that meets ``bits``."""
    up = bits
    up |= (up & UP_7[0]) << np.uint64(7)
    up |= (up & UP_7[1]) << np.uint64(14)
    up |= (up & UP_7[2]) << np.uint64(28)
    down = bits
    down |= (down & DOWN_7[0]) >> np.uint64(7)
    down |= (down & DOWN_7[1]) >> np.uint64(14)
    down |= (down & DOWN_7[2]) >> np.uint64(28)
    return up | down


@kernel
def spread_9(bits: Any) -> Any:
    """Every square on a rising diagonal (a1 to h8) that meets ``bits``."""
    up = bits
    up |= (up & UP_9[0]) << np.uint64(9)
    up |= (up & UP_9[1]) << np.uint64(18)
    up |= (up & UP_9[2]) << np.uint64(36)
    down = bits
    down |= (down & DOWN_9[0]) >> np.uint64(9)
    down |= (down & DOWN_9[1]) >> np.uint64(18)
    down |= (down & DOWN_9[2]) >> np.uint64(36)
    return up | down


@kernel
def full_rows(discs: Any) -> Any:
    """All squares of rows without an empty square."""
    full = discs & (discs >> np.uint64(1))
    full &= full >> np.uint64(2)
    full &= full >> np.uint64(4)
    return (full & FILE_A) * BYTE


@kernel
def full_files(discs: Any) -> Any:
    """All squares of files without an empty square."""
    full = discs & (discs >> np.uint64(32))
    full &= full >> np.uint64(16)
    full &= full >> np.uint64(8)
    return (full & BYTE) * FILE_A


@kernel
def stable_edges(edges: Any, own: Any, opp: Any) -> Any:
    """Discs of ``own`` on the four edges that no play along their edge can turn."""
    table = edges
    top = load_byte(table, ternary(own & BYTE) + ternary(opp & BYTE) * np.uint64(2))
    bottom = load_byte(table, ternary(own >> np.uint64(56)) + ternary(opp >> np.uint64(56)) * np.uint64(2))
    own_a = ((own & FILE_A) * FILE_A_TO_BYTE) >> np.uint64(56)
    opp_a = ((opp & FILE_A) * FILE_A_TO_BYTE) >> np.uint64(56)
    left = load_byte(table, ternary(own_a) + ternary(opp_a) * np.uint64(2))
    own_h = (((own >> np.uint64(7)) & FILE_A) * FILE_A_TO_BYTE) >> np.uint64(56)
    opp_h = (((opp >> np.uint64(7)) & FILE_A) * FILE_A_TO_BYTE) >> np.uint64(56)
    right = load_byte(table, ternary(own_h) + ternary(opp_h) * np.uint64(2))
    return np.uint64(top) | (np.uint64(bottom) << np.uint64(56)) | column(left) | (column(right) << np.uint64(7))


@kernel
def stable_discs(edges: Any, own: Any, opp: Any) -> Any:
    """A set of discs of ``own`` that can never be turned, as a bitboard: all of them is more than it
    promises.

    Args:
        edges: address of the table `edge_stability` makes.
        own, opp: the discs.
    """
    discs = own | opp
    empty = ~discs
    safe_rows = full_rows(discs) | BORDER_FILES
    safe_files = full_files(discs) | BORDER_ROWS
    safe_7 = ~spread_7(empty) | BORDER
    safe_9 = ~spread_9(empty) | BORDER
    stable = stable_edges(edges, own, opp) | (own & safe_rows & safe_files & safe_7 & safe_9)
    if stable == ZERO:
        return stable
    candidates = own & INTERIOR
    while True:
        grown = (
            candidates
            & (safe_rows | (stable << np.uint64(1)) | (stable >> np.uint64(1)))
            & (safe_files | (stable << np.uint64(8)) | (stable >> np.uint64(8)))
            & (safe_7 | (stable << np.uint64(7)) | (stable >> np.uint64(7)))
            & (safe_9 | (stable << np.uint64(9)) | (stable >> np.uint64(9)))
        ) | stable
        if grown == stable:
            return stable
        stable = grown


@kernel
def count_stable(edges: Any, own: Any, opp: Any) -> Any:
    """Number of `stable_discs`."""
    return popcount(stable_discs(edges, own, opp))


@kernel
def edge_flips(own: Any, opp: Any, place: Any) -> Any:
    """Discs of ``opp`` turned along one edge (eight bits) by a disc of ``own`` at ``place``."""
    turned = 0
    line, at = 0, place + 1
    while at < 8 and (opp >> at) & 1:
        line |= 1 << at
        at += 1
    if at < 8 and (own >> at) & 1:
        turned |= line
    line, at = 0, place - 1
    while at >= 0 and (opp >> at) & 1:
        line |= 1 << at
        at -= 1
    if at >= 0 and (own >> at) & 1:
        turned |= line
    return turned


@kernel("void(uint8[::1])")
def edge_stability(table: Any) -> None:
    """Fill the edge table: `EDGE_CONFIGURATIONS` bytes, indexed by eight base-three digits (1 own, 2
    opponent).

    An entry holds the own discs that stay whatever either side puts on the empty squares of that edge, in any
    order, with or without turning discs there (other lines may make the move legal).
    """
    digits = np.zeros(8, np.int64)
    for filled in range(8, -1, -1):
        for index in range(EDGE_CONFIGURATIONS):
            own, opp, count, rest = 0, 0, 0, index
            for place in range(8):
                digits[place] = rest % 3
                rest //= 3
                if digits[place] == 1:
                    own |= 1 << place
                    count += 1
                elif digits[place] == 2:
                    opp |= 1 << place
                    count += 1
            if count != filled:
                continue
            stable = own
            power = 1
            for place in range(8):
                if digits[place] == 0:
                    turned = edge_flips(own, opp, place)
                    stable &= table[index + power - count_ternary(turned)]
                    turned = edge_flips(opp, own, place)
                    stable &= table[index + 2 * power + count_ternary(turned)]
                power *= 3
            table[index] = stable


@kernel
def count_ternary(turned: Any) -> Any:
    """The change of an edge index when ``turned`` discs go from own to opponent."""
    change = 0
    power = 1
    for place in range(8):
        if (turned >> place) & 1:
            change += power
        power *= 3
    return change
