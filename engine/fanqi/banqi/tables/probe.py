"""Looking a position up, in kernels.

What the index says of an endgame: bits 0-15 of the order are its pieces (7 * colour + kind), four bits each, in the
order of the class; bits 16-19 their number; bit 20 the colour of the first side.
"""

from __future__ import annotations

from fanqi.banqi.context import ENDGAMES, ENDGAMES_COUNT
from fanqi.banqi.state import KINDS, TURN
from fanqi.bits.memory import keep_apart, load, load_byte
from fanqi.bits.scalar import trailing_zeros
from fanqi.kernels import kernel

__all__ = ["find_endgame", "look_up"]

ROW_BYTES = 24


@kernel
def find_endgame(context: int, signature: int) -> int:
    """Address of the index row of an endgame, or 0."""
    keep_apart()
    index = load(context, ENDGAMES)
    low = 0
    high = load(context, ENDGAMES_COUNT)
    while low < high:
        middle = (low + high) >> 1
        row = index + ROW_BYTES * middle
        found = load(row, 0)
        if found == signature:
            return row
        if found < signature:
            low = middle + 1
        else:
            high = middle
    return 0


@kernel
def look_up(state: int, table: int, order: int) -> int:
    """The byte of a position in its table (see `fanqi.banqi.tables.retrograde`)."""
    keep_apart()
    place = 0
    if load(state, TURN) != (order >> 20) & 1:
        place = 1
    mirror = 0
    men = (order >> 16) & 15
    last = -1
    board = 0
    for number in range(men):
        piece = (order >> (4 * number)) & 15
        if piece != last:
            board = load(state, KINDS + piece)
            last = piece
        square = trailing_zeros(board)
        board &= board - 1
        if number == 0:
            if square & 2 != 0:
                mirror ^= 3
            if square & 16 != 0:
                mirror ^= 28
            square ^= mirror
            place = place * 8 + ((square >> 2) & 3) * 2 + (square & 1)
        else:
            place = place * 32 + (square ^ mirror)
    return load_byte(table, place)
