"""Perft: published counts, the reference, and the sum of its parts."""

from __future__ import annotations

import pytest
from numba.core import config

from fanqi.othello import GAME

MUST_PASS = "---OXOOO--OOXXOXOOOOXOOXOOXXOXXXOOXOXXXXXXOXXXXXXXXOXXXOOOOOOXXX O"


@pytest.fixture(scope="module")
def counts(data):
    lines = (data / "perft.tsv").read_text().splitlines()
    return dict(map(int, line.split()) for line in lines if line[:1].isdigit())


@pytest.mark.skipif(config.DISABLE_JIT, reason="three hundred million leaves")
def test_published_counts_to_depth_twelve(counts):
    for depth in range(1, 13):
        assert GAME.perft(None, depth) == counts[depth]


@pytest.mark.nojit
def test_published_counts_uncompiled(counts):
    assert [GAME.perft(None, depth) for depth in range(5)] == [1, *(counts[depth] for depth in range(1, 5))]


@pytest.mark.nojit
def test_random_positions_against_the_reference(games, reference):
    for game in games[:4]:
        for position in game[::6]:
            assert GAME.perft(position.fen(), 3) == reference.perft(position.own, position.opponent, 3)


def test_late_positions_to_the_end_against_the_reference(games, reference):
    for game in games:
        position = game[-5]
        assert GAME.perft(position.fen(), 7) == reference.perft(position.own, position.opponent, 7)


@pytest.mark.nojit
def test_pass_is_a_ply_and_the_end_a_leaf(rule_vectors):
    assert GAME.perft_divide(MUST_PASS, 1) == [("pass", 1)]
    assert GAME.perft(MUST_PASS, 2) == len(GAME.parse(MUST_PASS).play("pass").legal_moves())
    over = next(e for e in rule_vectors if e["id"] == "h1_empty_game_over")["board"] + " X"
    assert [GAME.perft(over, depth) for depth in (0, 1, 5)] == [1, 1, 1]
    assert GAME.perft_divide(over, 5) == []


def test_divide_adds_up():
    start = GAME.start()
    parts = GAME.perft_divide(None, 6)
    assert [move for move, _ in parts] == list(start.legal_moves())
    assert sum(leaves for _, leaves in parts) == GAME.perft(None, 6)
    for move, leaves in parts:
        assert GAME.perft(start.play(move).fen(), 5) == leaves


def test_divide_counts_the_same_in_small_parts_and_across_passes_and_ends(monkeypatch):
    expected = {fen: GAME.perft_divide(fen, 6) for fen in (None, MUST_PASS)}
    monkeypatch.setattr("fanqi.othello.game.LEAVES_AT_A_TIME", 1000)
    assert {fen: GAME.perft_divide(fen, 6) for fen in (None, MUST_PASS)} == expected


def test_divide_stops_within_a_move():
    asked = iter([False] * 20)
    assert GAME.perft_divide(None, 30, stopped=lambda: next(asked, True)) == []
