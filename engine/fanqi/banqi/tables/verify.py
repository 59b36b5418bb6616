"""Checking tables against the rules: every value must follow from the values its moves lead to.

One ply of plain minimax for each position. It shares nothing with the solver: positions are set up as states of the
game, moves come from the rule kernels, and their results from the tables as a search would look them up.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.context import CONTEXT_WORDS, ENDGAMES, ENDGAMES_COUNT
from fanqi.banqi.moves import MAX_MOVES, generate, play_move
from fanqi.banqi.state import LIVE, MEN, QUIET, QUIET_LIMIT, STATE_WORDS, TURN, copy_state, put
from fanqi.banqi.tables.classes import Endgame, endgames
from fanqi.banqi.tables.probe import find_endgame, look_up
from fanqi.banqi.tables.retrograde import LONGEST, LOSS
from fanqi.bits.memory import address_of, load, store
from fanqi.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fanqi.banqi.tables.store import EndgameTables

__all__ = ["count_faults", "verify_tables"]

STEPS: int = np.int64(0)  # type: ignore[assignment]  # legal moves, not banned ones
BLOCK = STATE_WORDS * 2 + MAX_MOVES


@kernel
def _set_up(state: int, pieces: int, men: int, place: int, turn: int) -> bool:
    """Put the men on the squares that ``place`` numbers; False when two are on one square."""
    for word in range(STATE_WORDS):
        store(state, word, 0)
    store(state, QUIET_LIMIT, 1 << 30)
    store(state, TURN, turn)
    board = 0
    for man in range(men):
        square = (place >> (5 * man)) & 31
        if board >> square & 1 != 0:
            return False
        board |= 1 << square
        piece = load(pieces, man)
        put(state, square, 8 * (piece // 7) + piece % 7 + 1)
        store(state, MEN + piece // 7, load(state, MEN + piece // 7) + 1)
        store(state, LIVE, load(state, LIVE) + (1 << (4 * piece)))
    return True


@kernel
def _value(context: int, state: int) -> int:
    """The byte that the tables hold for a state."""
    if load(state, MEN + load(state, TURN)) == 0:
        return LOSS
    row = find_endgame(context, load(state, LIVE))
    return look_up(state, load(row, 1), load(row, 2))


@kernel
def _expected(context: int, state: int) -> int:
    """The byte that follows from the moves."""
    child = state + 8 * STATE_WORDS
    moves = child + 8 * STATE_WORDS
    count = generate(state, moves, STEPS)
    win = 0
    loss = 0
    lost = True
    for index in range(count):
        move = load(moves, index)
        copy_state(child, state)
        play_move(child, move >> 5, move & 31)
        value = _value(context, child)
        captured = load(child, QUIET) == 0
        if value >= LOSS:
            plies = 1 if captured else value - LOSS + 1
            if win == 0 or plies < win:
                win = plies
        elif value == 0:
            lost = False
        else:
            loss = max(loss, 1 if captured else value + 1)
    if win != 0:
        return win if win <= LONGEST else 0
    return LOSS + loss if lost and loss <= LONGEST else 0


@kernel("int64(int64[::1], int64[::1], int64[::1])")
def count_faults(words: NDArray[np.int64], pieces: NDArray[np.int64], scratch: NDArray[np.int64]) -> int:
    """How many positions of one endgame hold another value than their moves lead to.

    Args:
        words: a context that knows the tables.
        pieces: the men, 7 * colour + kind.
        scratch: `BLOCK` words.
    """
    context = address_of(words)
    state = address_of(scratch)
    men = len(pieces)
    faults = 0
    for turn in range(2):
        for place in range(1 << (5 * men)):
            if _set_up(state, address_of(pieces), men, place, turn) and _value(context, state) != _expected(
                context, state
            ):
                faults += 1
    return faults


def verify_tables(
    tables: EndgameTables,
    *,
    every: bool = False,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Check all tables; returns the number of faulty positions.

    Args:
        tables: what to check; with men up to n it must hold all classes of fewer.
        every: check every endgame, not just one of each class.
        threads: endgames checked at a time.
        progress: called after each endgame with (done, in all).
    """
    words = np.zeros(CONTEXT_WORDS, np.int64)
    words[ENDGAMES] = tables.index.ctypes.data
    words[ENDGAMES_COUNT] = len(tables.index)
    chosen: dict[object, Endgame] = {}
    for men in range(2, tables.men + 1):
        for endgame in endgames(men):
            chosen.setdefault(endgame.order if every else endgame.kind, endgame)

    def check(endgame: Endgame) -> int:
        return int(count_faults(words, np.array(endgame.order, np.int64), np.zeros(BLOCK, np.int64)))

    faults = 0
    with ThreadPoolExecutor(max_workers=threads) as pool:
        try:
            for done, found in enumerate(pool.map(check, chosen.values()), start=1):
                faults += found
                if progress is not None:
                    progress(done, len(chosen))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return faults
