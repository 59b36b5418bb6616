"""Who is ready is ready: the first search of a process reads no file and imports nothing, through whatever door.

What a first search loads, it loads before it hears ``stop``; on a busy machine that was seconds. Each door is tried in
a process of its own, which notes what is opened and imported once it is ready. The dialects of other hosts have no door
of their own: behind each is a session that is asked ``isready``.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

WATCH = """
import asyncio, sys, threading
noted, watching = [], threading.Event()
def note(event, details):
    if watching.is_set() and event in ("open", "import"):
        name = str(details[0])
        if not name.startswith(("/proc/", "/sys/")):  # how much memory is free
            noted.append(name)
sys.addaudithook(note)
"""

SESSION = """
from fanqi.uci import HashBudget, Library, SearchPool, Services, Session, SessionConfig, set_aside_what_is_loaded
said = {"readyok": threading.Event(), "bestmove": threading.Event()}
class Output:
    def answer(self, line):
        word = line.split()[0]
        if word == "readyok":
            watching.set()
        if word in said:
            said[word].set()
    def thought(self, line): pass
    def ended(self): pass
def talk(after_load, config):
    services = Services(Library(after_load=after_load), SearchPool(1), HashBudget(), lambda error: noted.append(error))
    session = Session(Output(), services, config)
    for line in BEFORE.splitlines():
        session.receive(line)
    assert said["readyok"].wait(300)
    for line in GO.splitlines():
        said["bestmove"].clear()
        session.receive(line)
        if line.startswith("go"):
            assert said["bestmove"].wait(300)
"""

OTHELLO = """
BEFORE = "setoption name OwnBook value true\\nisready"
GO = "go movetime 100\\nposition startpos moves f5 d6 c3 d3 c4 f4 f6 g3\\ngo depth 6\\ngo wtime 1000 btime 1000"
"""
BANQI = """
BEFORE = "setoption name UCI_Variant value banqi\\nisready"
GO = "go movetime 100\\nposition startpos moves b2=K b3=p\\ngo depth 2\\ngo wtime 1000 btime 1000"
"""
STDIO = "talk(set_aside_what_is_loaded, SessionConfig(reserves_memory=True))"
SERVER = "from fanqi.tcp.server import load_book; talk(load_book, SessionConfig())"

GGS = """
from fanqi.game import load_game
from fanqi.ggs.thinking import Thinker
from fanqi.search import Limits, Settings
async def play():
    thinker = Thinker(load_game("othello"), 1)
    settings = Settings(own_book=True)
    await thinker.prepare(settings)
    watching.set()
    mind = thinker.mind()
    mind.configure(settings)
    start = thinker.game.start()
    for position in (start, start.play("f5").play("f6")):
        await (await mind.think(position, lambda: Limits(movetime_ms=50))).result()
asyncio.run(play())
"""

MATCH = """
from fanqi.game import Player, load_game
from fanqi.match.builtin.own import OwnContestant
from fanqi.match.clock import GameClock
from fanqi.match.limit import Limit
from fanqi.match.specification import parse_engine
from fanqi.match.turn import Setup, Turn
async def play():
    limit = Limit(movetime_ms=50)
    contestant = OwnContestant(parse_engine("a=builtin:fanqi", limit), "othello")
    clock = GameClock(limit, 60_000)
    setup = Setup("othello", "", "startpos", Player.P1, clock)
    await contestant.prepare(setup)
    watching.set()
    await contestant.choose(Turn(setup, [], load_game("othello").start(), clock, clock, ""))
    await contestant.close()
asyncio.run(play())
"""

WORKER = """
from fanqi.jobs.child import prepare
from fanqi.jobs.context import Context
from fanqi.mqtt.work import SearchLimits
context = Context()
context.begin(1, 16)
for name in ("othello", "banqi"):
    assert prepare(name).game == name
watching.set()
for name in ("othello", "banqi"):
    position = context.game(name).start()
    position = position.play("f5" if name == "othello" else "b2=K")
    context.search(position, name, SearchLimits(depth=3))
"""


@pytest.mark.parametrize(
    "door",
    [
        pytest.param(SESSION + OTHELLO + STDIO, id="stdio, Othello"),
        pytest.param(SESSION + BANQI + STDIO, id="stdio, banqi"),
        pytest.param(SESSION + OTHELLO + SERVER, id="TCP and WebSocket, Othello"),
        pytest.param(SESSION + BANQI + SERVER, id="TCP and WebSocket, banqi"),
        pytest.param(GGS, id="GGS client"),
        pytest.param(MATCH, id="built-in engine of a match"),
        pytest.param(WORKER, id="worker"),
    ],
)
def test_the_first_search_after_ready_loads_nothing(door: str) -> None:
    code = WATCH + door + "\nwatching.clear(); print(*noted, sep='\\n', end='')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ""
