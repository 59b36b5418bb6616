"""What a worker takes, and with which words it refuses the rest."""

from __future__ import annotations

import msgspec
import pytest

from fanqi.mqtt.codec import encode
from fanqi.mqtt.messages import Assign
from fanqi.mqtt.work import Analyse, Game, Ping, Play, Player, PositionSpec, SearchLimits, Selfplay
from fanqi.workers.admission import Allowance, Offer, objection

OFFER = Offer(
    kinds=("analyse", "game", "play", "selfplay", "ping"),
    games=("othello",),
    engines=(("builtin:fanqi", "builtin:fanqi"), ("edax", "nboard:/opt/edax")),
    threads=2,
    hash_mib=64,
)
ALLOWANCE = Allowance(seconds=100.0, nodes=1000, multipv=3, positions=5, work_bytes=2000)
START = PositionSpec(game="othello")


def refused(work, offer=OFFER, **assign):
    raw = msgspec.Raw(encode(work))
    given = {"threads": 1, "hash_mib": 16, "lease_s": 10.0} | assign
    return objection(Assign(job="d-1", attempt=1, expires=0, work=raw, **given), work, offer, ALLOWANCE)


def analyse(multipv=1, position=START, **limits):
    return Analyse(position=position, limits=SearchLimits(**limits), multipv=multipv)


@pytest.mark.parametrize(
    "work",
    [
        Ping(),
        analyse(depth=30),
        analyse(nodes=1000, multipv=3),
        analyse(movetime_ms=100_000),
        Game(position=PositionSpec(game="othello", moves=("f5",) * 5), limits=SearchLimits(depth=1)),
        Selfplay(game="othello", games=5, seed=1, depth=3),
        Play(
            game="othello",
            players=(Player(name="a", engine="builtin:fanqi"), Player(name="b", engine="edax")),
            settings=b"",
        ),
    ],
)
def test_what_is_within_the_limits_is_taken(work):
    assert refused(work) is None


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (analyse(), "a search without any limit"),
        (analyse(nodes=1001), "1001 nodes, 1000 are allowed"),
        (analyse(movetime_ms=100_001), "movetime 100001 ms, 100000 are allowed"),
        (analyse(depth=1, multipv=4), "MultiPV 4, 3 is allowed"),
        (analyse(depth=1, position=PositionSpec(game="chess")), "does not play 'chess'"),
        (
            Game(position=PositionSpec(game="othello", moves=("f5",) * 6), limits=SearchLimits(depth=1)),
            "a game of 6 moves, 5 are allowed",
        ),
        (Selfplay(game="othello", games=6, seed=1, depth=3), "6 games, 5 are allowed"),
        (
            Play(
                game="othello",
                players=(Player(name="a", engine="builtin:fanqi"), Player(name="b", engine="/bin/sh -c evil")),
                settings=b"",
            ),
            "no engine called '/bin/sh -c evil' is configured",
        ),
        (analyse(depth=1, position=PositionSpec(game="othello", moves=("f5",) * 1500)), "bytes, 2000 are allowed"),
    ],
)
def test_what_is_beyond_them_is_refused_with_both_figures(work, reason):
    assert reason in refused(work)


@pytest.mark.parametrize(
    ("assign", "reason"),
    [
        ({"threads": 3}, "3 threads, there are 2"),
        ({"hash_mib": 65}, "65 MiB of hash, there are 64"),
        ({"lease_s": 101.0}, "a lease of 101 s, 100 are allowed"),
    ],
)
def test_a_share_of_the_machine_that_is_too_large_is_refused(assign, reason):
    assert refused(Ping(), **assign) == reason


def test_a_kind_that_is_not_offered_is_refused():
    assert refused(Ping(), Offer(kinds=("analyse",), games=())) == "does no ping jobs"
