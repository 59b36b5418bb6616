"""The book that comes with the program."""

from __future__ import annotations

from importlib import resources

import numpy as np

from fanqi.othello import Position
from fanqi.othello_book import packaged_book


def test_it_is_small_and_says_how_it_was_made():
    data = resources.files("fanqi.othello_book").joinpath("data", "book.msgpack").read_bytes()
    assert len(data) < 1_500_000
    book = packaged_book()
    assert len(book) > 10_000
    assert 0 < book.error < 10
    assert {"engine", "evaluation", "depth", "selectivity", "exact", "date", "error_depth"} <= set(book.head.provenance)


def test_it_knows_every_first_and_second_move():
    book = packaged_book()
    for first in Position().legal_moves():
        after = Position().play(first)
        assert book.value(after) is not None
        known = {move.move for move in book.advice(after).moves if move.linked}
        assert known == set(after.legal_moves())


def test_its_values_are_the_best_of_its_moves():
    book = packaged_book()
    columns = book.columns
    for row in np.linspace(0, len(book) - 1, 300).astype(int).tolist():
        position = Position(int(columns.own[row]), int(columns.opponent[row]))
        advice = book.advice(position)
        if advice.moves:
            assert advice.value == advice.moves[0].value
        assert {move.move for move in advice.moves} <= set(position.legal_moves())
