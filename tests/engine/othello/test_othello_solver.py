"""The exact solver: published scores, the reference, symmetry, every mode, every number of threads."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numba.core import config

from fanqi.game import Player
from fanqi.othello import GAME, Position
from fanqi.search import Bound, Control, Limits, Settings, Solve

DEEP = {34, 35, 36, 37, 38, 39}
"""FFO problems that take longer than the others together; they are solved all the same, in one test."""


@pytest.fixture(scope="module")
def engine():
    made = GAME.engine()
    made.configure(Settings(hash_mib=64))
    return made


@pytest.fixture(scope="module")
def ffo(data):
    rows = (line.split("\t") for line in (data / "ffo.tsv").read_text().splitlines() if line[:1].isdigit())
    return {int(r[0]): (GAME.parse(f"{r[1]} {r[2]}"), int(r[3]), r[4].split()) for r in rows}


def solve(engine, position, mode=Solve.SCORE):
    result = engine.search(position, Limits(solve=mode), Control(), lambda info: None)
    return result, result.infos[0]


def images(own, opp):
    """The eight symmetric forms of a position."""
    squares = np.arange(64).reshape(8, 8)
    for turned in (squares, squares.T):
        for board in (turned, turned[::-1], turned[:, ::-1], turned[::-1, ::-1]):
            order = board.reshape(-1).tolist()
            yield tuple(sum(1 << i for i, s in enumerate(order) if bits >> s & 1) for bits in (own, opp))


def late_positions(games, empties):
    return [position for game in games for position in game if position.empties == empties and position.legal_moves()]


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
@pytest.mark.parametrize("hard", [False, True])
def test_ffo_one_to_thirty_nine(engine, ffo, hard):
    for number in range(1, 40):
        if (number in DEEP) == hard:
            position, score, best = ffo[number]
            result, info = solve(engine, position)
            assert (number, info.score_cp) == (number, 100 * score)
            assert (number, result.move) in [(number, move) for move in best]


@pytest.mark.skipif(config.DISABLE_JIT, reason="compiled in the other pass")
def test_solver_agrees_with_plain_negamax(engine, games, reference):
    for empties in (1, 2, 3, 4, 5, 6, 7):
        for position in late_positions(games, empties)[:40]:
            _, info = solve(engine, position)
            assert info.score_cp == 100 * reference.solve(position.own, position.opponent)


@pytest.mark.nojit
def test_solver_agrees_with_plain_negamax_at_the_very_end(engine, games, reference):
    for empties in (1, 3, 5):
        for position in late_positions(games, empties)[:3]:
            _, info = solve(engine, position)
            assert info.score_cp == 100 * reference.solve(position.own, position.opponent)


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
def test_symmetric_positions_have_the_same_score(engine, games):
    for position in late_positions(games, 14)[:6]:
        scores = set()
        for black, white in images(position.black, position.white):
            engine.new_game()
            scores.add(solve(engine, Position(black, white, position.turn))[1].score_cp)
        assert len(scores) == 1


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
def test_lines_of_solved_games_end_with_the_score(engine, ffo):
    for number in (1, 5, 9, 13, 20):
        position, score, _ = ffo[number]
        _, info = solve(engine, position)
        final = position
        for move in info.pv:
            final = final.play(move)
        margin = final.outcome().margin
        assert (margin if position.turn is Player.P1 else -margin) == score


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
def test_win_or_loss_is_told_without_the_score(engine, ffo):
    nodes = dict.fromkeys(Solve, 0)
    for number in (2, 4, 6, 8, 14, 18, 21):
        position, score, _ = ffo[number]
        for mode in Solve:
            engine.new_game()
            _, info = solve(engine, position, mode)
            nodes[mode] += info.nodes
            assert info.wdl == ((1000, 0, 0) if score > 0 else (0, 0, 1000) if score < 0 else (0, 1000, 0))
            expected = {Solve.SCORE: Bound.EXACT, Solve.WDL: Bound.LOWER if score > 0 else Bound.UPPER}[mode]
            assert info.bound is (Bound.EXACT if score == 0 else expected)
    assert nodes[Solve.WDL] < nodes[Solve.SCORE]


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
def test_draw_line_moves_what_is_a_win(ffo):
    position, score, _ = ffo[2]  # +10 for Black, who is to move
    for line, wdl in ((9, (1000, 0, 0)), (10, (0, 1000, 0)), (10.5, (0, 0, 1000)), (-20, (1000, 0, 0))):
        engine = GAME.engine()
        engine.configure(Settings(hash_mib=4, draw_line=line))
        for mode in Solve:
            _, info = solve(engine, position, mode)
            assert (score, line, info.wdl) == (10, line, wdl)


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
def test_draw_line_is_from_the_view_of_black(ffo):
    position, score, _ = ffo[2]
    turned = Position(position.white, position.black, Player.P2)  # +10 for White
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=4, draw_line=-score))
    assert solve(engine, turned)[1].wdl == (0, 1000, 0)


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
def test_contempt_lowers_the_value_of_a_draw_and_of_nothing_else(ffo):
    for contempt in (50, -150):
        engine = GAME.engine()
        engine.configure(Settings(hash_mib=16, contempt=contempt))
        for number in (4, 2, 21):
            position, score, _ = ffo[number]
            _, info = solve(engine, position)
            assert info.score_cp == (-contempt if score == 0 else 100 * score)


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_exact_scores(ffo, threads):
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=16, threads=threads))
    for number in (3, 10, 15, 19, 22, 25):
        position, score, best = ffo[number]
        engine.new_game()
        result, info = solve(engine, position)
        assert (number, info.score_cp) == (number, 100 * score)
        assert result.move in best


@pytest.mark.skipif(config.DISABLE_JIT, reason="compiled in the other pass")
def test_fewest_discs_is_solved_like_plain_negamax(games, reference):
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=4, objective="fewest"))

    def anti(own, opp):
        moves = reference.legal_moves(own, opp)
        if moves:
            played = (reference.play(own, opp, square) for square in range(64) if moves >> square & 1)
            return max(-anti(*after) for after in played)
        return -anti(opp, own) if reference.legal_moves(opp, own) else -reference.solve(own, opp)

    for empties in (1, 2, 4, 6):
        for position in late_positions(games, empties)[:25]:
            _, info = solve(engine, position)
            assert info.score_cp == 100 * anti(position.own, position.opponent)


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of nodes")
def test_changing_the_objective_forgets_the_other_game(games):
    engine = GAME.engine()
    position = late_positions(games, 10)[random.Random(1).randrange(10)]
    scores = []
    for objective in ("most", "fewest", "most"):
        engine.configure(Settings(hash_mib=4, objective=objective))
        scores.append(solve(engine, position)[1].score_cp)
    assert scores[0] == scores[2]
