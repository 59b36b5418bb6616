"""A game small enough to know by heart, an engine that does as it is told, and threads that run when told.

The game: a heap of stones, players take 1, 2 or 3; who takes the last one wins. Positions are written ``7 p1``; the
rule parameter ``max=2`` forbids taking 3.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field, replace

from fanqi.game import GameError, MoveError, Outcome, Player, PositionError, RulesError
from fanqi.search import Info, SearchResult
from fanqi.search.memory import TableMemoryError
from fanqi.uci import HashBudget, Services, Session


@dataclass(frozen=True)
class Heap:
    stones: int = 10
    turn: Player = Player.P1
    most: int = 3
    ply: int = 0

    def legal_moves(self):
        return tuple(str(number) for number in range(1, min(self.stones, self.most) + 1))

    def play(self, move):
        number = int(self.canonical(move))
        return Heap(self.stones - number, self.turn.other, self.most, self.ply + 1)

    def canonical(self, move):
        if move not in self.legal_moves():
            raise MoveError(move, f"cannot take {move} of {self.stones}")
        return move

    def needs_reveal(self, move):
        return False

    def outcome(self, scoring=""):
        return None if self.stones else Outcome(self.turn.other, "empty", 2 if self.turn is Player.P2 else -2)

    def fen(self):
        return f"{self.stones} {self.turn.name.lower()}"

    def picture(self):
        return f"{'o' * self.stones}\n{self.turn.name.lower()} to move"

    def facts(self, what, arguments=()):
        if (what, arguments) != ("parity", ()):
            raise GameError(what, "no such question about a heap")
        return "odd" if self.stones % 2 else "even"


@dataclass
class Script:
    """What the engine does next, and what it has seen."""

    infos: tuple[Info, ...] = (Info(depth=1, score_cp=0, nodes=10, time_ms=1, pv=("1",)),)
    move: str | None = "1"
    ponder: str | None = "2"
    until_stopped: bool = False
    error: Exception | None = None
    searches: list = field(default_factory=list)  # (position, limits, control)
    settings: list = field(default_factory=list)
    forgot: int = 0
    reserved: int = 0
    reserve_error: Exception | None = None
    engine_error: Exception | None = None
    memory_mib: int = 1 << 40  # no table can be larger
    searching: threading.Event = field(default_factory=threading.Event)


class Engine:
    def __init__(self, script):
        self.script = script

    def configure(self, settings):
        self.script.settings.append(settings)

    def new_game(self):
        self.script.forgot += 1

    def take_table(self, mib):
        if mib > self.script.memory_mib:
            raise TableMemoryError(mib, self.script.memory_mib)

    def reserve(self):
        self.script.reserved += 1
        self.take_table(self.script.settings[-1].hash_mib)
        if self.script.reserve_error is not None:
            raise self.script.reserve_error

    def search(self, position, limits, control, on_info):
        script = self.script
        self.take_table(script.settings[-1].hash_mib)
        script.searches.append((position, limits, control))
        for info in script.infos:
            on_info(info)
        script.searching.set()
        if script.error is not None:
            raise script.error
        if script.until_stopped:
            assert control.wait_stopped(20)
        return SearchResult(script.move, script.ponder, script.infos)

    def evaluate(self, position):
        return 50, []


class HeapGame:
    def __init__(self, script, name="othello"):
        self.script = script
        self.name = name

    def start(self, rules=""):
        if rules not in ("", "max=2", "chase=2"):  # the last is known to be banqi's before that is loaded
            raise RulesError(rules, "expected max=2")
        return Heap(most=2 if rules else 3)

    def parse(self, fen, rules=""):
        match = re.fullmatch(r"(\d{1,3}) p([12])", fen)
        if not match:
            raise PositionError(fen, "expected stones and p1 or p2")
        return replace(self.start(rules), stones=int(match[1]), turn=Player(int(match[2])))

    def perft(self, fen, depth, rules=""):
        return 3**depth

    def perft_divide(self, fen, depth, rules="", stopped=bool):
        counts = []
        for move in self.parse(fen, rules).legal_moves():
            if stopped():
                break
            counts.append((move, 3 ** (depth - 1)))
        return counts

    def engine(self):
        if self.script.engine_error is not None:
            raise self.script.engine_error
        return Engine(self.script)

    def prepare(self, progress=None):
        return []


class Recorder:
    """Takes down what a session says."""

    def __init__(self):
        self.lines = []
        self.over = threading.Event()

    def answer(self, line):
        assert not self.over.is_set(), "a session that has ended says nothing"
        assert "\n" not in line
        self.lines.append(line)

    thought = answer

    def ended(self):
        self.over.set()

    def take(self):
        lines, self.lines = self.lines, []
        return lines


class ManualTicket:
    def __init__(self, executor, job):
        self.executor, self.job = executor, job

    def cancel(self):
        if self in self.executor.queue and self.executor.full:
            self.executor.queue.remove(self)
            return True
        return False


class ManualExecutor:
    """Runs jobs when told to; ``full``: no slot is free, so that jobs can still be cancelled."""

    def __init__(self, full=False):
        self.queue = []
        self.full = full

    def submit(self, job):
        self.queue.append(ManualTicket(self, job))
        return self.queue[-1]

    def run_all(self):
        while self.queue:
            self.queue.pop(0).job()


class ManualLibrary:
    """Loads a game when told to."""

    def __init__(self, script, loaded=("othello", "banqi")):
        self.games = {name: HeapGame(script, name) for name in ("othello", "banqi")}
        self.available = set(loaded)
        self.listeners = []

    def get(self, name):
        return self.games[name] if name in self.available else None

    def request(self, name, listener):
        self.listeners.append((name, listener))

    def tell(self, text, compiling=False):
        for _, listener in list(self.listeners):
            listener.progressed(text, compiling=compiling)

    def finish(self, problem=None):
        listeners, self.listeners = self.listeners, []
        for name, listener in listeners:
            if problem is None:
                self.available.add(name)
                listener.loaded(self.games[name])
            else:
                listener.failed(problem)


class Dialogue:
    """A session with everything under the test's control."""

    def __init__(self, loaded=("othello", "banqi"), executor=None, config=None, budget=None):
        self.now = 0.0
        self.script = Script()
        self.library = ManualLibrary(self.script, loaded)
        self.executor = executor or ManualExecutor()
        self.output = Recorder()
        self.faults = []
        budget = budget or HashBudget()
        services = Services(self.library, self.executor, budget, self.faults.append, lambda: self.now)
        self.session = Session(self.output, services, config)

    def send(self, *lines):
        for line in lines:
            self.session.receive(line)

    def say(self, *lines):
        """Send lines, let everything run, and return what was answered."""
        self.send(*lines)
        if isinstance(self.executor, ManualExecutor):
            self.executor.run_all()
        return self.output.take()

    def expect(self, line, answers):
        """One line, and exactly these answers; ``…`` at the end of one stands for the rest of its line."""
        said = self.say(line)
        assert len(said) == len(answers), said
        for actual, expected in zip(said, answers, strict=True):
            if expected.endswith("…"):
                assert actual.startswith(expected[:-1]), said
            else:
                assert actual == expected, said
