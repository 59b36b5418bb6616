"""The key that a search asks the table for ahead is the key of the state that comes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fanqi.banqi import GAME
from fanqi.banqi.entry import apply_flip, apply_move, list_moves
from fanqi.banqi.moves import MAX_MOVES
from fanqi.banqi.state import BAG, KEY, QUIET, key_after_flip, key_after_move
from fanqi.bits import address_of
from fanqi.kernels import kernel

pytestmark = pytest.mark.nojit


@kernel("int64(Array(int64, 1, 'C', readonly=True), int64, int64)")
def foretell_move(state, origin, target):
    return key_after_move(address_of(state), origin, target)


@kernel("int64(Array(int64, 1, 'C', readonly=True), int64, int64)")
def foretell_flip(state, square, code):
    return key_after_flip(address_of(state), square, code)


def test_the_key_after_a_move_or_an_outcome_is_foretold(setups):
    moves = np.zeros(MAX_MOVES, np.int64)
    steps = captures = flips = 0
    for fen in random.Random(3).sample(setups, 60):
        state = GAME.parse(fen).state
        for move in moves[: list_moves(state, moves, 0)].tolist():
            origin, target = move >> 5, move & 31
            if origin != target:
                child = state.copy()
                apply_move(child, origin, target)
                assert foretell_move(state, origin, target) == child[KEY]
                captures += child[QUIET] == 0
                steps += child[QUIET] != 0
                continue
            for piece in range(14):
                if int(state[BAG]) >> (4 * piece) & 15:
                    child = state.copy()
                    code = 8 * (piece // 7) + piece % 7 + 1
                    apply_flip(child, target, code)
                    assert foretell_flip(state, target, code) == child[KEY]
                    flips += 1
    assert min(steps, captures, flips) > 50
