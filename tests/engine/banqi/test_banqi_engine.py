"""The engine keeps its limits, reports what it should, and always answers with a legal move."""

from __future__ import annotations

import random
import threading
import time

import pytest

from fanqi.banqi import GAME
from fanqi.search import Clock, Control, Limits, Settings

MIDDLE = "XXrK/XX.r/XGgN/XPXX/m.XR/nX.R/cMpX/kMgX NCCPPPmncppp r 1 -"
OPEN = "..r./.g../..../R..K/..../.p.c/..M./k..P - r 5 -"


def think(position, settings=None, control=None, **limits):
    """(result, infos) of a search with a fresh engine."""
    engine = GAME.engine()
    engine.configure(settings or Settings(hash_mib=4))
    infos = []
    result = engine.search(position, Limits(**limits), control or Control(), infos.append)
    return result, infos


def random_positions(count, seed):
    chooser = random.Random(seed)
    positions = []
    while len(positions) < count:
        position = GAME.start()
        for _ in range(chooser.randint(1, 120)):
            if position.outcome():
                break
            move = chooser.choice(position.legal_moves())
            if position.needs_reveal(move):
                move += "=" + chooser.choice(position.covered())
            position = position.play(move)
        positions.append(position)
    return positions


def test_the_answer_is_legal_and_the_reports_make_sense():
    for position in random_positions(40, 1):
        result, infos = think(position, depth=4)
        if position.outcome():
            assert result.move is None and infos == []
            continue
        assert result.move in position.legal_moves()
        assert result.infos and result.infos[0].pv[0] == result.move
        for info in infos:
            assert info.seldepth >= info.depth >= 1 and info.nodes > 0
            assert sum(info.wdl) == 1000 and min(info.wdl) >= 0
            assert 0 <= info.hashfull <= 1000


def test_a_line_ends_at_its_first_flip_and_can_be_played():
    flips = 0
    for position in random_positions(40, 2):
        _, infos = think(position, depth=5)
        for info in infos:
            line = position
            for move in info.pv[:-1]:
                assert len(move) == 4
                line = line.play(move)
            assert info.pv[-1] in line.legal_moves()
            flips += len(info.pv[-1]) == 2
    assert flips > 0


def test_no_ponder_move_follows_a_flip_nor_is_one():
    for position in random_positions(40, 3):
        result, _ = think(position, depth=4)
        if result.ponder is not None:
            assert len(result.move) == 4 and len(result.ponder) == 4
            assert result.ponder in position.play(result.move).legal_moves()


@pytest.mark.parametrize("nodes", [1, 2, 17, 300, 5000])
def test_a_node_limit_is_kept_to_the_node(nodes):
    result, infos = think(GAME.parse(MIDDLE), nodes=nodes)
    assert result.move in GAME.parse(MIDDLE).legal_moves()
    assert result.infos[0].nodes <= nodes
    assert all(info.nodes <= nodes for info in infos)


def test_a_depth_limit_ends_the_search_and_every_depth_is_reported():
    _, infos = think(GAME.parse(MIDDLE), depth=4)
    assert [info.depth for info in infos] == [1, 2, 3, 4]


def test_the_same_search_twice_visits_the_same_nodes():
    first, second = (think(GAME.parse(MIDDLE), depth=6)[0].infos[0] for _ in range(2))
    assert (first.nodes, first.score_cp, first.pv) == (second.nodes, second.score_cp, second.pv)


def test_time_for_the_move_is_kept():
    control = Control()
    think(GAME.parse(MIDDLE), control=control, movetime_ms=200)
    assert control.stopped  # by its limit, not by itself


@pytest.mark.parametrize("limits", [{"movetime_ms": 300}, {"clock": Clock(remaining_ms=9000)}])
def test_one_of_several_moves_is_searched_as_deep_as_time_allows(limits):
    result, _ = think(GAME.parse(OPEN), moves=("a5b5",), **limits)
    assert result.move == "a5b5" and result.infos[0].depth > 3


def test_an_only_move_is_not_thought_about_on_a_clock():
    position = GAME.parse("Pr../..../..../..../..../..../.gg./cckm - r 0 -")
    assert position.legal_moves() == ("a8a7",)
    assert think(position, clock=Clock(remaining_ms=9000))[0].infos[0].depth == 1
    assert think(position, movetime_ms=50)[0].infos[0].depth > 1


def test_a_clock_is_spent_in_part_only():
    started = time.monotonic()
    result, _ = think(GAME.parse(MIDDLE), clock=Clock(remaining_ms=1500))
    assert result.move is not None
    assert time.monotonic() - started < 1.0


def test_a_stop_from_another_thread_ends_an_infinite_search():
    control = Control()
    answer = []
    thread = threading.Thread(
        target=lambda: answer.append(think(GAME.parse(MIDDLE), control=control, infinite=True)[0])
    )
    thread.start()
    control.wait_stopped(0.2)
    assert not answer
    control.stop()
    thread.join(5)
    assert answer[0].move in GAME.parse(MIDDLE).legal_moves()


def test_a_search_stopped_before_it_began_still_answers():
    control = Control()
    control.stop()
    result, _ = think(GAME.parse(OPEN), control=control, infinite=True)
    assert result.move in GAME.parse(OPEN).legal_moves()


def test_the_opening_is_answered_without_searching():
    result, infos = think(GAME.start(), Settings(multipv=3), infinite=True)
    assert result.move in GAME.start().legal_moves() and result.ponder is None
    assert [info.multipv for info in infos] == [1, 2, 3] and infos[0].nodes == 1


def test_the_root_can_be_restricted():
    moves = GAME.parse(MIDDLE).legal_moves()[-2:]
    result, infos = think(GAME.parse(MIDDLE), depth=3, moves=moves)
    assert result.move in moves
    assert all(info.pv[0] in moves for info in infos)


def test_several_lines_are_different_and_sorted():
    result, _ = think(GAME.parse(MIDDLE), Settings(hash_mib=4, multipv=4), depth=4)
    assert [info.multipv for info in result.infos] == [1, 2, 3, 4]
    assert len({info.pv[0] for info in result.infos}) == 4
    scores = [info.score_cp for info in result.infos]
    assert scores == sorted(scores, reverse=True)


def test_lines_stay_sorted_where_a_later_one_comes_out_better():
    position = GAME.parse("XXXX/mKXR/..../k.g./..MN/XXpX/g.XX/XXXp GGMNCPPmrncpp b 0 -")
    settings = Settings(hash_mib=4, multipv=5, stakes=True, contempt=-1000)
    result, _ = think(position, settings, depth=4)
    scores = [info.score_cp for info in result.infos]
    assert scores == sorted(scores, reverse=True)


def test_moves_never_searched_are_not_reported():
    result, _ = think(GAME.parse(MIDDLE), Settings(hash_mib=4, multipv=64), nodes=1)
    assert len(result.infos) == 1


def test_the_last_enemy_man_is_taken():
    win = GAME.parse("..../..../..../..../..../..../..../Rp.. - r 0 -")
    result, _ = think(win, depth=3)
    assert result.move == "a1b1" and result.infos[0].score_cp == 10000
    assert result.infos[0].wdl == (1000, 0, 0)


DRAWN = "P.../..../..../..../..../..../..../...k - r 0"


@pytest.mark.parametrize(
    ("fen", "rules", "proven"),
    [
        (f"{DRAWN} -", "", True),
        (f"{DRAWN} r:a8>d1=1", "", True),
        (f"{DRAWN} r:a8>d1=2", "", False),
        (f"{DRAWN} -", "chase=3", False),
        (f"{DRAWN} -", "noprogress=20", False),
        (f"{DRAWN} -", "repetition=3", True),
        (OPEN, "", False),
        ("..../..../..../..../..../.p../.R../.... - r 0 -", "", True),
        ("..../..../..../..X./..../.p../.R../.... p r 0 -", "", False),
    ],
)
def test_a_score_is_proven_by_the_end_of_the_game_or_by_tables_that_count(fen, rules, proven):
    result, _ = think(GAME.parse(fen, rules), depth=2)
    assert result.infos[0].proven is proven


def test_a_forced_win_beyond_the_tables_is_proven():
    result, _ = think(GAME.parse("..../..../..../KGMR/..../.p../.R../.... - r 0 -"), depth=3)
    assert result.infos[0].proven


def test_a_banned_chase_is_no_move_for_the_search():
    position = GAME.parse("..../.n../..../.R../..../..../..../...K - r 11 r:b5>b7=5")
    _, infos = think(position, Settings(hash_mib=4, multipv=10), depth=5)
    assert all(info.pv[0] != "b5b6" for info in infos)


def test_the_draw_by_quiet_plies_is_seen_coming():
    hopeless = GAME.parse("..../..../..../..../..../..../r.../...K - r 58 -")
    result, _ = think(hopeless, depth=8)
    assert result.infos[0].score_cp == 0


def test_contempt_moves_the_value_of_a_draw():
    drawn = GAME.parse("..../..../..../..../..../..../r.../...K - r 58 -")
    result, _ = think(drawn, Settings(hash_mib=4, contempt=50), depth=8)
    assert result.infos[0].score_cp == pytest.approx(-50, abs=1)


def test_the_covered_layout_cannot_reach_the_search():
    """Two fens that differ only in the order of the covered pieces are searched node by node alike."""
    fields = MIDDLE.split()
    other = " ".join([fields[0], fields[1][::-1], *fields[2:]])
    first, second = (think(GAME.parse(fen), depth=5)[0] for fen in (MIDDLE, other))
    assert first.move == second.move
    assert first.infos[0].nodes == second.infos[0].nodes


def test_low_skill_plays_other_moves_than_full_strength():
    moves = {
        level: [
            think(position, Settings(hash_mib=4, skill_level=level), depth=4)[0].move
            for position in random_positions(25, 5)
        ]
        for level in (0, 20)
    }
    assert moves[0] != moves[20]


def test_the_breakdown_adds_up_where_the_whole_advantage_counts():
    position = GAME.parse(MIDDLE)
    total, terms = GAME.engine().evaluate(position)
    names = [term.name for term in terms]
    assert {"kings", "pawns", "mobility", "threats", "hunters near prey"} <= set(names)
    assert abs(sum(term.cp or 0 for term in terms) - total) <= 2
    assert GAME.engine().evaluate(GAME.start())[0] == 0


def test_the_evaluation_is_the_same_from_both_sides_but_for_the_move():
    for position in random_positions(60, 6)[10:]:
        if position.outcome():
            continue
        swapped = position.fen().swapcase().replace("x", "X").split()
        swapped[2] = {"R": "b", "B": "r"}[swapped[2]]
        swapped[4] = "-"
        assert GAME.engine().evaluate(GAME.parse(" ".join(swapped)))[0] == GAME.engine().evaluate(position)[0]
