"""Loading games: once, off the session's thread, with progress that is told."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading

from fanqi.kernels import CompileStep
from fanqi.uci import Library
from fanqi.uci.library import Progress


class Listener:
    def __init__(self):
        self.events = queue.Queue()

    def progressed(self, text, *, compiling):
        self.events.put(("progressed", text, compiling))

    def loaded(self, game):
        self.events.put(("loaded", game))

    def failed(self, reason):
        self.events.put(("failed", reason))

    def last(self):
        while (event := self.events.get(timeout=20))[0] == "progressed":
            pass
        return event


class Slow:
    """A game whose loading waits for the test."""

    def __init__(self):
        self.gate = threading.Event()
        self.prepared = 0

    def prepare(self, progress=None):
        assert self.gate.wait(20)
        self.prepared += 1
        return [CompileStep("a", 0.1, True)]


def test_a_game_is_loaded_once_for_all_who_ask():
    game = Slow()
    library = Library(lambda name: game)
    listeners = [Listener() for _ in range(5)]
    for listener in listeners:
        library.request("othello", listener)
    assert library.get("othello") is None
    assert library.busy
    game.gate.set()
    assert [listener.last() for listener in listeners] == [("loaded", game)] * 5
    assert library.get("othello") is game
    late = Listener()
    library.request("othello", late)
    assert late.last() == ("loaded", game)
    assert game.prepared == 1


def test_what_has_been_loaded_is_set_aside_before_anybody_is_told():
    listener = Listener()
    game = Slow()
    game.gate.set()
    Library(lambda name: game, after_load=lambda: listener.events.put(("set aside",))).request("othello", listener)
    assert listener.last() == ("set aside",)
    assert listener.last() == ("loaded", game)


def test_a_served_process_collects_no_garbage_among_kernels():
    code = (
        "import gc; from fanqi.stdio import main; from fanqi.kernels import kernel; import os;"
        "r, w = os.pipe(); os.write(w, b'isready\\nquit\\n'); os.close(w);"
        "main((), (r, 2)); loaded = [each for each in gc.get_objects() if type(each).__name__ == 'CPUDispatcher'];"
        "print(gc.get_freeze_count() > 100_000, len(loaded))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "True 0\n"


def test_a_game_that_cannot_be_loaded_says_why_and_may_be_tried_again():
    def load(name):
        raise ImportError(f"no {name}")

    library = Library(load)
    for _ in range(2):
        listener = Listener()
        library.request("banqi", listener)
        assert listener.last() == ("failed", "ImportError: no banqi")
    assert not library.busy


def test_progress_is_told_once_a_second_and_only_when_something_is_compiled():
    times = iter((0.0, 1.0, 1.5, 1.9, 2.1))
    told = []
    progress = Progress("othello", lambda: next(times), lambda name, text, compiling: told.append(text))
    progress(1, 9, CompileStep("a", 0.01, True))
    assert told == []
    for done in range(2, 6):
        progress(done, 9, CompileStep(f"step{done}", 0.5, False))
    assert told == [
        "othello: compiling kernels, 2 of 9 done, step2 took 0.5 s",
        "othello: compiling kernels, 5 of 9 done, step5 took 0.5 s",
    ]


def listener():
    """What has been told, an event that something was, and who to tell."""
    told = []
    heard = threading.Event()

    def tell(name, text, *, compiling):
        told.append((text, compiling))
        heard.set()

    return told, heard, tell


def test_loading_that_takes_long_is_no_reason_to_fall_silent():
    told, heard, tell = listener()
    now = iter([100.0] + [100.0 + seconds for seconds in (1.0, 2.0, 3.5, 3.9)] + [104.0] * 1000)
    with Progress("banqi", lambda: next(now), tell):
        assert heard.wait(30)
    assert told[0] == ("banqi: loading kernels, 4 s so far", False)


def test_a_first_kernel_that_takes_long_is_told_as_compiled_when_the_cache_lacks_it():
    told, heard, tell = listener()
    now = iter([100.0] + [104.0] * 1000)
    with Progress("banqi", lambda: next(now), tell, lambda: True):
        assert heard.wait(30)
    assert told[0] == ("banqi: compiling kernels, 4 s so far", True)


def test_one_long_compilation_is_told_as_such():
    told = []
    heard = threading.Event()

    def tell(name, text, *, compiling):
        told.append((text, compiling))
        if len(told) > 1:
            heard.set()

    now = iter([100.0, 101.0] + [107.0] * 1000)
    with Progress("banqi", lambda: next(now), tell) as progress:
        progress(1, 9, CompileStep("first", 1.0, False))
        assert heard.wait(30)
    assert told[:2] == [
        ("banqi: compiling kernels, 1 of 9 done, first took 1.0 s", True),
        ("banqi: compiling kernels, 1 of 9 done, 7 s so far", True),
    ]


def test_a_kernel_made_anew_in_a_full_cache_does_not_end_a_session_that_only_waits_for_its_answers():
    game = Slow()
    game.prepare = lambda progress: [CompileStep("damaged", 0.1, False)]
    listener = Listener()
    Library(lambda name: game).request("othello", listener)
    _, text, compiling = listener.events.get(timeout=20)
    assert text.endswith("1 of them compiled now")
    assert not compiling
    assert listener.last() == ("loaded", game)
