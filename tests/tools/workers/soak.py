"""Chaos for a fleet of real processes: workers, dispatcher and broker are killed, stopped and restarted at random.

``make soak`` runs this file at full size; the tests run it small.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.append(str(Path(__file__).parents[2] / "support"))
from mosquitto import Mosquitto, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

FANQI = [sys.executable, "-m", "fanqi.cli"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is done to how many.

    What happens when is a matter of progress and not of time, so that all of it does happen, however fast the
    engine is.

    Attributes:
        work_s: how long all jobs together take one core, at least; the depth follows from it.
    """

    jobs: int
    workers: int
    worker_kills: int
    dispatcher_kills: int
    broker_restarts: int
    stop_seconds: float
    work_s: float
    heartbeat: float
    seed: int = 1


LONGEST_S = 3600.0
FULL = Plan(1000, 4, 30, 5, 3, 60.0, work_s=240.0, heartbeat=1.0)
SMALL = Plan(150, 3, 4, 1, 1, 4.0, work_s=20.0, heartbeat=0.5)


@dataclass(slots=True)
class Fleet:
    """All processes of a soak."""

    folder: Path
    plan: Plan
    broker: Mosquitto
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    depth: int = 1
    stopped: set[str] = field(default_factory=set)
    dispatcher: subprocess.Popen[bytes] | None = None
    metrics_port: int = field(default_factory=free_port)
    answered: int = 0

    def start_worker(self, name: str) -> None:
        config = self.folder / f"{name}.toml"
        config.write_text(
            f'broker = "{self.broker.address}"\nname = "{name}"\nthreads = 1\nhash = 64\nniceness = 0\n'
            f'heartbeat = {self.plan.heartbeat}\ngames = ["othello"]\n'
        )
        with (self.folder / f"{name}.log").open("ab") as log:
            self.workers[name] = subprocess.Popen([*FANQI, "worker", "--config", str(config)], stdout=log, stderr=log)

    def start_dispatcher(self) -> None:
        command = [
            *FANQI, "submit", str(self.folder / "positions.txt"), "--depth", str(self.depth), "--hash", "4",
            "--broker", self.broker.address, "--out", str(self.folder / "results.jsonl"), "--log-level", "info",
            "--metrics-port", str(self.metrics_port),
        ]  # fmt: skip
        with (self.folder / "dispatcher.log").open("ab") as log:
            self.dispatcher = subprocess.Popen(command, stdout=log, stderr=log)

    def count(self) -> int:
        """How many jobs are answered, as far as is known."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=0.5) as answer:
                text = answer.read().decode()
            self.answered = sum(
                int(re.search(rf'fanqi_dispatch_jobs{{state="{state}"}} (\d+)', text)[1])
                for state in ("done", "failed")
            )
        return self.answered

    def end(self) -> None:
        for process in [*self.workers.values(), self.dispatcher, self.broker.process]:
            if process is not None and process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()


def positions(count: int, seed: int) -> Iterator[str]:
    """Different positions after some random moves."""
    from fanqi.game import load_game

    chance = random.Random(seed)
    game = load_game("othello")
    seen = set()
    while len(seen) < count:
        position, moves = game.start(), []
        for _ in range(chance.randint(10, 24)):
            if not position.legal_moves():
                break
            moves.append(chance.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.legal_moves() and position.fen() not in seen:
            seen.add(position.fen())
            yield "startpos moves " + " ".join(moves)


def results_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a result file without what may differ from run to run."""
    rows = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        for entry in row.get("result", {}).get("lines", []):
            entry.pop("time_ms", None)
        rows.append({key: row.get(key) for key in ("job", "from", "work", "result", "error", "nodes")})
    return rows


def schedule(plan: Plan, chance: random.Random) -> list[tuple[int, str]]:
    """What happens after how many answers."""
    what = ["worker"] * plan.worker_kills + ["dispatcher"] * plan.dispatcher_kills + ["broker"] * plan.broker_restarts
    events = [(int(plan.jobs * chance.uniform(0.02, 0.7)), name) for name in what]
    return sorted([*events, (int(plan.jobs * chance.uniform(0.1, 0.3)), "stop")])


def alone(folder: Path, depth: int, positions_file: str, out: str) -> float:
    """Work positions out on this machine alone; seconds of one core that the jobs took."""
    subprocess.run(
        [*FANQI, "submit", str(folder / positions_file), "--depth", str(depth), "--hash", "4", "--local", "2", "--out",
         str(folder / out)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return sum(json.loads(line)["seconds"] for line in (folder / out).read_text().splitlines())


def choose_depth(plan: Plan, folder: Path) -> int:
    """The least depth at which all jobs take as long as they should, by a sample."""
    lines = (folder / "positions.txt").read_text().splitlines()
    sample = lines[:: max(1, len(lines) // 25)]
    (folder / "sample.txt").write_text("\n".join(sample) + "\n")
    for depth in range(8, 30):
        if alone(folder, depth, "sample.txt", f"sample-{depth}.jsonl") * len(lines) / len(sample) >= plan.work_s:
            return depth
    raise AssertionError("no depth is deep enough")


def run_soak(plan: Plan, folder: Path, *, say: Any = lambda text: None) -> dict[str, int]:
    """Do it, and compare with a single-machine run; figures of what happened.

    Raises:
        AssertionError: a result is missing, doubled or another.
    """
    chance = random.Random(plan.seed)
    (folder / "positions.txt").write_text("".join(line + "\n" for line in positions(plan.jobs, plan.seed)))
    depth = choose_depth(plan, folder)
    say(f"{plan.jobs} jobs at depth {depth}; first on this machine alone")
    say(f"done: {alone(folder, depth, 'positions.txt', 'expected.jsonl'):.0f} s of one core")
    fleet = Fleet(folder, plan, Mosquitto(folder), depth=depth)
    done = {"worker": 0, "dispatcher": 0, "broker": 0, "stop": 0}
    restart: list[tuple[float, str]] = []
    events = schedule(plan, chance)
    try:
        for number in range(plan.workers):
            fleet.start_worker(f"w{number}")
        fleet.start_dispatcher()
        started = time.monotonic()
        while fleet.dispatcher.poll() is None or restart:
            now = time.monotonic() - started
            assert now < LONGEST_S, "it does not come to an end"
            while restart and restart[0][0] <= now:
                revive(fleet, restart.pop(0)[1])
            if events and events[0][0] <= fleet.count() and not any(name == "dispatcher" for _, name in restart):
                _, name = events.pop(0)
                restart += strike(fleet, name, now, chance, plan)
                restart.sort()
                done[name] += 1
                say(f"{now:6.1f} s  {fleet.answered:4d} answered: {name}")
            time.sleep(0.02)
        assert fleet.dispatcher.returncode == 0, (folder / "dispatcher.log").read_text()[-2000:]
        assert not events, events
        say(f"all answered after {time.monotonic() - started:.0f} s")
    finally:
        fleet.end()
    got, expected = results_of(folder / "results.jsonl"), results_of(folder / "expected.jsonl")
    assert len(got) == plan.jobs
    assert [row["job"] for row in got] == list(range(1, plan.jobs + 1))
    assert got == expected
    return done


def strike(fleet: Fleet, name: str, now: float, chance: random.Random, plan: Plan) -> list[tuple[float, str]]:
    """Do something bad; what is to be undone when."""
    if name == "worker":
        alive = [worker for worker, process in fleet.workers.items() if process.poll() is None]
        victim = chance.choice([worker for worker in alive if worker not in fleet.stopped] or alive or ["w0"])
        fleet.workers[victim].kill()
        fleet.workers[victim].wait()
        return [(now + chance.uniform(0.0, 2.0), victim)]
    if name == "stop":
        victim = next(worker for worker, process in fleet.workers.items() if process.poll() is None)
        fleet.workers[victim].send_signal(signal.SIGSTOP)
        fleet.stopped.add(victim)
        return [(now + plan.stop_seconds, f"continue {victim}")]
    if name == "dispatcher":
        assert fleet.dispatcher is not None
        fleet.dispatcher.kill()
        fleet.dispatcher.wait()
        return [(now + chance.uniform(0.0, 2.0), "dispatcher")]
    fleet.broker.kill()
    return [(now + chance.uniform(0.0, 2.0), "broker")]


def revive(fleet: Fleet, name: str) -> None:
    if name == "dispatcher":
        fleet.start_dispatcher()
    elif name == "broker":
        fleet.broker.start()
    elif name.startswith("continue "):
        victim = name.removeprefix("continue ")
        fleet.stopped.discard(victim)
        with contextlib.suppress(ProcessLookupError):
            fleet.workers[victim].send_signal(signal.SIGCONT)
    else:
        fleet.start_worker(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="as in the tests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for all logs and results, new")
    arguments = parser.parse_args()
    base = SMALL if arguments.small else FULL
    plan = replace(base, seed=arguments.seed)
    with contextlib.ExitStack() as stack:
        if arguments.keep is not None:
            arguments.keep.mkdir(parents=True)
            folder = arguments.keep
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        done = run_soak(plan, folder, say=lambda text: print(text, flush=True))
    print(
        f"{plan.jobs} jobs, each with exactly one right result; {done['worker']} workers killed, {done['dispatcher']}"
        f" dispatchers killed, {done['broker']} restarts of the broker, {done['stop']} worker stopped for"
        f" {plan.stop_seconds:.0f} s"
    )


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
