"""Index vectors kept up move by move equal those computed anew, compiled or not, in every symmetry."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from numba import njit
from numba.core import config

from fanqi.bits import address_of
from fanqi.othello.moves import flips_of
from fanqi.othello.notation import PASS, parse_move
from fanqi.othello.patterns import indices
from fanqi.othello.patterns.shapes import EVALUATION, ORDERING, symmetric_squares

SETS = {"evaluation": EVALUATION, "ordering": ORDERING}


class Vectors:
    """The operations of one set on numpy arrays; compiled unless ``plain``."""

    def __init__(self, name, plain):
        self.patterns = SETS[name]
        self.lanes = self.patterns.lanes
        operations = [getattr(indices, f"{name}_{what}") for what in ("board", "move", "pass", "sum")]
        self._board, self._move, self._pass, self._sum = (
            operations if plain else [compile_operation(operation) for operation in operations]
        )

    def board(self, own, opp):
        state = np.zeros(self.lanes, np.int16)
        self._board(address_of(state), np.uint64(own), np.uint64(opp))
        return state

    def move(self, state, square, flipped):
        after = np.zeros(self.lanes, np.int16)
        self._move(address_of(state), address_of(after), square, np.uint64(flipped))
        return after

    def passed(self, state):
        after = np.zeros(self.lanes, np.int16)
        self._pass(address_of(state), address_of(after))
        return after

    def sum(self, state, tables):
        return int(self._sum(address_of(state), address_of(tables)))


def compile_operation(operation):
    """A plain function over the operation, compiled once for all tests."""
    if operation not in COMPILED:
        count = operation.__code__.co_argcount
        source = {
            2: lambda a, b: operation(a, b),
            3: lambda a, b, c: operation(a, b, c),
            4: lambda a, b, c, d: operation(a, b, c, d),
        }[count]
        COMPILED[operation] = njit(source)
    return COMPILED[operation]


COMPILED: dict = {}


@pytest.fixture(params=list(SETS))
def forms(request):
    """Every form of the operations of one set."""
    return [Vectors(request.param, plain=True)] + ([] if config.DISABLE_JIT else [Vectors(request.param, plain=False)])


@pytest.mark.nojit
def test_updates_along_a_game_equal_indices_computed_anew(forms, games):
    for vectors in forms:
        for game in games[:4]:
            state = vectors.board(game[0].own, game[0].opponent)
            for before, after in itertools.pairwise(game):
                kept = state.copy()
                square = next(parse_move(m) for m in before.legal_moves() if before.play(m) == after)
                if square == PASS:
                    following = vectors.passed(state)
                else:
                    flipped = flips_of(np.uint64(before.own), np.uint64(before.opponent), square)
                    following = vectors.move(state, square, flipped)
                assert (state == kept).all(), "undo is going back to the state before"
                state = following
                assert (state == vectors.board(after.own, after.opponent)).all()


def test_a_state_may_be_updated_in_place(forms):
    own, opp, square, flipped = 1 << 28 | 1 << 35, 1 << 27 | 1 << 36, 19, 1 << 27
    for vectors in forms:
        state = vectors.board(own, opp)
        vectors._move(address_of(state), address_of(state), square, np.uint64(flipped))
        assert (state == vectors.board(opp ^ flipped, own | flipped | 1 << square)).all()


@pytest.mark.nojit
def test_all_forms_agree_on_any_board(forms, boards):
    random_tables = np.random.default_rng(1).integers(-(2**15), 2**15, forms[0].patterns.size).astype(np.int16)
    for own, opp in boards[:200]:
        states = [vectors.board(own, opp) for vectors in forms]
        sums = [vectors.sum(state, random_tables) for vectors, state in zip(forms, states, strict=True)]
        assert all((state == states[0]).all() for state in states)
        assert len(set(sums)) == 1


@pytest.mark.nojit
def test_a_pass_and_a_pass_is_where_we_were(forms, boards):
    for vectors in forms:
        for own, opp in boards[:20]:
            state = vectors.board(own, opp)
            assert (vectors.passed(state) == vectors.board(opp, own)).all()
            assert (vectors.passed(vectors.passed(state)) == state).all()


def test_symmetric_boards_have_the_same_sum(forms, boards):
    chooser = random.Random(3)
    for vectors in forms:
        patterns = vectors.patterns
        folded = np.random.default_rng(2).integers(-3000, 3000, patterns.folded_size).astype(np.int16)
        tables = folded[patterns.fold]
        for own, opp in chooser.sample(boards, 40):
            sums = set()
            for symmetry in symmetric_squares():
                turned = [sum(1 << int(symmetry[s]) for s in range(64) if bits >> s & 1) for bits in (own, opp)]
                sums.add(vectors.sum(vectors.board(*turned), tables))
            assert len(sums) == 1
