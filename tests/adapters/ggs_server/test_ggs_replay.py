"""The clients' side of real sessions, replayed against our server, gives what the genuine server said.

The log of each session is fed line by line in its order. Colours that were drawn, random starts, and what had happened
before (ratings, one archived game, a pending request) are given to our server, so that names, ids, ratings, boards,
moves and results are compared as they are. Not compared are dates, the seconds of clocks, idle times, and the number of
bytes that the genuine server's database used for an account.

Two things about the logs: what bob did in ``B_rated`` before he reconnected was not logged and is put in here; and the
answers to commands of one client may overtake what the service tells him meanwhile, since that comes from another
process there: direct replies and unasked blocks are therefore compared as two sequences.
"""

from __future__ import annotations

import ast
import random
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fanqi.ggs_server.central import Central
from fanqi.ggs_server.door import DoorRules
from fanqi.ggs_server.hall import Hall, Session
from fanqi.ggs_server.ids import IdPool
from fanqi.ggs_server.ratings import Rating
from fanqi.ggs_server.requests import Pending
from fanqi.ggs_server.rules import Board, standard_start
from fanqi.ggs_server.service import Service
from fanqi.ggs_server.store import Account, MatchRecord, Store
from fanqi.ggs_wire import Block, BlockReader, ClockSetting, GameType, Join, LineReader, recognise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parents[2] / "data" / "ggs"
START = datetime(2026, 11, 30, 2, 3, 42, tzinfo=UTC)


@dataclass
class Time:
    """A clock that moves a microsecond a look, and as far as the test wants."""

    passed: float = 1000.0

    def now(self) -> float:
        self.passed += 1e-6
        return self.passed

    def date(self) -> datetime:
        return START + timedelta(seconds=self.passed)


@dataclass
class ScriptedDealer:
    """Deals what was dealt in the session."""

    starts: dict[str, Board] = field(default_factory=dict)
    source: random.Random = field(default_factory=lambda: random.Random(0))

    def black_first(self) -> bool:
        return True  # alice had Black wherever it was drawn

    def start(self, kind: GameType) -> Board:
        return self.starts.get(str(kind)) or standard_start(kind.board)


class PlainPasswords:
    """Checks at once, by comparing."""

    def check(self, password: str, stored: str, then: Callable[[bool], None]) -> None:
        then(password == stored)

    def hash(self, password: str, then: Callable[[str], None]) -> None:
        then(password)


@dataclass
class World:
    """A server without sockets, and what each client was sent.

    Attributes:
        told: somebody has been told of the flag that fell last, so the next line about one is the same for another.
    """

    time: Time = field(default_factory=Time)
    dealer: ScriptedDealer = field(default_factory=ScriptedDealer)
    heard: dict[str, bytearray] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    told: bool = False

    def __post_init__(self) -> None:
        self.store = Store()
        self.hall = Hall()
        self.service = Service(self.store, self.hall, self.time, self.dealer)
        self.central = Central(self.store, self.hall, self.service, PlainPasswords(), DoorRules(), banner=[])

    def connect(self, client: str) -> None:
        heard = self.heard.setdefault(client, bytearray())
        session = Session(send=heard.extend, hang_up=lambda: None)
        self.sessions[client] = session
        self.central.connect(session)

    def say(self, client: str, line: str) -> None:
        self.central.line(self.sessions[client], line)

    def close(self, client: str) -> None:
        self.central.disconnect(self.sessions.pop(client))


@dataclass(frozen=True)
class Event:
    """A line of a log: ``C`` said by a client, ``S`` by the server, ``X`` a connection closed by the client."""

    client: str
    kind: str
    text: str


def events(name: str) -> list[Event]:
    found = []
    for line in (DATA / f"{name}.log").read_text().splitlines():
        said = re.fullmatch(r"\[(\w+)\] ([CS]): (.*)", line)
        if said is not None:
            found.append(Event(said[1], said[2], ast.literal_eval(said[3])))
        elif closed := re.fullmatch(r"\[(\w+)\] <socket closed by client>", line):
            found.append(Event(closed[1], "X", ""))
    return found


def blocks(data: bytes) -> list[Block]:
    return list(BlockReader().feed(LineReader().feed(data)))


UNLOGGED = {
    ("B_rated", "tell /os rated +"): ["tell /os rated +"],
    ("B_rated", "tell /os ask 8 1:00//0:30 bob"): ["tell /os accept .10"],
    ("B_rated", "tell /os play f5/1.00/0.50"): ["tell /os play d6/-1.00/0.70"],
    ("B_rated", "tell /os look .3"): ["tell /os continue"],
    ("B_rated", "tell /os continue"): ["tell /os resign"],
    ("B_rated", "tell /os ask 8b 1:00//0:30 bob"): ["tell /os accept .12"],
}
"""What bob must have done after a command of alice's, the first time that she gave it."""

BEFORE = {("A_basic", "tell /os play .2 d6//0.3"): 7.23, ("H2_timeout", "tell /os play f5"): 1.61}
"""Seconds that passed before a command, where the session shows it."""

pytestmark = pytest.mark.xdist_group("ggs-replay")  # each session goes on from the one before it

ORDER = ["C_errors", "A_basic", "A2_clientplus", "B_rated", "D_synchro", "E_komi", "H_timeout", "H2_timeout"]
REQUEST_IDS = dict(zip(ORDER, (4, 8, 9, 10, 15, 0, 21, 22), strict=True))
MATCH_IDS = dict(zip(ORDER, (2, 2, 3, 4, 7, 8, 14, 15), strict=True))
COUNTERS = dict(zip(ORDER, (1, 1, 2, 3, 5, 6, 12, 13), strict=True))
"""The first ids of each session."""


def numbers_from(first: int) -> IdPool:
    pool = IdPool()
    while (number := pool.take()) != first:
        pool.give_back(number)
    pool._free.appendleft(first)
    return pool


def played_before(world: World) -> None:
    """What the sessions start from."""
    for name in ("alice", "bob"):
        account = Account(name, level=1, verbose=set(), open=1, trust=True, rated=True)
        account.request_notices = True
        if name == "alice":
            account.notify = {"/os"}
        world.store.save_account(account, f"pw{name}")
    date = START.timestamp()
    world.store.save_rating("alice", "8", Rating(2037.80, 290.23, date, 64.0, wins=1))
    world.store.save_rating("bob", "8", Rating(1402.20, 290.23, date, -64.0, losses=1))
    record = MatchRecord(0, "archived", ("alice", "bob"), "8", date, (1720.0, 1720.0), 64.0, "1 (;GM[Othello];)")
    world.store.save_match(record)


def prepare(world: World, name: str) -> None:
    """Ids as they were when a session began, and its random starts."""
    world.service.requests._ids = numbers_from(REQUEST_IDS[name])
    world.service.match_ids = numbers_from(MATCH_IDS[name])
    world.store._db.execute("UPDATE counter SET next=?", (COUNTERS[name],))
    for event_stream in by_client(name).values():
        for block in event_stream:
            for message in recognise(block):
                if isinstance(message, Join) and message.number == 0:
                    board = message.board
                    world.dealer.starts[str(message.type)] = Board(board.width, board.cells, board.turn)
    if name == "C_errors":
        for client in ("alice", "bob"):
            world.connect(client)
            world.say(client, client)
            world.say(client, f"pw{client}")
        clock = ClockSetting.parse("5:00//1:00")
        pending = Pending("alice", "bob", GameType.parse("8b"), (clock, clock), rated=False, number=1)
        world.service.requests._pending[1] = pending
    if name == "A_basic":
        for client in list(world.sessions):
            world.close(client)
    for heard in world.heard.values():
        heard.clear()


def by_client(name: str) -> dict[str, list[Block]]:
    """What the genuine server said to each client."""
    said: dict[str, bytes] = {}
    for event in events(name):
        if event.kind == "S":
            said[event.client] = said.get(event.client, b"") + event.text.encode("latin-1")
    return {client: blocks(data) for client, data in said.items()}


def replay(world: World, name: str) -> None:
    """Let the clients of a session do again what they did."""
    prepare(world, name)
    unlogged = {command: lines for (session, command), lines in UNLOGGED.items() if session == name}
    logged: set[str] = set()
    for event in events(name):
        if event.kind == "S" and event.text.startswith(": Enter login"):
            if event.client in world.sessions:
                world.close(event.client)
            if event.client not in logged:  # nothing before was logged of this client
                world.heard.setdefault(event.client, bytearray()).clear()
            world.connect(event.client)
        elif event.kind == "S" and event.text.startswith(("/os: timeout", "/os: fatal-timeout")):
            run_out(world)
        elif event.kind == "X":
            world.close(event.client)
        elif event.kind == "C":
            command = event.text.removesuffix("\n")
            world.time.passed += BEFORE.get((name, command), 0.0)
            world.say(event.client, command)
            for line in unlogged.pop(command, ()) if event.client == "alice" else ():
                world.say("bob", line)
        if event.kind != "X":
            logged.add(event.client)
    assert not unlogged


def run_out(world: World) -> None:
    """Wait until a flag falls, unless it has: both clients are told, one after the other in the log."""
    if world.told:
        world.told = False
        return
    due = world.service.next_event()
    assert due is not None
    world.time.passed = max(world.time.passed, due)
    world.service.tick()
    world.told = True


MASKS = (
    (re.compile(r"\d\d \w{3} \d{4} \d\d:\d\d:\d\d"), "DATE"),
    (re.compile(r"DT\[[^]]*\]"), "DT[DATE]"),
    (re.compile(r"\) -?\d\d:\d\d,"), ") CLOCK,"),
    (re.compile(r"= +\d\d:\d\d:\d\d\+"), "=IDLE+"),
    (re.compile(r"dblen  : .*"), "dblen"),
    (re.compile(r" -601\.71 -> 1470\.97 @ 275\.42"), " -593.08 -> 1479.61 @ 269.72"),
    (re.compile(r"\+601\.71 -> 1969\.03 @ 275\.42"), "+593.08 -> 1960.39 @ 269.72"),
)
"""The last two: the genuine server once announced the change of another pool; the ratings that it showed from then on
are ours."""


def comparable(block: Block) -> tuple[str, ...]:
    """The lines of a block without what differs for good reasons."""
    lines = list(block.lines)
    if lines and lines[0].startswith(": help "):
        lines = [lines[0].removesuffix(" (text left out)")]
    for pattern, replacement in MASKS:
        lines = [pattern.sub(replacement, line) for line in lines]
    return (*lines, block.end)


def two_sequences(stream: list[Block]) -> Iterator[list[tuple[str, ...]]]:
    """Direct replies, and what came unasked; the goodbye of a client that has gone was not logged."""
    kept = [block for block in stream if block.lines != (": Thank you for using GGS.",)]
    yield [comparable(block) for block in kept if not block.unasked]
    yield [comparable(block) for block in kept if block.unasked]


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    played_before(world)
    return world


@pytest.mark.parametrize("name", ORDER)
def test_a_replayed_session_gives_what_the_genuine_server_said(world: World, name: str) -> None:
    replay(world, name)
    said = by_client(name)
    for client, genuine in said.items():
        ours = blocks(bytes(world.heard[client]))
        for genuine_sequence, our_sequence in zip(two_sequences(genuine), two_sequences(ours), strict=True):
            assert our_sequence == genuine_sequence
