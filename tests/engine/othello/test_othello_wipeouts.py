"""No search plays into the loss of all discs that is within its sight, nor calls it anything else."""

from __future__ import annotations

import random

import numpy as np
import pytest
import wipeouts

from fanqi.othello import GAME, Position
from fanqi.othello import context as ctx
from fanqi.othello.context import SearchContext
from fanqi.othello.midgame.wipeout import wiped_out_by
from fanqi.othello.patterns import LIMIT
from fanqi.othello.table import HIGHEST
from fanqi.search import Bound, Control, Limits, Settings

LINES = wipeouts.read()
WHITE_LOSES_ALL = "f5d6c7f4e3f6g5f2c5f3g1d3f7"
"""After it c4 c3 e2 e1 leaves White without a disc."""


@pytest.fixture(scope="module")
def engine():
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=16))
    return engine


@pytest.fixture
def unproved(monkeypatch):
    """The search has to see by itself what loses all discs."""
    monkeypatch.setattr("fanqi.othello.engine.PROOF_POSITIONS", 0)


def ignored(info) -> None:
    """A listener to reports that are not looked at."""


def position_of(moves: str) -> Position:
    return Position(*wipeouts.replay(moves))


def test_the_file_has_a_thousand_positions_and_names_every_move_that_loses_all_discs():
    assert len(LINES) == len({moves for moves, _ in LINES}) == 1000
    for moves, lost in random.Random(1).sample(LINES, 100):
        assert wipeouts.losing(*wipeouts.replay(moves)) == lost


def test_the_proof_at_the_root_finds_the_same_moves_at_the_same_number_of_plies():
    context = SearchContext()
    for moves, lost in LINES:
        own, opp = wipeouts.replay(moves)
        legal = np.uint64(sum(1 << square for square in wipeouts.moves_of(own, opp)))
        for plies in range(2, wipeouts.PLIES + 1, 2):
            context.block[ctx.PROOF_LEFT] = 1_000_000
            found = int(wiped_out_by(context.address, np.uint64(own), np.uint64(opp), legal, plies))
            assert {wipeouts.name(square) for square in wipeouts.squares(found)} == {
                move for move, within in lost.items() if within <= plies
            }


def test_a_proof_without_room_proves_nothing():
    context = SearchContext()
    own, opp = wipeouts.replay(WHITE_LOSES_ALL)
    c4 = np.uint64(1 << 26)
    context.block[ctx.PROOF_LEFT] = 1
    assert int(wiped_out_by(context.address, np.uint64(own), np.uint64(opp), c4, 4)) == 0
    context.block[ctx.PROOF_LEFT] = 1000
    assert int(wiped_out_by(context.address, np.uint64(own), np.uint64(opp), c4, 4)) == c4


@pytest.mark.parametrize("nodes", [1000, 12_000, 120_000])
def test_no_node_limit_plays_into_the_loss_of_all_discs_or_scores_it_above(engine, nodes):
    for moves, lost in LINES[:: 2 if nodes < 100_000 else 25]:
        assert wipeouts.faults(engine, moves, lost, nodes) == []


def test_a_move_that_loses_all_discs_is_scored_so_when_it_is_asked_for(engine):
    for moves, lost in LINES[::5]:
        for move in lost:
            engine.new_game()
            result = engine.search(position_of(moves), Limits(nodes=1000, moves=(move,)), Control(), ignored)
            assert (result.move, result.infos[0].score_cp, result.infos[0].bound) == (move, -6400, Bound.EXACT)


def test_of_moves_that_all_lose_all_discs_the_slowest_is_played(engine):
    compared = 0
    for moves, lost in LINES:
        fast, slow = min(lost, key=lost.__getitem__), max(lost, key=lost.__getitem__)
        if lost[fast] < lost[slow] and list(lost.values()).count(lost[slow]) == 1:
            engine.new_game()
            result = engine.search(position_of(moves), Limits(nodes=1000, moves=tuple(lost)), Control(), ignored)
            assert result.move == slow
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("nodes", [594_000, 625_000, 660_000])
def test_no_shallow_value_passes_for_a_deep_bound_where_few_discs_are_left(engine, unproved, nodes):
    engine.new_game()
    result = engine.search(position_of(WHITE_LOSES_ALL), Limits(nodes=nodes), Control(), ignored)
    assert result.move != "c4"


@pytest.mark.parametrize(
    ("moves", "move"),
    [
        ("d3c3b3e3f5d2f3d6e1f4d7", "f6"),
        ("e6f6g6e3c3c5b5b2f2e7d8g7d6", "e2"),
        ("d3c3e6d2c2e3c4b5b3b1d1c1f3b2a1c5a6a2b6a3b4a4e1d6a5f2g1e2e7", "g4"),
    ],
)
def test_probcut_leaves_positions_alone_where_a_side_has_few_discs(engine, unproved, moves, move):
    engine.new_game()
    limits = Limits(depth=12, certainty=73, moves=(move,))
    assert engine.search(position_of(moves), limits, Control(), ignored).infos[0].score_cp == -6400


def test_a_search_of_one_ply_sees_the_reply_that_takes_all_discs(engine, unproved):
    seen = 0
    for moves, lost in LINES:
        position = position_of(moves)
        for move in (move for move, plies in lost.items() if plies == 2):
            engine.new_game()
            result = engine.search(position, Limits(depth=1, moves=(move,)), Control(), ignored)
            assert result.infos[0].score_cp == -6400
            seen += 1
    assert seen > 500


def test_a_search_of_one_ply_sees_the_move_that_takes_all_discs(engine):
    for moves, lost in LINES:
        for move in (move for move, plies in lost.items() if plies == 2):
            after = position_of(moves).play(move)
            engine.new_game()
            assert engine.search(after, Limits(depth=1), Control(), ignored).infos[0].score_cp == 6400


def test_no_evaluation_says_that_all_discs_are_lost():
    assert int(HIGHEST) > LIMIT
