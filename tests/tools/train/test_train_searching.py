"""Labels by search: they are the scores of the engine's search, whatever is searched beside them."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fanqi.bits import address_of
from fanqi.othello.patterns import default_weights
from fanqi.train.playing import BLOCK_WORDS, search_score
from fanqi.train.positions import concatenate
from fanqi.train.searching import Searcher, search_rows
from fanqi.train.side_file import SideFileError
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
    path.write_bytes(path.read_bytes()[: -2 * (len(rows) - 300)] + b"\x07")  # killed while it wrote
    steps = []
    again = search_rows(rows, default_weights(), 2, 100, path, progress=steps.append)
    assert (again == scores).all()
    assert steps[0] > 300
    assert steps[-1] == len(rows)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"depth": 4}, "begun with depth 2, but this is depth 4; ask for the same as before to go on, or remove"),
        ({"selectivity": 73}, "begun with selectivity 100, but this is selectivity 73"),
        ({"weights": True}, r"begun with weights \w{12}, but this is weights \w{12}"),
        ({"rows": True}, r"begun with positions \d+ rows \w{12}, but this is positions \d+ rows \w{12}"),
    ],
)
def test_what_was_begun_with_other_settings_is_refused_and_left(tmp_path, change, complaint):
    rows, path, weights = rows_with(24, 25), tmp_path / "rows.labels", default_weights()
    search_rows(rows, weights, 2, 100, path)
    before = path.read_bytes()
    if change.pop("rows", False):
        rows = rows.take(np.arange(len(rows))[::-1])
    if change.pop("weights", False):
        other = dataclasses.replace(weights.evaluation, bias=weights.evaluation.bias + np.int16(1))
        weights = dataclasses.replace(weights, evaluation=other)
    settings = {"depth": 2, "selectivity": 100} | change
    with pytest.raises(SideFileError, match=rf"rows\.labels: {complaint}"):
        search_rows(rows, weights, path=path, **settings)
    assert path.read_bytes() == before


def test_searching_does_not_go_on_with_exact_scores(tmp_path):
    rows, path = rows_with(1, 4), tmp_path / "rows.labels"
    solve_rows(rows, default_weights(), path)
    with pytest.raises(
        SideFileError, match=r"begun with labels exact, depth none, .*but this is labels search, depth 2"
    ):
        search_rows(rows, default_weights(), 2, 100, path)


def test_an_unknown_selectivity_is_refused():
    with pytest.raises(ValueError, match="selectivity 80"):
        Searcher(default_weights(), 2, 80)
