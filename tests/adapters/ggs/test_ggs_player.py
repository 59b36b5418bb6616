"""What a player says to the service, in time that is handed in: requests, stored matches, undo, silence."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ggs_sessions import boards

from fanqi.ggs import Status, read_config
from fanqi.ggs.player import Player
from fanqi.ggs.records import RecordBook
from fanqi.ggs.seat import Seat
from fanqi.ggs.thinking import Thinker
from fanqi.ggs_wire import Block, Join, recognise
from fanqi.logs import Logger

REQUEST = "/os: {sign} {id:>4} 1720.0 {asker:<8} 05:00//02:00       {type:>2} {flag} 1720.0 {other:<8}{stored}"
STORED = "|{id:<8} 30 Nov 2026 02:05:58 bob      fanqi    {kind}:l"


class Evening:
    """A player, the service that a test speaks for, and a clock that is put forward."""

    def __init__(self, folder: Path, game: Any, extra: str = "", name: str = "fanqi") -> None:
        self.now = 0.0
        self.log = io.StringIO()
        self.sent: list[str] = []
        self.status = Status()
        seat = Seat(
            read_config(f'server = {{name = "{name}"}}\n{extra}'),
            Thinker(game, 1),
            RecordBook(folder, "here"),
            self.status,
            Logger("info", self.log),
            lambda: self.now,
        )
        self.player = Player(seat)
        self.player.connected(lambda line: self.sent.append(line.removeprefix("tell /os ")))
        self.player.service_arrived()
        self.hear("/os: stored 0 fanqi")
        self.sent.clear()

    def hear(self, *lines: str) -> list[str]:
        """Something that the service says; gives what is answered at once."""
        before = len(self.sent)
        for message in recognise(Block(tuple("\n".join(lines).split("\n")))):
            self.player.hear(message)
        return self.sent[before:]

    def request(
        self, sign: str, name: str, asker: str, kind: str = "8", flag: str = "R", stored: str = ""
    ) -> list[str]:
        """A request between us and bob comes or goes."""
        other = "bob" if asker == "fanqi" else "fanqi"
        words = {"sign": sign, "id": name, "asker": asker, "type": kind, "flag": flag, "other": other}
        return self.hear(REQUEST.format(**words, stored=f" {stored}" if stored else ""))

    def stored(self, **matches: str) -> None:
        """What is stored, types by the numbers of matches."""
        rows = [STORED.format(id=f".{name[1:]}", kind=kind) for name, kind in matches.items()]
        self.hear(f"/os: stored {len(rows)} fanqi", *rows)

    def pass_time(self, seconds: float) -> list[str]:
        """Let time pass; gives what is said meanwhile."""
        before = len(self.sent)
        for _ in range(round(seconds)):
            self.now += 1.0
            self.player.tick(self.now)
        return self.sent[before:]

    def events(self) -> list[str]:
        """What was logged."""
        return [json.loads(line)["event"] for line in self.log.getvalue().splitlines()]


Script = Callable[[Evening], Awaitable[None]]


@pytest.fixture
def spend(tmp_path: Path, quick_game: Any) -> Callable[..., None]:
    """Runs a script on an evening."""

    def run(script: Script, extra: str = "", name: str = "fanqi") -> None:
        async def whole() -> None:
            evening = Evening(tmp_path, quick_game, extra, name)
            await script(evening)
            evening.player.disconnected("the end")
            await evening.player.settle()

        asyncio.run(whole())

    return run


# --- requests to us


def test_a_request_counts_as_accepted_when_its_match_begins_and_not_before(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        assert evening.request("+", ".1", "bob") == ["accept .1"]
        assert (evening.status.accepted, evening.events()) == (0, ["accepting a request"])
        evening.hear("/os: + match .2 1720 bob 1720 fanqi 8 R")
        evening.request("-", ".1", "bob")
        assert (evening.status.accepted, evening.events()[1:]) == (1, ["request accepted", "match"])

    spend(script)


def test_a_request_that_goes_before_it_is_accepted_is_not_called_accepted(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        evening.request("+", ".1", "bob")
        evening.request("-", ".1", "bob")
        assert (evening.status.accepted, evening.events()[1:]) == (0, ["request gone before it was accepted"])

    spend(script)


def test_a_request_counts_as_declined_when_it_is_gone_and_not_before(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        assert evening.request("+", ".1", "bob", "6") == ["decline .1"]
        assert (evening.status.declined, evening.events()) == (0, ["declining a request"])
        evening.request("-", ".1", "bob", "6")
        assert (evening.status.declined, evening.events()[1:]) == (1, ["request declined"])

    spend(script)


# --- requests of ours

ASKS = """
[[ask]]
type = "8"
opponent = "bob"
give_up_s = 60
[[ask]]
type = "8a"
opponent = "ann"
give_up_s = 60
"""


def test_who_declines_our_request_is_not_asked_again_at_once_but_the_next_one_is(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        assert evening.pass_time(2) == ["ask 8 5:00//2:00 bob"]
        evening.request("+", ".1", "fanqi")
        evening.request("-", ".1", "fanqi")
        assert evening.pass_time(2) == ["ask 8a 5:00//2:00 ann"]
        evening.hear("/os: + .2 1720.0 fanqi 05:00//02:00 8a R 1720.0 ann")
        evening.hear("/os: - .2 1720.0 fanqi 05:00//02:00 8a R 1720.0 ann")
        assert evening.pass_time(50) == []
        assert evening.pass_time(10) == ["ask 8 5:00//2:00 bob"]

    spend(script, ASKS)


def test_a_request_that_another_match_ends_was_not_declined(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        evening.pass_time(2)
        evening.request("+", ".1", "fanqi")
        evening.hear("/os: + match .2 1720 carol 1720 fanqi 8 U")
        evening.request("-", ".1", "fanqi")
        assert "our request was declined" not in evening.events()

    spend(script, ASKS)


def test_who_is_not_there_is_asked_for_less_and_less_often(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        asked = []
        for _ in range(600):
            said = evening.pass_time(1)
            asked += said
            if said:
                evening.hear("/os: ERR user 'bob' not found.")
        assert 5 <= len(asked) <= 15

    spend(script, ASKS.partition('[[ask]]\ntype = "8a')[0])


# --- the service is silent


@pytest.mark.parametrize("stored", [{}, {"_3": "8"}, {"_3": "8", "_4": "8"}])
def test_a_service_that_is_silent_is_asked_again_after_twice_as_long_each_time(
    spend: Callable[..., None], stored: dict[str, str]
) -> None:
    async def script(evening: Evening) -> None:
        evening.stored(**stored)
        said = []
        while evening.now < 3600:
            said += [evening.now for _ in evening.pass_time(1)]
        assert 6 <= len(said) <= 20
        assert evening.events().count("the Othello service is silent") <= 12
        evening.hear("/os: ERR match with same parameters is already pending.")
        assert len(evening.pass_time(130)) >= 1

    spend(script, ASKS)


# --- stored matches


def test_stored_matches_are_asked_for_in_turn_but_no_board_that_is_not_played(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        evening.stored(_10="8", _3="s8r20", _7="8k+0.75r16", _5="10")
        said = []
        for _ in range(4):
            said += evening.pass_time(20)
            evening.hear("/os: ERR Player is not accepting new matches.")
        assert said == ["ask .3", "ask .7", "ask .10", "ask .3"]

    spend(script)


def test_an_opponent_who_declines_a_stored_match_is_asked_again_only_after_a_new_login(
    spend: Callable[..., None],
) -> None:
    async def script(evening: Evening) -> None:
        evening.stored(_3="8", _4="8")
        assert evening.pass_time(2) == ["ask .3"]
        evening.request("+", ".1", "fanqi", flag="S", stored=".3")
        evening.request("-", ".1", "fanqi", flag="S", stored=".3")
        assert set(evening.pass_time(200)) == {"ask .4"}
        evening.player.disconnected("a cut")
        evening.player.connected(lambda line: evening.sent.append(line.removeprefix("tell /os ")))
        evening.hear("/os: + bob stored")  # he was there all the time
        evening.player.service_arrived()
        evening.stored(_3="8")
        assert evening.pass_time(100) == []
        assert evening.hear("/os: + ann stored+ bob stored") == ["stored"]
        evening.stored(_3="8")
        assert evening.pass_time(2) == ["ask .3"]

    spend(script)


def test_a_stored_match_that_was_declined_goes_on_when_the_opponent_asks_for_it(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        evening.stored(_3="8")
        evening.pass_time(2)
        evening.request("+", ".1", "fanqi", flag="S", stored=".3")
        evening.request("-", ".1", "fanqi", flag="S", stored=".3")
        assert evening.request("+", ".1", "bob", flag="S", stored=".3") == ["accept .1"]
        evening.hear("/os: ERR Your open value is too low for new matches.")
        assert "ask .3" in evening.pass_time(30)

    spend(script)


def test_a_stored_match_is_not_asked_for_while_the_request_for_it_is_open(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        evening.stored(_3="8")
        assert evening.pass_time(2) == ["ask .3"]
        evening.request("+", ".1", "fanqi", flag="S", stored=".3")
        assert evening.pass_time(200) == []

    spend(script)


def test_an_opponent_who_is_not_there_is_waited_for(spend: Callable[..., None]) -> None:
    async def script(evening: Evening) -> None:
        evening.stored(_3="8")
        evening.pass_time(2)
        evening.hear("/os: ERR no opponent present for archived match '.3'.")
        assert evening.pass_time(200) == []
        evening.hear("/os: + bob stored")
        evening.stored(_3="8")
        assert evening.pass_time(2) == ["ask .3"]

    spend(script)


@pytest.mark.parametrize(("left", "asked"), [("bob", []), ("fanqi", ["ask .3"])])
def test_who_breaks_a_match_off_is_not_asked_to_go_on_with_it(
    spend: Callable[..., None], left: str, asked: list[str]
) -> None:
    async def script(evening: Evening) -> None:
        evening.hear("/os: + match .2 1720 bob 1720 fanqi 8 R")
        assert evening.hear(f"/os: - match .2 1720 bob 1720 fanqi 8 R {left} left .3") == ["stored"]
        evening.stored(_3="8")
        assert evening.pass_time(15) == asked
        if left == "bob":
            evening.hear("/os: + bob stored")
            evening.stored(_3="8")
            assert evening.pass_time(2) == ["ask .3"]

    spend(script)


# --- undo


def undo(spend: Callable[..., None], moves: int, then: Callable[[Evening, Join], None]) -> None:
    """Play a real game as its black player, up to a number of moves; the opponent asks for an undo and gets it."""

    async def script(evening: Evening) -> None:
        shown = boards("A_basic", "alice", ".2")
        evening.hear("/os: + match .2 2038 alice 1402 bob 8b U")
        for message in shown[: moves + 1]:
            evening.player.hear(message)
        evening.sent.clear()
        assert evening.hear("/os: undo .2 bob is asking") == ["undo .2"]
        evening.sent.clear()
        template = next(message for message in shown[1:] if isinstance(message, Join))
        then(evening, replace(template, number=moves - 1, board=replace(template.board, turn="*O"[(moves - 1) % 2])))

    spend(script, 'offers = {undo = "always"}', "alice")


def test_after_an_undo_of_our_move_we_ask_for_one_of_the_opponents(spend: Callable[..., None]) -> None:
    def then(evening: Evening, undone: Join) -> None:
        evening.player.hear(undone)
        assert evening.sent == ["undo .2"]
        assert evening.hear("/os: undo .2 bob is asking") == []  # ours has been sent
        evening.player.hear(replace(undone, number=1, board=replace(undone.board, turn="O")))
        assert evening.sent == ["undo .2"]

    undo(spend, 3, then)


@pytest.mark.parametrize("moves", [1, 2])
def test_where_no_move_of_the_opponent_is_left_to_take_back_no_other_undo_is_asked_for(
    spend: Callable[..., None], moves: int
) -> None:
    def then(evening: Evening, undone: Join) -> None:
        evening.player.hear(undone)
        assert evening.sent == []

    undo(spend, moves, then)
