"""The engine as its callers see it: legal whatever stops it, and exact where it says so."""

from __future__ import annotations

import threading

import pytest

from fanqi.othello import GAME
from fanqi.search import Bound, Clock, Control, Limits, Settings, Solve

MUST_PASS = "---OXOOO--OOXXOXOOOOXOOXOOXXOXXXOOXOXXXXXXOXXXXXXXXOXXXOOOOOOXXX O"
FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


@pytest.fixture
def engine():
    made = GAME.engine()
    made.configure(Settings(hash_mib=4))
    return made


def think(engine, position, limits, control=None):
    infos = []
    result = engine.search(position, limits, control or Control(), infos.append)
    return result, infos


@pytest.mark.parametrize(
    "limits",
    [
        Limits(nodes=1),
        Limits(depth=1),
        Limits(movetime_ms=1),
        Limits(clock=Clock(1)),
        Limits(clock=Clock(50, 10)),
        Limits(nodes=5000),
        Limits(depth=6),
    ],
)
def test_answer_is_legal_and_explained_under_any_limit(engine, games, limits):
    for position in games[0][::7] + games[1][-6:-1]:
        if not position.legal_moves():
            continue
        result, infos = think(engine, position, limits)
        assert result.move in position.legal_moves()
        assert infos
        assert result.infos[0].pv[0] == result.move
        follow = position.play(result.move)
        assert result.ponder is None or result.ponder in follow.legal_moves()


def test_variations_can_be_played_out(engine, games):
    for position in games[2][5:-1:6]:
        _, infos = think(engine, position, Limits(depth=8))
        for info in infos:
            follow = position
            for move in info.pv:
                follow = follow.play(move)


@pytest.mark.nojit
def test_loss_on_the_last_square_is_solved(engine):
    lost = GAME.parse("-OX" + "O" * 60 + "X X")
    result, infos = think(engine, lost, Limits(solve=Solve.WDL))
    assert (result.move, infos[-1].score_cp < 0) == ("a1", True)


def test_finished_game_has_no_move(engine):
    over = GAME.parse("X" * 64 + " X")
    assert think(engine, over, Limits(depth=3)) == (engine.search(over, Limits(), Control(), print), [])
    assert engine.search(over, Limits(), Control(), print).move is None


def test_forced_pass_is_answered_with_pass(engine):
    result, infos = think(engine, GAME.parse(MUST_PASS), Limits(depth=20))
    assert result.move == "pass"
    assert infos[-1].pv[0] == "pass"


def test_solving_gives_the_published_score_and_the_whole_line(engine):
    position = GAME.parse(FFO_1)
    result, infos = think(engine, position, Limits(solve=Solve.SCORE))
    last = infos[-1]
    assert (result.move, last.score_cp, last.selectivity, last.bound) == ("g8", 1800, 100, Bound.EXACT)
    assert last.wdl == (1000, 0, 0)
    assert last.depth == position.empties


def test_a_score_is_proven_once_it_is_that_of_the_end_without_doubt(engine):
    _, infos = think(engine, GAME.parse(FFO_1), Limits(solve=Solve.SCORE))
    solved = [info.depth == 14 and info.selectivity == 100 and info.bound is Bound.EXACT for info in infos]
    assert [info.proven for info in infos] == solved
    assert solved[-1] and not solved[0]


def test_a_depth_limits_a_solution_too(engine):
    limits = Limits(solve=Solve.SCORE, depth=3)
    result, _ = think(engine, GAME.start(), limits)
    assert result.infos[0].depth == 3


def test_search_moves_are_obeyed(engine):
    result, infos = think(engine, GAME.parse(FFO_1), Limits(depth=30, moves=("h1", "a2")))
    assert (result.move, infos[-1].score_cp) == ("h1", 1200)


def test_several_lines_are_the_best_moves_in_order(engine):
    engine.configure(Settings(hash_mib=4, multipv=4))
    result, _ = think(engine, GAME.parse(FFO_1), Limits(solve=Solve.SCORE))
    assert [(info.pv[0], info.score_cp, info.multipv) for info in result.infos] == [
        ("g8", 1800, 1),
        ("h1", 1200, 2),
        *sorted([("a2", 600, 3), ("h7", 600, 4)], key=lambda entry: entry[0] != result.infos[2].pv[0]),
    ] or {info.pv[0] for info in result.infos[2:]} == {"a2", "h7"}


def test_stop_ends_an_infinite_search(engine):
    control = Control()
    timer = threading.Timer(0.2, control.stop)
    timer.start()
    result, _ = think(engine, GAME.start(), Limits(infinite=True), control)
    assert control.stopped
    assert result.move in GAME.start().legal_moves()


@pytest.mark.nojit
def test_search_already_stopped_still_answers(engine):
    control = Control()
    control.stop()
    result, infos = think(engine, GAME.start(), Limits(infinite=True), control)
    assert result.move in GAME.start().legal_moves()
    assert infos[-1].depth == 1


def test_same_search_twice_visits_the_same_nodes(engine):
    def nodes():
        engine.new_game()
        return think(engine, GAME.start().play("f5"), Limits(depth=9))[1][-1].nodes

    assert nodes() == nodes()


def test_low_skill_chooses_by_seed_and_stays_legal(engine):
    def choice(seed):
        engine.configure(Settings(hash_mib=4, skill_level=0, seed=seed))
        engine.new_game()
        return think(engine, GAME.start().play("f5").play("d6"), Limits(movetime_ms=50))[0].move

    assert [choice(seed) for seed in range(12)] == [choice(seed) for seed in range(12)]
    assert len({choice(seed) for seed in range(12)}) > 1


@pytest.mark.nojit
def test_breakdown_names_what_players_look_at(engine):
    total, terms = engine.evaluate(GAME.start().play("f5"))
    shown = {term.name: term for term in terms}
    assert (shown["mobility"].own, shown["mobility"].opponent) == (3, 3)
    assert shown["potential mobility"].own == 13
    assert {"stable discs", "corners", "C squares", "X squares", "parity regions"} <= shown.keys()
    assert [(term.name, term.cp) for term in terms if term.cp is not None] == [("patterns", total)]
    engine.configure(Settings(hash_mib=4, objective="fewest"))
    total, terms = engine.evaluate(GAME.start().play("f5"))
    assert [(term.name, term.cp) for term in terms if term.cp is not None] == [("features", total)]
