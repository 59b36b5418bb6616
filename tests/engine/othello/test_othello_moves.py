"""The three forms of move generation and flips agree with each other and with the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numba.core import config

from fanqi.bits.target import choose_form
from fanqi.othello import moves

bitboards = st.integers(0, 2**64 - 1)

compiled = pytest.mark.skipif(config.DISABLE_JIT, reason="compares compiled forms")


@pytest.fixture(scope="module")
def forms():
    """(legal moves, flips) of each form, callable on numpy words."""
    if config.DISABLE_JIT:
        return [(moves.legal_moves, moves.flips), (moves.legal_moves_portable, moves.flips_portable)]
    vector, wide, turned = moves.legal_moves_vector, moves.legal_moves_wide, moves.flips_vector
    vector_moves = njit("uint64(uint64, uint64)")(lambda own, opp: vector(own, opp))
    wide_moves = njit("uint64(uint64, uint64)")(lambda own, opp: wide(own, opp))
    vector_flips = njit("uint64(uint64, uint64, int64)")(lambda own, opp, square: turned(own, opp, square))
    return [
        (moves.legal_moves, moves.flips),
        (moves.legal_moves_portable, moves.flips_portable),
        (vector_moves, vector_flips),
        (wide_moves, vector_flips),
        (moves.legal_moves_of, moves.flips_of),
    ]


def check(forms, reference, own, opp):
    legal = reference.legal_moves(own, opp)
    words = np.uint64(own), np.uint64(opp)
    for legal_form, _ in forms:
        assert int(legal_form(*words)) == legal
    for square in range(64):
        if not (own | opp) >> square & 1:
            expected = reference.flips(own, opp, square)
            for _, flips_form in forms:
                assert int(flips_form(*words, square)) == expected


def test_every_form_agrees_in_random_games(forms, reference, games):
    for game in games[: 2 if config.DISABLE_JIT else None : 2]:
        for position in game:
            check(forms, reference, position.own, position.opponent)


def test_every_form_agrees_on_random_boards(forms, reference, boards):
    for own, opp in boards[: 40 if config.DISABLE_JIT else None]:
        check(forms, reference, own, opp)


@pytest.mark.nojit
@given(bitboards, bitboards)
def test_every_form_agrees_on_any_board(forms, reference, own, other):
    check(forms, reference, own, other & ~own)


@pytest.mark.nojit
@given(bitboards.filter(bool))
def test_walking_the_bits_of_a_board(bits):
    word = np.uint64(bits)
    assert int(moves.bit(moves.lowest_square(word))) | int(moves.without_lowest(word)) == bits


@pytest.mark.parametrize(
    ("mode", "machine", "features", "form"),
    [
        ("auto", "x86_64", {"avx2", "avx512f", "avx512vl"}, "wide"),
        ("auto", "AMD64", {"avx2"}, "vector"),
        ("auto", "x86_64", {"sse4.2"}, "portable"),
        ("auto", "aarch64", {"neon"}, "portable"),
        ("portable", "x86_64", {"avx2"}, "portable"),
        ("vector", "x86_64", {"avx512f", "avx512vl"}, "vector"),
    ],
)
def test_form_follows_the_processor_unless_asked(mode, machine, features, form):
    assert choose_form(mode, machine, frozenset(features)) == form
