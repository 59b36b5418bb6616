"""The connection: logging in, keeping alive, losing it, coming back, whatever the other side sends."""

from __future__ import annotations

import asyncio
import io
import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fanqi.ggs import ClientHandle, LoginError, Status, read_config, run_client
from fanqi.ggs.link import Backoff
from fanqi.ggs.player import Player
from fanqi.ggs.records import MatchResult, RecordBook, seen_from
from fanqi.ggs_server import DoorRules, GgsServer, ServerSettings
from fanqi.logs import Logger

PROMPT = b"\r\n\r\nwelcome\r\n\r\n: Enter login (yours, or one you'd like to use).\r\n"
CONFIG = """
[server]
name = "fanqi"
host = "127.0.0.1"
port = {port}
keep_alive_s = 0.2
patience_s = {patience}
retry_first_s = 0.05
retry_longest_s = 0.1
[records]
folder = "{folder}"
{more}
"""


class Peer:
    """The server's side of one connection, played by a test."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.heard: list[str] = []

    async def line(self) -> str:
        """The next line from the client that is not empty, which is answered by READY as any command is."""
        while True:
            async with asyncio.timeout(10):
                data = await self.reader.readline()
            if not data:
                raise EOFError
            line = data.decode().rstrip("\n")
            self.say("READY")
            if line:
                self.heard.append(line)
                return line

    async def until(self, wanted: str) -> None:
        """Listen until a line is heard."""
        while await self.line() != wanted:
            pass

    def say(self, *lines: str) -> None:
        self.writer.write("".join(f"{line}\r\n" for line in lines).encode("latin-1"))

    async def log_in(self, service: bool = True) -> None:
        """Take the client in."""
        self.writer.write(PROMPT)
        assert (await self.reader.readline()) == b"fanqi\n"
        self.say(": Enter your password.")
        assert (await self.reader.readline()) == b"secret\n"
        self.say("READY")
        if service:
            self.say("", ": + /os 1")


Script = Callable[[Peer], Awaitable[None]]


def play(
    tmp_path: Path, game: Any, *scripts: Script, more: str = "", patience: float = 5.0, log: io.StringIO | None = None
) -> tuple[Status, list[BaseException]]:
    """Run a client against a server that follows a script for each connection and stops the client after the last."""
    status, problems = Status(), []

    logger = Logger("error") if log is None else Logger("warning", log)

    async def run() -> None:
        handles: list[ClientHandle] = []
        waiting = list(scripts)
        done = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                if waiting:
                    await waiting.pop(0)(Peer(reader, writer))
            except BaseException as problem:
                problems.append(problem)
            finally:
                writer.close()
                if not waiting or problems:
                    done.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        config = read_config(CONFIG.format(port=port, folder=tmp_path, more=more, patience=patience))
        client = asyncio.create_task(
            run_client(config, "secret", logger, game=game, status=status, started=handles.append)
        )
        async with asyncio.timeout(60):
            await asyncio.wait({client, asyncio.create_task(done.wait())}, return_when=asyncio.FIRST_COMPLETED)
            if not client.done():
                handles[0].abandon()
            try:
                await client
            except LoginError as error:
                problems.append(error)
        server.close()

    asyncio.run(run())
    return status, problems


def check(problems: list[BaseException]) -> None:
    for problem in problems:
        raise problem


def test_login_and_settings_come_in_the_order_that_servers_want(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in(service=False)
        await peer.until("notify + /os")
        assert not [line for line in peer.heard if line.startswith("tell")]
        peer.say("", ": + /os 1")
        await peer.until("tell /os history")
        told = [line.removeprefix("tell /os ") for line in peer.heard if line.startswith("tell /os ")]
        assert {"client -", "trust +", "rated +", "stored +", "open 1", "aform", "dform"} <= set(told)

    status, problems = play(tmp_path, quick_game, script)
    check(problems)
    assert status.connections == 1


def test_a_login_that_comes_byte_by_byte_is_understood(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        for byte in PROMPT:
            peer.writer.write(bytes([byte]))
            await asyncio.sleep(0)
        assert (await peer.reader.readline()) == b"fanqi\n"
        peer.say(": Enter your password.")
        await peer.reader.readline()
        peer.say("READY", "", ": + /os 1")
        await peer.until("tell /os history")

    check(play(tmp_path, quick_game, script)[1])


def test_a_wrong_password_ends_the_client_with_a_word_on_it(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        peer.writer.write(PROMPT)
        await peer.reader.readline()
        peer.say(": Enter your password.")
        await peer.reader.readline()
        peer.say(": ERR Password is incorrect.", ": Enter login (yours, or one you'd like to use).")
        await peer.reader.read()

    _, problems = play(tmp_path, quick_game, script)
    assert [type(problem) for problem in problems] == [LoginError]
    assert "Password is incorrect" in str(problems[0])


@pytest.mark.parametrize("ending", ["", "READY\r\n", "\r\n"])
@pytest.mark.parametrize("after_password", [False, True])
def test_who_is_turned_away_logs_why_and_tries_again(
    tmp_path: Path, quick_game: Any, after_password: bool, ending: str
) -> None:
    async def full(peer: Peer) -> None:
        if after_password:
            peer.writer.write(PROMPT)
            await peer.reader.readline()
            peer.say(": Enter your password.")
            await peer.reader.readline()
        peer.writer.write(f": ERR the server is full.\r\n{ending}".encode())

    async def free(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")

    log = io.StringIO()
    status, problems = play(tmp_path, quick_game, full, full, free, log=log)
    check(problems)
    assert status.connections == 1
    assert status.cuts <= 1  # the last script may end before its client
    said = [json.loads(line) for line in log.getvalue().splitlines()]
    assert sum("the server is full." in str(entry) for entry in said) >= 2


def test_the_reason_of_a_server_that_hangs_up_is_told_but_no_rest_of_a_board(tmp_path: Path, quick_game: Any) -> None:
    async def kicked(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.writer.write(b": You have logged in from \x9belsewhere.\r\n")

    async def cut(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.writer.write(b"\r\n/os: join .1 8 K?\r\n|0 move")

    log = io.StringIO()
    status, problems = play(tmp_path, quick_game, kicked, cut, cut, log=log)
    check(problems)
    reasons = [json.loads(line).get("reason") for line in log.getvalue().splitlines()]
    assert r"closed by the server: You have logged in from \x9belsewhere." in reasons
    assert "closed by the server" in reasons
    assert status.unknown == 0


def test_a_server_that_is_full_is_tried_again_until_it_has_room(tmp_path: Path, quick_game: Any) -> None:
    status, log = Status(), io.StringIO()

    async def run() -> None:
        async with GgsServer(ServerSettings(port=0, door=DoorRules(most_clients=1)), Logger("error")) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"ann\nsecret\n")
            await reader.readuntil(b"READY")
            text = CONFIG.format(port=server.port, folder=tmp_path, more="", patience=20.0)
            handles: list[ClientHandle] = []
            client = asyncio.create_task(
                run_client(
                    read_config(text), "secret", Logger("warning", log), game=quick_game, status=status,
                    started=handles.append,
                )
            )  # fmt: skip
            async with asyncio.timeout(60):
                while "the server is full." not in log.getvalue():
                    await asyncio.sleep(0.02)
                assert "the server is full." in status.line()
                writer.close()
                while not status.connections:
                    await asyncio.sleep(0.02)
                handles[0].abandon()
                await client

    asyncio.run(run())
    assert status.connections == 1


def test_a_client_that_leaves_lets_the_server_hang_up(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("quit")
        await asyncio.sleep(0.5)
        assert not peer.reader.at_eof()

    check(play(tmp_path, quick_game, script, more="[stop]\nafter_s = 0.01")[1])


def test_silence_is_broken_by_an_empty_line_and_ready_is_enough(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        for _ in range(3):
            async with asyncio.timeout(10):
                assert await peer.reader.readline() == b"\n"
            peer.say("READY")

    status, problems = play(tmp_path, quick_game, script)
    check(problems)
    assert status.cuts <= 1


def test_a_connection_that_is_dead_without_being_closed_is_given_up(tmp_path: Path, quick_game: Any) -> None:
    async def dead(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        assert await peer.reader.read() is not None  # says nothing until the client goes

    async def alive(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")

    status, problems = play(tmp_path, quick_game, dead, alive, patience=0.3)
    check(problems)
    assert status.connections == 2


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\xff" * 5000,
        b"/os: join .1 8 K?\r\n|no\r\nREADY\r\n" * 300,
        b"x" * 300_000,
        b"/os: + match .1 " + b"9" * 5000 + b" bob 1720 fanqi 8 R",
        b"/os: + ." + b"1" * 5000 + b" 1720.0 bob 05:00//02:00 6 R 1720.0 fanqi",
        b"/os: history 1 fanqi\r\n|." + b"1" * 5000 + b" 30 Nov 2026 02:06:04 1720 bob 1720 fanqi +64.0 8",
    ],
)
def test_garbage_does_no_harm(tmp_path: Path, quick_game: Any, garbage: bytes) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.writer.write(garbage + b"\r\nREADY\r\n")
        peer.say("", "/os: +   .8 1720.0 bob      05:00//02:00        6 R 1720.0 fanqi", "READY")
        await peer.until("tell /os decline .8")

    check(play(tmp_path, quick_game, script)[1])


def test_a_server_that_begins_matches_without_end_is_left(tmp_path: Path, quick_game: Any) -> None:
    async def mad(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        for number in range(1000):
            peer.say("", f"/os: + match .{number} 1720 bob 1720 fanqi 8 R", "READY")
        await peer.reader.read()

    async def sane(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")

    status, problems = play(tmp_path, quick_game, mad, sane)
    check(problems)
    assert (status.connections, status.matches["adjourned"]) == (2, 256)


def test_a_lost_connection_is_made_again(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")

    status, problems = play(tmp_path, quick_game, script, script, script)
    check(problems)
    assert status.connections == 3


def test_a_service_that_goes_and_comes_is_told_our_settings_again(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", ": - /os 1", "READY", "", ": + /os 1", "READY")
        await peer.until("tell /os history")

    check(play(tmp_path, quick_game, script)[1])


REQUEST = "/os: + {id:>4} 1720.0 bob      {clock}       {type:>2} {flag} 1720.0 fanqi{stored}"


def test_requests_are_accepted_and_declined_by_policy(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        for name, kind, answer in ((".1", "8", "accept"), (".2", "6", "decline"), (".3", "8b", "accept")):
            line = REQUEST.format(id=name, clock="05:00//02:00", type=kind, flag="R", stored="")
            peer.say("", line, "READY")
            await peer.until(f"tell /os {answer} {name}")

    check(play(tmp_path, quick_game, script)[1])


def test_offers_are_answered_by_policy(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", "/os: + match .2 1720 bob 1720 fanqi 8 U", "READY")
        peer.say("", "/os: undo .2 bob is asking", "READY", "", "/os: abort .2 bob is asking", "READY")
        await peer.until("tell /os abort .2")
        assert "tell /os undo .2" not in peer.heard

    check(play(tmp_path, quick_game, script)[1])


JOIN = """
/os: join .2 8b K?
|0 move(s)
|  0: PASS
|bob      (1720.0 *) 04:59,0:0//02:00,0:0
|fanqi    (1720.0 O) 05:00,0:0//02:00,0:0
|
|   A B C D E F G H
| 1 - - - - - - - - 1
| 2 - - - - - - - - 2
| 3 - - - - - - - - 3
| 4 - - - O * - - - 4
| 5 - - - * O - - - 5
| 6 - - - - - - - - 6
| 7 - - - - - - - - 7
| 8 - - - - - - - - 8
|   A B C D E F G H
|
|* to move
READY"""


def test_an_unrated_match_that_is_broken_off_is_lost_and_written(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", "/os: + match .2 1720 bob 1720 fanqi 8b U", "READY", *JOIN.splitlines())
        peer.say("", "/os: - match .2 1720 bob 1720 fanqi 8b U bob left", "READY")
        peer.say("", REQUEST.format(id=".1", clock="05:00//02:00", type="8", flag="R", stored=""), "READY")
        await peer.until("tell /os accept .1")

    status, problems = play(tmp_path, quick_game, script)
    check(problems)
    assert (status.matches["lost"], status.matches["adjourned"]) == (1, 0)
    (entry,) = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert (entry["ended"], entry["rated"], entry["our_result"]) == ("lost", False, None)


def test_an_adjourned_match_is_asked_for_again(tmp_path: Path, quick_game: Any) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os stored")
        peer.say("", "/os: stored 1 fanqi", "|.3       30 Nov 2026 02:05:58 bob      fanqi    8:l", "READY")
        await peer.until("tell /os ask .3")
        line = REQUEST.format(id=".9", clock="05:00//02:00", type="8", flag="S", stored="    .3")
        peer.say("", line, "READY")
        await peer.until("tell /os accept .9")

    check(play(tmp_path, quick_game, script)[1])


def test_several_adjourned_matches_are_asked_for_by_their_ids_but_no_board_that_is_not_played(
    tmp_path: Path, quick_game: Any
) -> None:
    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os stored")
        rows = [f"|.{number}       30 Nov 2026 02:05:58 bob      fanqi    {kind}:l" for number, kind in STORED.items()]
        peer.say("", "/os: stored 4 fanqi", *rows, "READY")
        await peer.until("tell /os ask .7")
        assert [line for line in peer.heard if "ask" in line] == ["tell /os ask .3", "tell /os ask .7"]
        assert "tell /os continue" not in peer.heard

    check(play(tmp_path, quick_game, script, more="[accept]\ngames = 2")[1])


STORED = {7: "8k+0.75r16", 5: "10", 3: "s8r20", 9: "8"}

ARCHIVED = (
    "|1 (;GM[Othello]PC[GGS/os]DT[2026.11.30_02:06:04.UTC]PB[bob]PW[fanqi]RB[1720]RW[1720]TI[01:00//00:30]TY[8]"
    "RE[+64.000:r]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5/1.00/0.50]"
    "W[d6/-1.00/0.70];)"
)


def test_a_match_whose_end_was_missed_is_recorded_from_the_archive_once(tmp_path: Path, quick_game: Any) -> None:
    history = "|.{}       30 Nov 2026 02:06:04 1720 bob      1720 fanqi    +64.0 8"

    async def first(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", "/os: history 1 fanqi", history.format(3), "READY")  # before our time: not ours to record
        await asyncio.sleep(0.05)

    async def second(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", "/os: history 2 fanqi", history.format(3), history.format(4), "READY")
        await peer.until("tell /os look .4")
        peer.say("", "/os: look", ARCHIVED, "READY")
        peer.say("", "/os: history 2 fanqi", history.format(3), history.format(4), "READY")
        peer.say("", "/os: +   .8 1720.0 bob      05:00//02:00        6 R 1720.0 fanqi", "READY")
        await peer.until("tell /os decline .8")
        assert [line for line in peer.heard if "look" in line] == ["tell /os look .4"]

    status, problems = play(tmp_path, quick_game, first, second)
    check(problems)
    assert status.recovered == 1
    (entry,) = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert (entry["archive"], entry["our_result"], entry["ended"], entry["source"]) == (
        ".4",
        -64.0,
        "resigned",
        "archive",
    )
    assert (tmp_path / "games.ggf").read_text().startswith("1 (;GM[Othello]")


def test_a_draw_is_zero_from_both_sides_and_not_minus_zero() -> None:
    assert {str(seen_from(same, draw)) for same in (True, False) for draw in (0.0, -0.0)} == {"0.0"}
    assert (seen_from(True, 2.5), seen_from(False, 2.5), seen_from(False, None)) == (2.5, -2.5, None)


def test_play_goes_on_when_nothing_can_be_written(tmp_path: Path, quick_game: Any) -> None:
    (tmp_path / "baseline.json").mkdir()

    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", "/os: history 0 fanqi", "READY")
        peer.say("", REQUEST.format(id=".1", clock="05:00//02:00", type="8", flag="R", stored=""), "READY")
        await peer.until("tell /os accept .1")

    check(play(tmp_path, quick_game, script)[1])


def test_a_bug_in_what_hears_the_service_costs_the_connection_and_not_the_client(
    tmp_path: Path, quick_game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear, bugs = Player.hear, ["a bug"]

    def hear_but_once(player: Player, message: Any) -> None:
        if bugs:
            raise KeyError(bugs.pop())
        hear(player, message)

    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", REQUEST.format(id=".1", clock="05:00//02:00", type="8", flag="R", stored=""), "READY")
        await peer.until("tell /os accept .1")

    async def unlucky(peer: Peer) -> None:
        await peer.log_in()
        peer.say("", "/os: history 0 fanqi", "READY")
        await peer.reader.read()

    monkeypatch.setattr(Player, "hear", hear_but_once)
    status, problems = play(tmp_path, quick_game, unlucky, script)
    check(problems)
    assert (status.faults, status.connections) == (1, 2)


def test_a_bug_in_writing_a_record_is_counted_and_play_goes_on(
    tmp_path: Path, quick_game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(book: RecordBook, match: MatchResult, games: object) -> None:
        raise KeyError(match.match)

    monkeypatch.setattr(RecordBook, "write", write)

    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os history")
        peer.say("", "/os: + match .2 1720 bob 1720 fanqi 8 R", "READY")
        peer.say("", "/os: - match .2 1720 bob 1720 fanqi 8 R +64.0 .3", "READY")
        peer.say("", REQUEST.format(id=".1", clock="05:00//02:00", type="8", flag="R", stored=""), "READY")
        await peer.until("tell /os accept .1")

    status, problems = play(tmp_path, quick_game, script)
    check(problems)
    assert (status.faults, status.matches["loss"]) == (1, 1)


def test_our_own_requests_are_made_in_turn_and_withdrawn_when_nobody_takes_them(
    tmp_path: Path, quick_game: Any
) -> None:
    asks = "".join(
        f'[[ask]]\ntype = "{kind}"\nopponent = "bob"\npause_s = 0\ngive_up_s = 0.3\n' for kind in ("8", "s8r20")
    )

    async def script(peer: Peer) -> None:
        await peer.log_in()
        await peer.until("tell /os ask 8 5:00//2:00 bob")
        peer.say("", "/os: +   .1 1720.0 fanqi    05:00//02:00        8 R 1720.0 bob", "READY")
        await peer.until("tell /os cancel .1")
        peer.say("", "/os: -   .1 1720.0 fanqi    05:00//02:00        8 R 1720.0 bob", "READY")
        await peer.until("tell /os ask s8r20 5:00//2:00 bob")

    check(play(tmp_path, quick_game, script, more=asks)[1])


def test_waits_between_attempts_double_are_drawn_at_random_and_have_a_bound() -> None:
    backoff = Backoff(1.0, 60.0, random.Random(1))
    waits = [backoff.next_s() for _ in range(12)]
    for number, wait in enumerate(waits):
        bound = min(2.0**number, 60.0)
        assert bound / 2 <= wait <= bound
    assert len(set(waits[6:])) == 6
    backoff.succeeded()
    assert backoff.next_s() <= 1.0


def test_client_and_server_speak_tls_with_each_other(tmp_path: Path, quick_game: Any) -> None:
    tls = Path(__file__).parents[2] / "data" / "ggs_tls"
    status = Status()

    async def run() -> None:
        settings = ServerSettings(port=0, door=DoorRules(register=True), tls=(tls / "cert.pem", tls / "key.pem"))
        async with GgsServer(settings, Logger("error")) as server:
            text = CONFIG.format(port=server.port, folder=tmp_path, more="", patience=5.0)
            config = read_config(text.replace("[server]", "[server]\ntls = true\ntls_verify = false"))
            handles: list[ClientHandle] = []
            client = asyncio.create_task(
                run_client(config, "secret", Logger("error"), game=quick_game, status=status, started=handles.append)
            )
            async with asyncio.timeout(20):
                while not status.connections:
                    await asyncio.sleep(0.02)
                handles[0].abandon()
                await client

    asyncio.run(run())
    assert (status.connections, status.cuts) == (1, 0)
