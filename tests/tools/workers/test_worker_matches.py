"""Matches whose pairs are played by workers: the same games as at home, and nothing a worker would not allow."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from mosquitto import Mosquitto
from waiting import until

from fanqi.dispatch.ledger import Ledger
from fanqi.match import api
from fanqi.match.api import begin_match, resume_match, run_runner
from fanqi.match.config import MatchConfig
from fanqi.match.errors import ConfigurationError
from fanqi.match.limit import Limit
from fanqi.match.openings import RandomOpenings
from fanqi.match.pair_order import PairEngine, decode_order, encode_order, order_of, play_order
from fanqi.match.referee import GamePlan
from fanqi.match.remote import RemotePairs
from fanqi.match.runner import MatchRunner, Status
from fanqi.match.specification import parse_engine
from fanqi.match.store import read_journal
from fanqi.mqtt import Hub, Topics, complete_address
from fanqi.mqtt.work import KINDS
from fanqi.workers.admission import Offer
from fanqi.workers.local import local_workers

INSTANT = Path(__file__).parents[1] / "match" / "engines" / "instant.py"
COMMAND = f"{sys.executable} {INSTANT}"


def config(*engines, game="othello", games=4, **rest):
    limit = Limit(depth=1)
    chosen = tuple(parse_engine(text, limit) for text in engines)
    return MatchConfig(game=game, engines=chosen, games=games, seed="5", **rest)


def games_of(directory):
    return {
        record.number: (record.players, record.moves, record.result, record.termination, record.final)
        for record in read_journal(directory)
    }


class Eavesdropper(Hub):
    """A hub that keeps what goes over it."""

    def __init__(self):
        super().__init__()
        self.heard = b""

    def deliver(self, message):
        self.heard += message.payload
        super().deliver(message)


def play_elsewhere(match, openings, engines=(), workers=2, hub=None):
    """The records of a match played by local workers over a hub."""

    async def scenario():
        network = hub or Hub()
        offer = Offer(KINDS, ("othello", "banqi"), (*BUILTIN, *engines), threads=1, hash_mib=256)
        found = []

        class Ears:
            def began(self, config, standings): ...
            def game_began(self, slot, plan, p1, p2): ...

            def dealt(self, number, commitment, replaced): ...
            def move_played(self, slot): ...
            def ended(self, status, reason):
                self.reason = reason

            def game_over(self, slot, record):
                found.append(record)

        ears = Ears()
        async with local_workers(workers, offer, network, Topics()):
            runner = MatchRunner(match, openings, observer=ears, elsewhere=RemotePairs(match, network, Topics()))
            status = await runner.run()
        return status, found, ears.reason

    return asyncio.run(scenario())


BUILTIN = tuple((name, name) for name in ("builtin:fanqi", "builtin:greedy", "builtin:random"))


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_a_match_played_elsewhere_has_the_games_it_would_have_here(game):
    match = config("a=builtin:greedy", "b=builtin:random", game=game)

    def openings():
        return RandomOpenings(game, "", 4, 5) if game == "othello" else Fixed()

    here = []

    async def at_home():
        runner = MatchRunner(match, openings())
        runner._finish = lambda slot, record: here.append(record)
        await runner.run()

    asyncio.run(at_home())
    status, elsewhere, _ = play_elsewhere(match, openings())
    assert status is Status.FINISHED

    def essence(records):
        return sorted((r.number, r.players, r.moves, r.result, r.final, r.deal and r.deal.layout) for r in records)

    assert essence(elsewhere) == essence(here)


class Fixed:
    def opening(self, number):
        from fanqi.match.openings import START

        return START


def test_a_worker_starts_what_its_own_configuration_says_and_no_command_goes_over_the_wire():
    hub = Eavesdropper()
    match = config("a=instant", "b=builtin:random", games=2)
    status, records, _ = play_elsewhere(match, Fixed(), engines=[("instant", COMMAND)], hub=hub)
    assert status is Status.FINISHED
    assert [record.termination for record in records] == ["discs", "discs"]
    assert b'"a"' in hub.heard or b"\xa1a" in hub.heard
    assert b"instant.py" not in hub.heard
    assert sys.executable.encode() not in hub.heard


def test_without_a_worker_for_an_engine_the_match_does_not_begin():
    match = config("a=edax", "b=builtin:random")
    with pytest.raises(
        ConfigurationError, match=r"no worker for play \(othello\).*local-1 knows no engine called 'edax'"
    ):
        play_elsewhere(match, Fixed(), workers=1)


def test_pairs_that_have_been_played_are_not_kept(monkeypatch):
    def close(ledger):
        kept.extend(
            ledger._db.execute("SELECT seq FROM jobs UNION SELECT seq FROM tries UNION SELECT seq FROM answers")
        )
        forgotten.append(ledger.read("forgotten"))

    kept, forgotten = [], []
    monkeypatch.setattr(Ledger, "close", close)
    match = config("a=builtin:greedy", "b=builtin:random", games=6)
    status, records, _ = play_elsewhere(match, RandomOpenings("othello", "", 4, 5), workers=1)
    assert (status, len(records)) == (Status.FINISHED, 6)
    assert (kept, forgotten) == ([], ["3"])


@pytest.mark.parametrize("workers", [None, complete_address("mqtt://localhost")])
def test_a_match_that_talks_to_a_broker_gets_a_loop_that_can(tmp_path, monkeypatch, workers):
    def run_loop(main, *, adds_readers=False):
        main.close()
        return adds_readers

    monkeypatch.setattr(api, "run_loop", run_loop)
    match = config("a=builtin:greedy", "b=builtin:random")
    runner, store = begin_match(match, [], tmp_path / "match", workers=workers)
    store.close()
    assert run_runner(runner) is (workers is not None)


def test_a_command_is_not_an_engine_of_a_worker():
    with pytest.raises(ConfigurationError, match="is a command"):
        RemotePairs(config("a=/bin/sh -c x", "b=builtin:random"), Hub(), Topics())


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("option.BookFile=x", "option 'BookFile' is not one that a match may set here"),
        ("'option.Skill Level=../x'", "option 'Skill Level' may not be '../x' here"),
    ],
)
def test_an_option_that_might_name_a_file_is_refused_and_ends_the_match_with_the_reason(option, reason):
    match = config(f"a=builtin:fanqi {option}", "b=builtin:random", games=2)
    status, records, why = play_elsewhere(match, Fixed(), workers=1)
    assert status is Status.GIVEN_UP
    assert records == []
    assert "pair 1 could not be played" in why
    assert reason in why


def plan(number=1):
    return GamePlan(number, 1, 1, "othello", "", "", Fixed().opening(1), None, False, (2**127, 3), 1000)


def test_an_order_is_read_as_it_was_written():
    match = config("a=builtin:greedy", "b=builtin:random")
    order = order_of([plan(1), plan(2)], (Limit(depth=1), Limit(movetime_ms=5)), match.adjudication, match.timeouts)
    assert decode_order(encode_order(order)) == order


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"null", b"\xff", b'{"plans": [], "limits": [{}, {}], "adjudication": {}, "timeouts": {}}']
)
def test_what_is_no_order_is_refused(data):
    with pytest.raises(ConfigurationError, match="not an order"):
        decode_order(data)


def test_an_engine_that_is_not_configured_is_not_started():
    match = config("a=builtin:greedy", "b=builtin:random")
    order = order_of([plan()], (Limit(depth=1), Limit(depth=1)), match.adjudication, match.timeouts)
    players = (PairEngine("a", "builtin:greedy", {}), PairEngine("b", "/bin/echo pwned", {}))
    with pytest.raises(ConfigurationError, match="no engine called '/bin/echo pwned'"):
        asyncio.run(play_order(order, players, dict(BUILTIN)))


def test_an_interrupted_match_goes_on_elsewhere_without_losing_or_doubling_a_game(tmp_path):
    match = config("a=builtin:greedy", "b=builtin:random", games=40)
    runner, store = begin_match(match, [], tmp_path / "whole")
    asyncio.run(runner.run())
    store.close()

    async def some(resumed):
        hub = Hub()
        offer = Offer(KINDS, ("othello",), BUILTIN, threads=1, hash_mib=256)
        async with local_workers(1, offer, hub, Topics()):
            if resumed:
                runner, store = resume_match(tmp_path / "cut")
            else:
                runner, store = begin_match(match, [], tmp_path / "cut")
            runner._elsewhere = RemotePairs(match, hub, Topics(), slots=4)

            async def interrupt():
                while runner.standings.games < 10:
                    await asyncio.sleep(0.001)
                runner.interrupt()

            task = asyncio.create_task(interrupt()) if not resumed else None
            status = await runner.run()
            if task is not None:
                await task
            store.close()
            return status

    assert asyncio.run(some(resumed=False)) is Status.INTERRUPTED
    assert 10 <= len(games_of(tmp_path / "cut")) < 40
    assert asyncio.run(some(resumed=True)) is Status.FINISHED
    assert games_of(tmp_path / "cut") == games_of(tmp_path / "whole")


def test_a_match_over_a_broker_that_is_killed_is_resumed(tmp_path):
    broker = Mosquitto(tmp_path)
    fanqi = [sys.executable, "-m", "fanqi.cli"]
    options = ["--games", "60", "--depth", "1", "--seed", "5", "--plain", "--out", str(tmp_path / "match")]
    engines = ["--engine", "a=builtin:greedy", "--engine", "b=builtin:random"]
    (tmp_path / "w.toml").write_text(f'broker = "{broker.address}"\ngames = ["othello"]\nthreads = 1\nhash = 256\n')
    log = (tmp_path / "w.log").open("wb")
    worker = subprocess.Popen([*fanqi, "worker", "--config", str(tmp_path / "w.toml")], stdout=log, stderr=log)
    try:
        until(lambda: b'"connected"' in (tmp_path / "w.log").read_bytes(), 120.0)
        match = subprocess.Popen(
            [*fanqi, "match", "--workers", broker.address, *options, *engines],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until(lambda: (tmp_path / "match" / "journal.jsonl").exists() and len(games_of(tmp_path / "match")) >= 5, 120.0)
        match.kill()
        match.wait()
        resumed = subprocess.run(
            [*fanqi, "match", "--workers", broker.address, "--resume", str(tmp_path / "match"), "--plain"],
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert resumed.returncode == 0, resumed.stderr
        assert sorted(games_of(tmp_path / "match")) == list(range(1, 61))
    finally:
        worker.kill()
        worker.wait()
        log.close()
        broker.kill()


def test_an_order_on_the_wire_is_json_that_says_no_more_than_the_games():
    match = config("a=builtin:greedy", "b=builtin:random")
    order = order_of([plan()], (Limit(depth=1), Limit(depth=1)), match.adjudication, match.timeouts)
    keys = set(msgspec.json.decode(encode_order(order)))
    assert keys == {"plans", "limits", "adjudication", "timeouts"}
