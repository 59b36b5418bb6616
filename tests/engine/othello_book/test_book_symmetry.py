"""The eight symmetries, on integers and on arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fanqi.othello_book import SYMMETRIES, apply_symmetry, canonical, canonical_arrays, square_under, symmetries_to
from fanqi.othello_book.symmetry import square_before

boards = st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)).map(lambda pair: (pair[0], pair[1] & ~pair[0]))


def test_each_symmetry_is_another_permutation_of_the_squares():
    images = {tuple(square_under(symmetry, square) for square in range(64)) for symmetry in SYMMETRIES}
    assert len(images) == 8
    assert all(sorted(image) == list(range(64)) for image in images)


def test_the_corner_a1_goes_to_every_corner_twice():
    corners = [square_under(symmetry, 0) for symmetry in SYMMETRIES]
    assert sorted(corners) == [0, 0, 7, 7, 56, 56, 63, 63]


@given(st.integers(0, 2**64 - 1))
def test_a_bitboard_moves_as_its_squares_do(bits):
    for symmetry in SYMMETRIES:
        moved = sum(1 << square_under(symmetry, square) for square in range(64) if bits >> square & 1)
        assert apply_symmetry(symmetry, bits) == moved


def test_a_square_comes_back_from_its_image_and_the_pass_stays_the_pass():
    for symmetry in SYMMETRIES:
        assert all(square_before(symmetry, square_under(symmetry, square)) == square for square in range(64))
        assert square_under(symmetry, 64) == square_before(symmetry, 64) == 64


@given(boards)
def test_all_images_of_a_position_have_the_same_canonical_form(board):
    own, opponent = board
    forms = {canonical(apply_symmetry(n, own), apply_symmetry(n, opponent)) for n in SYMMETRIES}
    assert len(forms) == 1


@given(boards)
def test_every_symmetry_named_leads_to_the_canonical_form(board):
    least, symmetries = symmetries_to(*board)
    assert least == canonical(*board)
    for number in SYMMETRIES:
        image = tuple(apply_symmetry(number, bits) for bits in board)
        assert (image == least) is (number in symmetries)


def test_the_start_position_has_four_symmetries():
    assert len(symmetries_to(1 << 28 | 1 << 35, 1 << 27 | 1 << 36)[1]) == 4


@given(st.lists(boards, min_size=1, max_size=20))
def test_arrays_get_the_same_canonical_forms_as_integers(many):
    own, opponent = (np.array(column, np.uint64) for column in zip(*many, strict=True))
    found = canonical_arrays(own, opponent)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == [canonical(*board) for board in many]
