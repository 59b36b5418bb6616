"""Sixteen lanes at once compute what sixteen integers would."""

from __future__ import annotations

import operator
import random

import numba
import numpy as np
import pytest

from fanqi.bits import address_of
from fanqi.bits.vectors import (
    LANES,
    any_bit,
    choose,
    fixed,
    greater,
    halves,
    load_vector,
    maxima,
    nonzero,
    permutation,
    popcounts,
    splat,
    sums,
    vector_table,
)

pytestmark = pytest.mark.nojit

MASK = 0xFFFFFFFF
ROWS = [[row * 100 + lane for lane in range(LANES)] for row in range(3)]
SOURCES = [3, 2, 1, 0, -1, 15, 14, 4, 4, -1, 8, 9, 0, 7, 6, 5]
_sources = permutation(SOURCES)
_fixed = fixed(range(-8, 8))
_row = vector_table("test_bits_vectors_rows", ROWS)


@numba.njit
def sum_at(vector, lane):
    """One lane of a vector: its half, summed, where only that lane is left."""
    only = splat(1) << splat(lane & 7)
    lanes = halves(-1, 0) if lane < 8 else halves(0, -1)
    picked = choose(nonzero((splat(1) << _lane_numbers()) & only) & lanes, vector, splat(0))
    low, high = sums(picked)
    return low + high


_lane_numbers = fixed([lane & 7 for lane in range(LANES)])


@numba.njit
def _operate(number, a, b):
    result = a
    if number == 0:
        result = a & b
    elif number == 1:
        result = a | b
    elif number == 2:
        result = a ^ b
    elif number == 3:
        result = a + b
    elif number == 4:
        result = a - b
    elif number == 5:
        result = a * b
    elif number == 6:
        result = a << (b & splat(31))
    elif number == 7:
        result = a >> (b & splat(31))
    elif number == 8:
        result = greater(a, b)
    elif number == 9:
        result = popcounts(a)
    elif number == 10:
        result = nonzero(a & b & splat(1))
    elif number == 11:
        result = choose(b, a, splat(5))
    elif number == 12:
        result = _sources(a)
    elif number == 13:
        result = _fixed()
    elif number == 14:
        result = halves(7, -9)
    return result


@numba.njit
def compute(number, left, right, lanes):
    low, high = address_of(left), address_of(right)
    vector = _operate(number, load_vector(low, low + 64), load_vector(high, high + 64))
    for lane in range(16):
        lanes[lane] = sum_at(vector, lane)


@numba.njit
def reduce_all(words):
    vector = load_vector(address_of(words), address_of(words) + 64)
    return sums(vector), maxima(vector), any_bit(vector), any_bit(vector ^ vector)


@numba.njit
def row_sums(index):
    return sums(_row(index))


def signed(value):
    value &= MASK
    return value - (1 << 32) if value >> 31 else value


EXPECTED = {
    0: operator.and_,
    1: operator.or_,
    2: operator.xor,
    3: operator.add,
    4: operator.sub,
    5: operator.mul,
    6: lambda a, b: a << (b & 31),
    7: lambda a, b: (a & MASK) >> (b & 31),
    8: max,
    9: lambda a, b: (a & MASK).bit_count(),
    10: lambda a, b: -(a & b & 1),
    11: lambda a, b: (a & b) | (5 & ~b),
}


def random_lanes(chooser):
    return [signed(chooser.choice([0, chooser.getrandbits(32), chooser.getrandbits(5), -1])) for _ in range(LANES)]


@pytest.mark.parametrize("number", EXPECTED)
def test_an_operation_is_that_of_32_bit_integers_in_every_lane(number):
    chooser = random.Random(number)
    for _ in range(20):
        left, right = random_lanes(chooser), random_lanes(chooser)
        lanes = np.zeros(LANES, np.int64)
        compute(number, np.array(left, np.int64), np.array(right, np.int64), lanes)
        assert lanes.tolist() == [signed(EXPECTED[number](a, b)) for a, b in zip(left, right, strict=True)]


def test_lanes_can_be_moved_fixed_and_filled_by_halves():
    left = list(range(20, 36))
    lanes = np.zeros(LANES, np.int64)
    words = np.array(left, np.int64)
    compute(12, words, words, lanes)
    assert lanes.tolist() == [left[source] if source >= 0 else 0 for source in SOURCES]
    compute(13, words, words, lanes)
    assert lanes.tolist() == list(range(-8, 8))
    compute(14, words, words, lanes)
    assert lanes.tolist() == [7] * 8 + [-9] * 8


def test_sums_and_maxima_are_those_of_the_halves():
    chooser = random.Random(7)
    for _ in range(50):
        lanes = [chooser.randint(-(10**8), 10**8) for _ in range(LANES)]
        totals, greatest, some, none = reduce_all(np.array(lanes, np.int64))
        assert totals == (sum(lanes[:8]), sum(lanes[8:]))
        assert greatest == (max(lanes[:8]), max(lanes[8:]))
        assert some and not none


def test_one_bit_anywhere_is_seen():
    for lane in range(LANES):
        for bit in (0, 31):
            words = np.zeros(LANES, np.int64)
            words[lane] = 1 << bit
            assert reduce_all(words)[2]
    assert not reduce_all(np.zeros(LANES, np.int64))[2]


def test_a_table_gives_its_rows():
    for index, row in enumerate(ROWS):
        assert row_sums(index) == (sum(row[:8]), sum(row[8:]))
