"""With nothing left out and nothing guessed, the search finds what plain expectimax finds, Star1, Star2 and table or
not.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from fanqi.banqi import GAME
from fanqi.banqi import context as c
from fanqi.banqi.entry import apply_flip, apply_move, find_ending, list_moves
from fanqi.banqi.memory import Memory
from fanqi.banqi.moves import MAX_MOVES, NO_PROGRESS, RUNNING
from fanqi.banqi.nodes import NO_VALUE
from fanqi.banqi.quiescence import quiesce
from fanqi.banqi.search import search_root
from fanqi.banqi.state import BAG, HIDDEN, STATE_WORDS
from fanqi.banqi.weights import WEIGHT_SIZES, load_weights
from fanqi.search import Control, Settings

PIECES = "KGGMMRRNNCCPPPPPkggmmrrnnccppppp"
NEVER = 99
NOTHING_LEFT_OUT = {
    "flip_depth": 0,
    "more_flips_depth": 0,
    "flips": 32,
    "flip_reduction": 0,
    "pass_depth": NEVER,
    "futility_depth": 0,
    "late_move": 999,
    "later_move": 999,
}


def weights_with(**parameters):
    """The shipped weights with other search parameters."""
    weights = load_weights()
    names = [name for name, size in WEIGHT_SIZES.items() for _ in range(size)]
    for name, value in parameters.items():
        weights[:, names.index(name)] = value
    return weights


def small_positions(count, seed):
    """Running positions of 2 to 7 men, up to three of them covered, many of them late in their quiet plies."""
    chooser = random.Random(seed)
    positions = []
    while len(positions) < count:
        men = chooser.sample(PIECES, chooser.randint(2, 7))
        covered = chooser.randint(0, min(3, len(men) - 1))
        board = ["."] * 32
        # close together, so that they meet
        for place, (square, man) in enumerate(zip(chooser.sample(range(16), len(men)), men, strict=True)):
            board[square] = "X" if place < covered else man
        ranks = "/".join("".join(board[first : first + 4]) for first in range(28, -1, -4))
        quiet = chooser.choice([0, 17, 40, 57, 58])
        position = GAME.parse(f"{ranks} {''.join(men[:covered]) or '-'} {chooser.choice('rb')} {quiet} -")
        if position.outcome() is None:
            positions.append(position)
    return positions


class Plain:
    """Expectimax without any bounds, on the rule kernels, and on the quiescence search where depth runs out."""

    def __init__(self, position):
        self.memory = Memory(weights_with(**NOTHING_LEFT_OUT))
        self.control = Control()
        set_up(self.memory, position, self.control)

    def value(self, state, ply, depth):
        ending = find_ending(state)
        if ending == NO_PROGRESS:
            return 0
        if ending != RUNNING:
            return ply - c.WIN
        if depth == 0:
            frame = ply * c.FRAME_WORDS
            self.memory._frames[frame : frame + STATE_WORDS] = state
            return quiesce(self.memory.words.ctypes.data, ply, -c.INFINITE, c.INFINITE)
        moves = np.zeros(MAX_MOVES, np.int64)
        values = []
        for move in moves[: list_moves(state, moves, 0)].tolist():
            if move % 33 == 0:
                values.append(self.mean(state, ply, depth - 1, move % 32))
            else:
                child = state.copy()
                apply_move(child, move >> 5, move & 31)
                values.append(-self.value(child, ply + 1, depth - 1))
        return max(values)

    def mean(self, state, ply, depth, square):
        total = 0
        for piece in range(14):
            count = int(state[BAG]) >> (4 * piece) & 15
            if count:
                child = state.copy()
                apply_flip(child, square, 8 * (piece // 7) + piece % 7 + 1)
                total -= count * self.value(child, ply + 1, depth)
        return total // int(state[HIDDEN]).bit_count()


def set_up(memory, position, control):
    """Make a memory ready for the whole root, without endgame tables."""
    moves = np.zeros(MAX_MOVES, np.int64)
    count = list_moves(position.state, moves, 0)
    memory.set_up(position, Settings(hash_mib=1), moves[:count].tolist(), control.flag)
    memory.words[c.ENDGAMES_COUNT] = 0


@pytest.mark.parametrize("star2_depth", [1, NEVER], ids=["with Star2", "Star1 alone"])
@pytest.mark.parametrize(("depth", "count"), [(1, 60), (2, 60), (3, 25)])
def test_the_value_is_that_of_plain_expectimax(star2_depth, depth, count):
    for position in small_positions(count, depth):
        memory = Memory(weights_with(star2_depth=star2_depth, **NOTHING_LEFT_OUT))
        control = Control()
        set_up(memory, position, control)
        found = search_root(memory.words, depth, 0, -c.INFINITE, c.INFINITE)
        assert found == Plain(position).value(position.state.copy(), 0, depth), position.fen()


@pytest.mark.parametrize("star2_depth", [1, NEVER], ids=["with Star2", "Star1 alone"])
def test_a_narrow_window_tells_on_which_side_of_it_the_value_lies(star2_depth):
    """Fail soft: what comes back beyond the window is a bound of the value."""
    for position in small_positions(60, 7):
        exact = Plain(position).value(position.state.copy(), 0, 2)
        for alpha in (exact - 700, exact - 1, exact, exact + 700):
            memory = Memory(weights_with(star2_depth=star2_depth, **NOTHING_LEFT_OUT))
            control = Control()
            set_up(memory, position, control)
            found = search_root(memory.words, 2, 0, alpha, alpha + 1)
            assert int(memory.words[c.BEST_SCORE]) != NO_VALUE
            if exact > alpha:
                assert alpha < found <= exact, position.fen()
            else:
                assert exact <= found <= alpha, position.fen()
