"""A host for translators, and an engine that always thinks the same."""

from __future__ import annotations

import queue
import time

import pytest

from fanqi.game import load_game
from fanqi.search import Info, SearchResult
from fanqi.search.memory import TableMemoryError
from fanqi.translators import DIALECTS, Surroundings, load_translator
from fanqi.uci import Go, HashBudget, Library, SearchPool, Services, Session, SessionConfig, SetOption, option_table

PATIENCE_SECONDS = 60.0


class FirstMoveEngine:
    """Chooses the first legal move and expects the first legal reply; scores one disc per depth."""

    def __init__(self, memory_mib):
        self.memory_mib = memory_mib  # no table can be larger

    def configure(self, settings):
        self.settings = settings

    def new_game(self):
        pass

    def reserve(self):
        if self.settings.hash_mib > self.memory_mib:
            raise TableMemoryError(self.settings.hash_mib, self.memory_mib)

    def search(self, position, limits, control, on_info):
        legal = limits.moves or position.legal_moves()
        depth = limits.depth or 1
        for rank, move in enumerate(legal[: self.settings.multipv], 1):
            on_info(
                Info(
                    depth=depth,
                    selectivity=100 if limits.certainty is None else limits.certainty,
                    multipv=rank,
                    score_cp=100 * depth - rank,
                    nodes=7,
                    pv=line(position, move),
                )
            )
        if limits.infinite or limits.ponder:
            control.wait_stopped() if limits.infinite else control.wait()
        pv = line(position, legal[0])
        return SearchResult(legal[0], pv[1] if len(pv) > 1 else None)

    def evaluate(self, position):
        return 0, []


def line(position, move):
    """The move, and the first reply where no covered piece stands in the way."""
    if position.needs_reveal(move):
        return (move,)
    return (move, *position.play(move).legal_moves()[:1])


class FakeGame:
    """A real game with `FirstMoveEngine` for a mind."""

    def __init__(self, name, memory_mib):
        self._game = load_game(name)
        self._memory_mib = memory_mib

    def __getattr__(self, name):
        return getattr(self._game, name)

    def engine(self):
        return FirstMoveEngine(self._memory_mib)

    def prepare(self, progress=None):
        return []


class Host:
    """The other side of a translator: says lines, and reads what comes back."""

    def __init__(self, dialect, files=None, think=None, memory_mib=64):
        self.lines = queue.SimpleQueue()
        self.faults = []
        self.learned = []
        self.over = False
        library = Library(lambda name: FakeGame(name, memory_mib), lambda: 0.0)
        services = Services(library, SearchPool(1), HashBudget(), self.faults.append)
        variant = SetOption("UCI_Variant", DIALECTS[dialect].variant)
        config = SessionConfig(option_table().with_default(variant), reserves_memory=True)
        self.files = files or {}
        self.warnings = queue.SimpleQueue()
        surroundings = Surroundings(think or Go(depth=3), self.read_file, self.learned.append, warn=self.warnings.put)
        if DIALECTS[dialect].translator:
            self.translator = load_translator(dialect)(self, services, config, surroundings)
        else:
            self.translator = Session(self, services, config)

    def read_file(self, path):
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    # fanqi.uci.Output
    def answer(self, text):
        for part in text.split("\n"):
            self.lines.put(part)

    thought = answer

    def ended(self):
        self.over = True
        self.lines.put(None)

    # what a test says and hears
    def say(self, *lines):
        for text in lines:
            self.translator.receive(text)

    def hear(self):
        """The next line; None at the end."""
        return self.lines.get(timeout=PATIENCE_SECONDS)

    def until(self, wanted):
        """All lines up to and including the first that starts so."""
        heard = []
        while not heard or not heard[-1].startswith(wanted):
            heard.append(self.hear())
            assert heard[-1] is not None, f"ended before {wanted!r}: {heard}"
        return heard

    def rest(self):
        """Everything up to the end."""
        return list(iter(self.hear, None))

    def silent(self, seconds=0.2):
        """Whether nothing more comes for a while."""
        time.sleep(seconds)
        return self.lines.empty()


@pytest.fixture
def host():
    """Makes hosts, and sees that none met a bug."""
    hosts = []

    def make(dialect, files=None, think=None, memory_mib=64):
        hosts.append(Host(dialect, files, think, memory_mib))
        return hosts[-1]

    yield make
    for made in hosts:
        made.translator.abandon()
        assert made.faults == []
