"""How fast an engine process answers, measured from outside over its pipes: any engine that speaks our protocol.

All times are wall time, so they are worth as much as the machine is quiet.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "OWN_ENGINE",
    "EngineProcess",
    "LatencyReport",
    "Times",
    "handshake_times",
    "measure",
    "move_times",
    "ready_times",
    "stop_times",
]

OWN_ENGINE = (sys.executable, "-m", "fanqi.stdio")


@dataclass(frozen=True, slots=True)
class Times:
    """Measured times in milliseconds, sorted."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: list[float]) -> Times:
        return cls(tuple(sorted(values)))

    def percentile(self, percent: float) -> float:
        """The smallest value that ``percent`` of the values do not exceed."""
        index = max(-(-len(self.values) * percent // 100), 1) - 1
        return self.values[int(index)]

    @property
    def median(self) -> float:
        return self.percentile(50)

    @property
    def worst(self) -> float:
        return self.values[-1]


@dataclass(frozen=True, slots=True)
class LatencyReport:
    """What was measured.

    Attributes:
        handshake: from the start of the process to ``uciok``.
        ready: from the start of the process to ``readyok``.
        ping: ``isready`` to ``readyok`` of a loaded engine.
        stop: ``stop`` to ``bestmove`` in the middle of a search.
        overshoot: time from ``go movetime`` to ``bestmove``, less that time; negative is early.
        movetime_ms: of those moves.
    """

    handshake: Times
    ready: Times
    ping: Times
    stop: Times
    overshoot: Times
    movetime_ms: int

    def lines(self) -> Iterator[str]:
        """The figures for people."""
        yield f"{'milliseconds':34} {'runs':>5} {'median':>8} {'99 %':>8} {'worst':>8}"
        rows = (
            ("process start to uciok", self.handshake),
            ("process start to readyok", self.ready),
            ("isready to readyok, loaded", self.ping),
            ("stop to bestmove", self.stop),
            (f"bestmove after limit, movetime {self.movetime_ms}", self.overshoot),
        )
        for name, times in rows:
            figures = " ".join(f"{value:8.2f}" for value in (times.median, times.percentile(99), times.worst))
            yield f"{name:34} {len(times.values):5} {figures}"


class EngineProcess:
    """An engine on pipes.

    Args:
        command: what to run.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self._process.stdin.flush()

    def until(self, word: str) -> str:
        """Read up to the first line that begins with ``word``.

        Raises:
            EOFError: the engine has ended before.
        """
        assert self._process.stdout is not None
        for raw in self._process.stdout:
            line = b" ".join(raw.split())  # more blanks between words are no offence
            if line.startswith(word.encode()):
                return line.decode("utf-8", "replace")
        raise EOFError(f"the engine ended without a line that begins with {word!r}")

    def ask(self, line: str, word: str) -> tuple[float, str]:
        """Milliseconds from after ``line`` was written to the line that begins with ``word``, and that line."""
        self.send(line)
        started = time.perf_counter()
        answer = self.until(word)
        return (time.perf_counter() - started) * 1000, answer

    def close(self) -> None:
        """End it: politely, after five seconds not."""
        try:
            self.send("quit")
            self._process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):  # closing writes what an engine that has ended did not take
                    stream.close()


@contextmanager
def engine_process(command: Sequence[str], variant: str = "") -> Iterator[EngineProcess]:
    """An engine, loaded if ``variant`` is given, that is gone afterwards."""
    engine = EngineProcess(command)
    try:
        if variant:
            engine.send(f"setoption name UCI_Variant value {variant}", "isready")
            engine.until("readyok")
        yield engine
    finally:
        engine.close()


def handshake_times(command: Sequence[str], runs: int) -> Times:
    """From the start of a fresh process to ``uciok``."""
    return Times.of([start_time(command, "uciok", "uci") for _ in range(runs)])


def ready_times(command: Sequence[str], runs: int, variant: str) -> Times:
    """From the start of a fresh process to ``readyok``; fill the kernel cache before."""
    lines = ("uci", f"setoption name UCI_Variant value {variant}", "isready")
    return Times.of([start_time(command, "readyok", *lines) for _ in range(runs)])


def start_time(command: Sequence[str], word: str, *lines: str) -> float:
    with engine_process(command) as engine:
        engine.send(*lines)
        engine.until(word)
        return (time.perf_counter() - engine.started) * 1000


def stop_times(engine: EngineProcess, runs: int, think_s: float = 0.02) -> Times:
    """``stop`` to ``bestmove``, each time in the middle of a search."""
    times = []
    for _ in range(runs):
        engine.send("position startpos", "go infinite")
        time.sleep(think_s)
        times.append(engine.ask("stop", "bestmove")[0])
    return Times.of(times)


def move_times(engine: EngineProcess, runs: int, movetime_ms: int) -> Times:
    """How long after its limit each of ``runs`` moves came, over as many games as that takes.

    A flip is answered by the engine's own arbiter.
    """
    times: list[float] = []
    moves: list[str] = []
    engine.send("position startpos", "arbiter new")
    othello = len(engine.ask("query fen", "response")[1].split()[1]) == 64
    while len(times) < runs:
        engine.send(f"position startpos moves {' '.join(moves)}")
        elapsed, answer = engine.ask(f"go movetime {movetime_ms}", "bestmove")
        move = answer.split()[1]
        if move == "(none)":
            moves = []
            engine.send("arbiter new", "ucinewgame", "isready")
            engine.until("readyok")
            continue
        times.append(elapsed - movetime_ms)
        if len(move) == 2 and not othello:
            move = engine.ask(f"arbiter flip {move}", "arbiter reveal")[1].split()[2]
        moves.append(move)
    return Times.of(times)


def measure(
    command: Sequence[str] = OWN_ENGINE,
    variant: str = "othello",
    *,
    starts: int = 10,
    stops: int = 100,
    moves: int = 1000,
    movetime_ms: int = 30,
) -> LatencyReport:
    """Everything, for one game; takes about ``moves * movetime_ms`` and a few seconds more."""
    with engine_process(command, variant) as engine:
        pings = Times.of([engine.ask("isready", "readyok")[0] for _ in range(stops)])
        stopped = stop_times(engine, stops)
        engine.send("ucinewgame", "isready")
        engine.until("readyok")
        overshoot = move_times(engine, moves, movetime_ms)
    return LatencyReport(
        handshake=handshake_times(command, starts),
        ready=ready_times(command, starts, variant),
        ping=pings,
        stop=stopped,
        overshoot=overshoot,
        movetime_ms=movetime_ms,
    )
