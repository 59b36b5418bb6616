"""Labels by search: they are the scores of the engine's search, whatever is searched beside them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fanqi.bits import address_of
from fanqi.othello.patterns import default_weights
from fanqi.train.labelling import LabelError
from fanqi.train.playing import BLOCK_WORDS, search_score
from fanqi.train.positions import concatenate
from fanqi.train.searching import Searcher, search_rows
from fanqi.train.solving import solve_rows
from fanqi.train.wthor import wthor_positions

DATA = Path(__file__).parents[2] / "data" / "othello"


@cache
def rows_with(low, high):
    rows = wthor_positions(DATA)
    return rows.take((rows.empties >= low) & (rows.empties <= high))


@pytest.mark.parametrize("selectivity", [73, 100])
def test_a_search_to_the_end_of_the_last_squares_is_exact_at_every_selectivity(tmp_path, selectivity):
    rows = rows_with(1, 9)
    scores = search_rows(rows, default_weights(), 12, selectivity, tmp_path / "searched.labels")
    exact = solve_rows(rows, default_weights(), tmp_path / "solved.labels")
    assert (scores == 100 * exact.astype(np.int16)).all()


def test_without_pruning_the_scores_are_those_of_plain_alpha_beta():
    rows, weights = rows_with(24, 26), default_weights()
    block = np.zeros(BLOCK_WORDS, np.int64)
    for depth in (1, 2, 4):
        scores = Searcher(weights, depth, 100).search(rows.own, rows.opponent)
        plain = [
            search_score(address_of(block), address_of(weights.evaluation_block), own, opponent, np.int64(depth))
            for own, opponent in zip(rows.own, rows.opponent, strict=True)
        ]
        assert scores.tolist() == plain


def test_a_score_does_not_depend_on_the_positions_searched_before():
    rows, searcher = rows_with(30, 33), Searcher(default_weights(), 8, 73)
    forwards = searcher.search(rows.own, rows.opponent)
    backwards = searcher.search(rows.own[::-1].copy(), rows.opponent[::-1].copy())
    assert (forwards == backwards[::-1]).all()
    assert searcher.nodes > len(rows)


def test_searching_goes_on_where_it_was_interrupted(tmp_path):
    few, path = rows_with(24, 50), tmp_path / "rows.labels"
    rows = concatenate([few] * (600 // len(few) + 1))
    scores = search_rows(rows, default_weights(), 2, 100, path)
    path.write_bytes(scores[:300].tobytes() + b"\x07")  # killed while it wrote
    steps = []
    again = search_rows(rows, default_weights(), 2, 100, path, progress=lambda done, total: steps.append((done, total)))
    assert (again == scores).all()
    assert steps[-1] == (len(rows), len(rows))


def test_scores_of_other_rows_are_refused(tmp_path):
    rows, path = rows_with(1, 3), tmp_path / "rows.labels"
    path.write_bytes(b"\0\0" * (len(rows) + 1))
    with pytest.raises(LabelError, match=r"rows\.labels"):
        search_rows(rows, default_weights(), 2, 100, path)


def test_an_unknown_selectivity_is_refused():
    with pytest.raises(ValueError, match="selectivity 80"):
        Searcher(default_weights(), 2, 80)
