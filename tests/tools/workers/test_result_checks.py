"""Whether a result can be that of its job: what each kind of job is checked for."""

from __future__ import annotations

import re

import msgspec
import pytest

from fanqi.arbiter import Arbiter
from fanqi.jobs import selfplay_check
from fanqi.jobs.check import objection_to_result
from fanqi.jobs.context import Context
from fanqi.jobs.run import run_job
from fanqi.match.config import Adjudication
from fanqi.match.dialects import Timeouts
from fanqi.match.limit import Limit, parse_time_control
from fanqi.match.openings import START, RandomOpenings
from fanqi.match.pair_order import encode_order, order_of
from fanqi.match.record import decode_record, encode_record
from fanqi.match.referee import GamePlan
from fanqi.mqtt.codec import decode_result, encode
from fanqi.mqtt.work import (
    Analyse,
    Game,
    Play,
    Player,
    PlayResult,
    PositionSpec,
    SearchLimits,
    Selfplay,
)

BUILTIN = {f"builtin:{name}": f"builtin:{name}" for name in ("greedy", "random")}


def done(work):
    context = Context()
    context.begin(1, 4)
    return decode_result(encode(run_job(work, context, BUILTIN)))


def changed(value, **fields):
    return msgspec.structs.replace(value, **fields)


@pytest.fixture(scope="module")
def analysis():
    work = Analyse(position=PositionSpec(game="othello", moves=("f5", "d6")), limits=SearchLimits(depth=4), multipv=2)
    return work, done(work)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda r: changed(r, move="a1"), "the move 'a1' is not legal"),
        (lambda r: changed(r, move="\x1b[2J"), r"the move '\\x1b\[2J' is not legal"),
        (lambda r: changed(r, move=r.move.upper()), "is not legal"),
        (lambda r: changed(r, move=None), "no move, but"),
        (lambda r: changed(r, ponder="a1"), "the answer expected 'a1' is not legal"),
        (lambda r: changed(r, lines=()), "0 lines, 2 were asked for"),
        (lambda r: changed(r, lines=r.lines * 2), "4 lines"),
        (lambda r: changed(r, lines=(r.lines[0], changed(r.lines[0], multipv=2))), "begin with the same move"),
        (lambda r: changed(r, lines=r.lines[::-1]), "line 1 says that it is line 2"),
        (lambda r: changed(r, lines=(changed(r.lines[0], score_cp=6401),)), "score 6401"),
        (lambda r: changed(r, lines=(changed(r.lines[0], score_cp=None),)), "without a score"),
        (lambda r: changed(r, lines=(changed(r.lines[0], depth=3),)), "depth 3, 4 was asked for"),
        (lambda r: changed(r, lines=(changed(r.lines[0], depth=5),)), "depth 5, 4 was asked for"),
        (lambda r: changed(r, lines=(changed(r.lines[0], wdl=(1, 1, 1)),)), "chances of 3 per mille"),
        (lambda r: changed(r, lines=(changed(r.lines[0], pv=(*r.lines[0].pv[:1], "a1")),)), "move 2 of a line 'a1'"),
    ],
)
def test_an_analysis_that_cannot_be_right_is_found(analysis, change, reason):
    work, result = analysis
    assert objection_to_result(work, result) is None
    assert re.search(reason, objection_to_result(work, change(result)) or "nothing")


@pytest.fixture(scope="module")
def review():
    work = Game(position=PositionSpec(game="othello", moves=("f5", "d6", "c3")), limits=SearchLimits(depth=2))
    return work, done(work)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"ply": 7}, "ply 7 in the place of ply 2"),
        ({"move": "a1"}, "ply 2: 'a1' reviewed, c3 was played"),
        ({"best": "a1"}, "ply 2: the best move 'a1' is not legal"),
        ({"best": None}, "ply 2: no best move"),
        ({"best_cp": 3_000}, "ply 2: the best move has 3000"),
        ({"move_cp": -9_999}, "ply 2: score -9999"),
        ({"loss_cp": 4_321}, "ply 2: a loss of 4321"),
    ],
)
def test_a_review_that_cannot_be_right_is_found(review, fields, reason):
    work, result = review
    assert objection_to_result(work, result) is None
    wrong = (*result.moves[:2], changed(result.moves[2], **fields))
    assert reason in (objection_to_result(work, changed(result, moves=wrong)) or "nothing")
    assert "2 moves reviewed" in objection_to_result(work, changed(result, moves=result.moves[:2]))


@pytest.fixture(scope="module", params=["othello", "banqi"])
def selfplay(request):
    work = Selfplay(game=request.param, games=2, seed=4, depth=1, exact=4)
    return work, done(work)


def test_games_of_self_play_are_those_of_their_seed(selfplay):
    work, result = selfplay
    assert objection_to_result(work, result) is None
    assert objection_to_result(changed(work, seed=5), result) is not None
    assert "3 were asked for" in objection_to_result(changed(work, games=3), result)
    assert "positions announced" in objection_to_result(work, changed(result, positions=1))
    for at in range(60, len(result.records), max(1, len(result.records) // 12)):
        cut = changed(result, records=result.records[:at])
        assert objection_to_result(work, cut) is not None


def test_flips_show_what_the_deal_of_the_seed_has(monkeypatch):
    work = Selfplay(game="banqi", games=1, seed=4, depth=1)
    result = done(work)
    assert objection_to_result(work, result) is None
    other = Arbiter.new(99)
    monkeypatch.setattr(selfplay_check.Arbiter, "new", lambda seed: other)
    assert re.fullmatch(r"game 0: ply \d+: .*, another piece lies there", objection_to_result(work, result))


def order(game, **adjudication):
    opening = RandomOpenings("othello", "", 4, 5).opening(1) if game == "othello" else START
    plans = [
        GamePlan(number, 1, 1, game, "", "", opening, None if game == "othello" else 2**100, False, (1, 2), 1000)
        for number in (1, 2)
    ]
    limits = (Limit(depth=1), Limit(tc=parse_time_control("60+0.5")))
    settings = encode_order(order_of(plans, limits, Adjudication(**adjudication), Timeouts()))
    players = (Player(name="a", engine="builtin:greedy"), Player(name="b", engine="builtin:random"))
    return Play(game=game, players=players, settings=settings)


@pytest.fixture(scope="module")
def pairs():
    return {
        "othello": (othello := order("othello"), done(othello)),
        "banqi": (banqi := order("banqi"), done(banqi)),
        "adjudicated": (short := order("othello", max_plies=20), done(short)),
        "solved": (solved := order("othello", solve_empties=6), done(solved)),
    }


@pytest.mark.parametrize("name", ["othello", "banqi", "adjudicated", "solved"])
def test_records_of_a_pair_as_the_referee_writes_them_are_believed(pairs, name):
    assert objection_to_result(*pairs[name]) is None


def test_what_ended_a_game_must_be_what_was_ordered(pairs):
    assert "adjudicated_length" in objection_to_result(pairs["othello"][0], pairs["adjudicated"][1])
    assert "the game was over by adjudicated" in objection_to_result(pairs["adjudicated"][0], pairs["othello"][1])


@pytest.mark.parametrize("game", ["othello", "banqi"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda r: {"moves": [*r.moves[:-1], "a1"]}, "a1"),
        (lambda r: {"moves": r.moves[:-1]}, "times for"),
        (lambda r: {"final": r.final[::-1]}, "recorded is"),
        (lambda r: {"result": changed(r.result, winner="p2" if r.result.winner == "p1" else "p1")}, "the result is"),
        (lambda r: {"result": None}, "the result is"),
        (lambda r: {"termination": "resigned"}, "the result is"),
        (lambda r: {"players": r.players[::-1]}, "players"),
        (lambda r: {"limits": ("depth=9", "depth=9")}, "limits"),
        (lambda r: {"round": 2}, "round"),
        (lambda r: {"rules": "chase=off"}, "rules"),
        (lambda r: {"date": "\x1b"}, "is not a time"),
        (lambda r: {"number": 5}, "records of games"),
        (lambda r: {"clocks": [1] * len(r.moves)}, "on the clock"),
        (lambda r: {"times": []}, "no time"),
        (lambda r: {"evals": [1e300] * 3}, "3 evals"),
    ],
)
def test_a_record_that_does_not_follow_from_its_order_is_found(pairs, game, change, reason):
    work, result = pairs[game]
    record = decode_record(result.records[0])
    wrong = encode_record(changed(record, **change(record)))
    assert reason in (objection_to_result(work, PlayResult(records=(wrong, result.records[1]))) or "nothing")


def test_a_deal_of_another_seed_or_none_is_found(pairs):
    work, result = pairs["banqi"]
    record = decode_record(result.records[0])
    other = Arbiter.new(7)
    other.finish()
    opened = other.open()
    proof = changed(
        record.deal, seed="7", layout=opened.deal.layout, draw=opened.deal.draw, salt=opened.salt.hex(),
        commitment=other.commitment,
    )  # fmt: skip
    for deal, reason in ((None, "the deal is missing"), (proof, "the deal of seed '7'")):
        wrong = encode_record(changed(record, deal=deal))
        assert reason in objection_to_result(work, PlayResult(records=(wrong, result.records[1])))
