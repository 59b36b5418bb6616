"""Kernels below the search against the slow reference: last squares, stability, table, error model, schedule."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config

from fanqi.bits import address_of
from fanqi.game import FEATURES
from fanqi.kernels import kernel
from fanqi.othello import context as ctx
from fanqi.othello import table
from fanqi.othello.certainty import ROW_WORDS, error_table, final_deviation
from fanqi.othello.chances import chances
from fanqi.othello.context import HashTable, SearchContext
from fanqi.othello.endgame.last import final_score, solve_1
from fanqi.othello.endgame.search import null_window
from fanqi.othello.endgame.shallow import odd_quadrants, quadrant_of
from fanqi.othello.features import neighbourhood
from fanqi.othello.levels import EXACT, LEVELS, deviation_factor, deviations, level_of
from fanqi.othello.schedule import Iteration, schedule
from fanqi.othello.stability import stable_discs

bitboards = st.integers(0, 2**64 - 1)


@kernel
def call_solve_1(own, square):
    return solve_1(own, square)


@kernel
def call_null_window(block, own, opp, alpha, empties):
    return null_window(block, own, opp, alpha, empties, odd_quadrants(own, opp))


@kernel
def call_stable(edges, own, opp):
    return stable_discs(edges, own, opp)


@kernel
def call_hash(own, opp):
    return table.hash_position(own, opp)


@kernel
def call_store(block, key, depth, level, alpha, beta, score, move):
    table.store_result(block, key, depth, level, alpha, beta, score, move)


@kernel
def call_probe(block, key):
    return table.probe(block, key)


@kernel
def call_probe_local(block, key):
    return table.probe_local(block, key)


@kernel
def call_store_local(block, key, alpha, score, move):
    table.store_local(block, key, alpha, score, move)


@kernel
def call_neighbourhood(bits):
    return neighbourhood(bits)


@kernel
def call_final_score(own, opp):
    return final_score(own, opp)


@pytest.fixture(scope="module")
def context():
    made = SearchContext()
    made.table = HashTable(1)
    made.use_table(made.table)
    made.flag = np.zeros(8, np.int64)
    made.block[ctx.STOP] = address_of(made.flag)
    made.block[ctx.NODE_LIMIT] = 1 << 62
    return made


def words(*numbers):
    return tuple(np.uint64(number) for number in numbers)


def nearly_full_boards(count, empties, seed):
    """Random colours around a few random empty squares: mostly beyond what play can reach."""
    chooser = random.Random(seed)
    for _ in range(count):
        empty = chooser.sample(range(64), empties)
        own = opp = 0
        for square in set(range(64)) - set(empty):
            if chooser.random() < 0.5:
                own |= 1 << square
            else:
                opp |= 1 << square
        yield own, opp, empty


@pytest.mark.nojit
@given(bitboards, bitboards)
def test_final_score_counts_empty_squares_for_the_winner(own, other):
    opp = other & ~own
    black, white = own.bit_count(), opp.bit_count()
    empties = 64 - black - white
    expected = black - white + (empties if black > white else -empties if black < white else 0)
    assert int(call_final_score(*words(own, opp))) == expected


@pytest.mark.nojit
def test_last_square_agrees_with_the_reference(reference):
    for own, opp, (square,) in nearly_full_boards(200 if config.DISABLE_JIT else 3000, 1, seed=3):
        assert int(call_solve_1(np.uint64(own), square)) == reference.solve(own, opp)


@pytest.mark.nojit
def test_last_squares_bound_the_score_truly(reference, context):
    for empties in (2, 3, 4, 5):
        for own, opp, _ in nearly_full_boards(4 if config.DISABLE_JIT else 120, empties, seed=empties):
            truth = reference.solve(own, opp)
            for alpha in (truth - 2, truth - 1, truth, truth + 1):
                bound = int(call_null_window(context.address, *words(own, opp), alpha, empties))
                assert (bound > alpha) == (truth > alpha)
                assert truth >= bound if bound > alpha else truth <= bound


@pytest.mark.skipif(config.DISABLE_JIT, reason="too many positions")
def test_null_windows_bound_the_score_truly_through_every_tier(reference, context, games):
    for position in [p for game in games[:8] for p in game if p.empties in (6, 7, 8)]:
        own, opp = position.own, position.opponent
        truth = reference.solve(own, opp)
        for alpha in (-64, truth - 3, truth - 1, truth, truth + 2, 63):
            bound = int(call_null_window(context.address, *words(own, opp), alpha, position.empties))
            assert (bound > alpha) == (truth > alpha)


@pytest.mark.skipif(config.DISABLE_JIT, reason="too many positions")
def test_stable_discs_are_never_turned_by_any_continuation(reference, context, games):
    seen = 0
    for position in [p for game in games[:14] for p in game if p.empties in (4, 5, 6)]:
        for own, opp in ((position.own, position.opponent), (position.opponent, position.own)):
            found = int(call_stable(address_of(context.edges), *words(own, opp)))
            assert found & ~reference.stable(own, opp) == 0
            seen += found.bit_count()
    assert seen > 200


@pytest.mark.skipif(config.DISABLE_JIT, reason="too many positions")
def test_stable_discs_survive_random_play(context, games):
    chooser = random.Random(5)
    seen = 0
    for game in games[:40]:
        for position in game[20::7]:
            stable = int(call_stable(address_of(context.edges), *words(position.black, position.white)))
            seen += stable.bit_count()
            for _ in range(3):
                later = position
                while moves := later.legal_moves():
                    later = later.play(chooser.choice(moves))
                    assert later.black & stable == stable
    assert seen > 300


@pytest.mark.nojit
def test_full_boards_are_stable_and_corners_hold_edges(context):
    edges = address_of(context.edges)
    assert int(call_stable(edges, *words(2**64 - 1, 0))) == 2**64 - 1
    assert int(call_stable(edges, *words(0b111, 0))) == 0b111
    assert int(call_stable(edges, *words(0b110, 0))) == 0
    assert int(call_stable(edges, *words(1 << 27, 1 << 28))) == 0


@pytest.mark.nojit
def test_quadrants_cover_the_board_once():
    assert {int(quadrant_of(square)) for square in range(64)} == {
        0x0F0F0F0F,
        0xF0F0F0F0,
        0x0F0F0F0F00000000,
        0xF0F0F0F000000000,
    }
    assert all(int(quadrant_of(square)) >> square & 1 for square in range(64))


@pytest.mark.nojit
@given(bitboards)
def test_neighbourhood_is_what_touches(bits):
    squares = [square for square in range(64) if bits >> square & 1]
    expected = 0
    for square in squares:
        for row in range(max(0, square // 8 - 1), min(8, square // 8 + 2)):
            for column in range(max(0, square % 8 - 1), min(8, square % 8 + 2)):
                if (row, column) != divmod(square, 8):
                    expected |= 1 << (8 * row + column)
    assert int(call_neighbourhood(np.uint64(bits))) == expected


# ------------------------------------------------------------------------------------------------- table


def stored(context, key):
    data = np.uint64(call_probe(context.address, np.uint64(key)))
    if data == 0:
        return None
    return tuple(
        int(field(data))
        for field in (table.data_lower, table.data_upper, table.data_move, table.data_depth, table.data_level)
    )


@pytest.mark.nojit
@given(
    st.integers(1, 2**64 - 1),
    st.integers(0, 63),
    st.integers(0, EXACT),
    st.integers(-6400, 6400),
    st.integers(0, 64),
)
def test_table_gives_back_what_it_took(context, key, depth, level, score, move):
    context.table.clear()
    address, word = context.address, np.uint64(key)
    call_store(address, word, depth, level, score - 1, score + 1, score, move)
    assert stored(context, key) == (score, score, move, depth, level)
    assert stored(context, key ^ 1) is None


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("own", "opp", "key"),
    [
        (0x0000000810000000, 0x0000001008000000, 0x90C5B0B26264DF07),
        (0xFFFFFFFFFFFFFFFF, 0, 0xABE100DED4F63597),
        (0x8000000000000001, 0x7FFFFFFFFFFFFFFE, 0x3B49C3E9D15C88F8),
    ],
)
def test_hashing_wraps_around_without_a_word(own, opp, key):
    assert int(call_hash(np.uint64(own), np.uint64(opp))) == key


@pytest.mark.nojit
def test_table_keeps_bounds_apart_and_narrows_them(context):
    context.table.clear()
    address, word, infinite = context.address, np.uint64(77), int(table.INFINITE)
    call_store(address, word, 9, 2, 100, 101, 250, 19)
    assert stored(context, 77) == (250, infinite, 19, 9, 2)
    call_store(address, word, 9, 2, 400, 401, 300, 20)
    assert stored(context, 77) == (250, 300, 20, 9, 2)
    call_store(address, word, 4, 2, 0, 1, -50, 21)  # shallower, of the same search
    assert stored(context, 77) == (250, 300, 20, 9, 2)
    call_store(address, word, 12, 2, 0, 1, -50, table.NO_MOVE)  # deeper, and no move known
    assert stored(context, 77) == (-infinite, -50, 20, 12, 2)


@pytest.mark.nojit
def test_torn_entries_are_not_found(context):
    context.table.clear()
    call_store(context.address, np.uint64(77), 9, 2, 100, 101, 250, 19)
    place = int(np.flatnonzero(context.table.words)[0])
    context.table.words[place + 1] ^= np.uint64(1)
    assert stored(context, 77) is None


@pytest.mark.nojit
def test_full_buckets_give_up_old_and_shallow_entries_first(context):
    context.table.clear()
    address, step = context.address, context.table.buckets
    keys = [5 + step * i for i in range(1, 6)]
    context.block[ctx.AGE] = 1
    for key, depth in zip(keys[:4], (30, 8, 9, 10), strict=True):
        context.block[ctx.AGE] = 0 if depth == 30 else 1
        call_store(address, np.uint64(key), depth, 2, 0, 10, 5, 1)
    context.block[ctx.AGE] = 1
    call_store(address, np.uint64(keys[4]), 2, 2, 0, 10, 5, 1)
    assert [stored(context, key) is not None for key in keys] == [False, True, True, True, True]
    call_store(address, np.uint64(keys[0]), 3, 2, 0, 10, 5, 1)
    assert [stored(context, key) is not None for key in keys] == [True, True, True, True, False]
    context.block[ctx.AGE] = 0


@pytest.mark.nojit
def test_own_table_remembers_the_last_of_each_place(context):
    context.forget()
    address = context.address
    call_store_local(address, np.uint64(123 << 50), 3, 8, 40)
    data = np.uint64(call_probe_local(address, np.uint64(123 << 50)))
    assert (int(table.data_lower(data)), int(table.data_move(data))) == (800, 40)
    assert int(call_probe_local(address, np.uint64((123 << 50) + 1))) == 0
    call_store_local(address, np.uint64((123 << 50) + 1), 3, 2, 41)
    assert int(call_probe_local(address, np.uint64(123 << 50))) == 0


@pytest.mark.parametrize("mebibytes", [0, 1, 3, 64])
def test_table_is_a_power_of_two_within_its_size(mebibytes):
    made = HashTable(mebibytes)
    assert made.buckets & (made.buckets - 1) == 0
    assert made.words.nbytes <= max(mebibytes << 20, 64)
    assert made.words.nbytes * 2 > mebibytes << 20
    assert address_of(made.words) % 64 == 0


def test_fill_is_told_for_the_search_that_filled_it(context):
    context.table.clear()
    assert context.table.permille_used(0) == 0
    context.table.words[1 : 8 * 125 : 2] = np.uint64(1 << 63)
    assert context.table.permille_used(0) == 500
    assert context.table.permille_used(1) == 0


# ------------------------------------------------------------------------------------ levels, errors, schedule


def test_levels_are_quantiles_of_the_error():
    assert [round(deviations(level), 2) for level in range(EXACT)] == [0.61, 1.13, 1.64, 2.05, 2.33]
    assert [deviation_factor(level) for level in (0, EXACT)] == [628, 0]
    assert [level_of(percent) for percent in LEVELS] == list(range(6))
    assert FEATURES["othello"].certainties == LEVELS
    with pytest.raises(ValueError, match="selectivity 80: expected one of 73, 87, 95, 98, 99, 100"):
        level_of(80)


def test_error_table_is_sane_everywhere():
    rows = error_table().reshape(64, 64, ROW_WORDS)
    for depth in range(3, 61):
        for empties in range(depth, 61):
            reduced, deviation, mean, doubt = map(int, rows[depth, empties])
            assert 0 <= reduced < depth
            assert (depth - reduced) % 2 == 0 or reduced == 0
            assert 50 <= deviation <= 2500
            assert abs(mean) <= 600
            assert 50 <= doubt <= 3000


def test_final_result_is_less_sure_the_earlier():
    assert final_deviation(10, 50) > final_deviation(10, 20) > 0


@given(st.integers(-6400, 6400), st.integers(-10, 10), st.floats(0, 2000))
def test_chances_add_up_and_grow_with_the_score(score, line, deviation):
    win, draw, loss = chances(score, line, deviation)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert chances(score + 100, line, deviation)[0] >= win
    assert chances(-score, -line, deviation) == (loss, draw, win)


def test_results_are_certain_chances():
    assert [chances(score, 0, 0) for score in (200, 0, -200)] == [(1000, 0, 0), (0, 1000, 0), (0, 0, 1000)]
    assert chances(400, 4, 0) == (0, 1000, 0)
    assert chances(400, 4.5, 0) == (0, 0, 1000)


def test_depth_rises_first_and_certainty_then():
    assert schedule(50, 8, None) == [Iteration(d, EXACT) for d in range(1, 7)] + [Iteration(7, 0), Iteration(8, 0)]
    assert schedule(50, 8, 3)[-1] == Iteration(8, 3)
    assert schedule(8, None, None)[-1] == Iteration(8, EXACT)
    whole = schedule(30, None, None)
    assert [i.depth for i in whole[:20]] == list(range(1, 21))
    assert whole[20:] == [Iteration(30, level) for level in range(6)]
    assert schedule(30, 40, None) == whole
    assert schedule(30, 30, 1)[-1] == Iteration(30, 1)


@given(st.integers(1, 60), st.one_of(st.none(), st.integers(1, 70)), st.one_of(st.none(), st.integers(0, EXACT)))
def test_every_schedule_ends_where_it_was_asked_to(empties, depth, level):
    iterations = schedule(empties, depth, level)
    last = iterations[-1]
    assert last.depth == min(depth or empties, empties)
    if level is not None:
        assert last.level == level
    depths = [iteration.depth for iteration in iterations]
    assert depths == sorted(depths)
    levels = [iteration.level for iteration in iterations if iteration.depth == empties]
    assert levels == sorted(set(levels))
