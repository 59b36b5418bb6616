"""Pattern sets: instances, index arithmetic and folding follow from the symmetries of the board."""

from __future__ import annotations

import numpy as np
import pytest

from fanqi.othello.patterns.shapes import EVALUATION, ORDERING, PatternSet, Shape, symmetric_squares

UNSEEN = 0x0000182424180000
SETS = [pytest.param(EVALUATION, id="evaluation"), pytest.param(ORDERING, id="ordering")]


def squares(bits):
    return [square for square in range(64) if bits >> square & 1]


def entries(patterns, own, opp):
    index = patterns.rows[squares(own)].sum(axis=0) - patterns.rows[squares(opp)].sum(axis=0)
    return (patterns.centres + index)[: patterns.count]


def image(bits, symmetry):
    return sum(1 << int(symmetry[square]) for square in squares(bits))


def test_the_eight_symmetries_are_different_permutations():
    symmetries = symmetric_squares()
    assert len({tuple(s) for s in symmetries}) == 8
    assert all(sorted(s) == list(range(64)) for s in symmetries)


def test_the_evaluation_has_the_46_instances_of_the_edax_set():
    assert (EVALUATION.count, EVALUATION.lanes) == (46, 48)


def test_the_ordering_fits_one_vector():
    assert ORDERING.count <= ORDERING.lanes == 16


@pytest.mark.parametrize(("patterns", "unseen"), [(EVALUATION, 0), (ORDERING, UNSEEN)])
def test_the_squares_that_no_pattern_sees(patterns, unseen):
    assert sum(1 << square for square in range(64) if not patterns.rows[square].any()) == unseen


@pytest.mark.parametrize("patterns", SETS)
def test_entries_of_full_boards_stay_inside_their_table(patterns):
    starts = np.array([patterns.starts[number] for number, _ in patterns.instances])
    ends = np.array([patterns.starts[number + 1] for number, _ in patterns.instances])
    assert (entries(patterns, 2**64 - 1, 0) == ends - 1).all()
    assert (entries(patterns, 0, 2**64 - 1) == starts).all()


@pytest.mark.parametrize("patterns", SETS)
def test_symmetric_boards_choose_the_same_folded_entries(patterns, boards):
    for own, opp in boards[:100]:
        expected = sorted(patterns.fold[entries(patterns, own, opp)])
        for symmetry in symmetric_squares():
            turned = entries(patterns, image(own, symmetry), image(opp, symmetry))
            assert sorted(patterns.fold[turned]) == expected


def test_an_asymmetric_shape_keeps_every_entry_and_has_eight_instances():
    patterns = PatternSet((Shape.of("hook", "a1 b1 c1 c2"),))
    assert patterns.count == 8
    assert patterns.folded_size == patterns.size == 3**4


def test_a_mirrored_shape_folds_mirrored_entries_together():
    patterns = PatternSet((Shape.of("edge", "a1 b1 c1 d1 e1 f1 g1 h1"),))
    assert patterns.count == 4
    assert patterns.folded_size == (3**8 + 3**4) // 2
