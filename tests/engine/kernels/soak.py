"""A kernel cache attacked again and again: files cut, altered, swapped, given away. Every answer must be right.

Attack number N is the same for the same seed, and every outcome is a line of the journal, so that a run that was broken
off goes on where it was.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GAMES = ("othello", "banqi")
LONGEST_S = 600

ANSWER = """
import sys
from fanqi.game import load_game
from fanqi.kernels import import_kernels
from fanqi.search import Control, Limits, Settings
name = sys.argv[1]
import_kernels("fanqi." + name)
game = load_game(name)
game.prepare()
moves = "f5 d6 c3 d3 c4 f4 f6" if name == "othello" else "b2=K b3=p c3=N c4=n"
position = game.start()
for move in moves.split():
    position = position.play(move)
engine = game.engine()
engine.configure(Settings(hash_mib=1))
control = Control()
result = engine.search(position, Limits(depth=6 if name == "othello" else 3), control, lambda info: None)
control.close()
last = result.infos[-1]
print(game.perft(None, 5 if name == "othello" else 3), result.move, last.score_cp, last.nodes, *last.pv)
print(engine.evaluate(position)[0])
if name == "othello":
    from fanqi.othello.replay import replay
    print(replay([37, 43, 18, 19, 26, 29, 45]))
"""


class KillsWhoeverReadsIt:
    """A pickle of this ends the process that takes it for a kernel."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return signal.raise_signal, (signal.SIGKILL,)


@dataclass(frozen=True, slots=True)
class Attack:
    """What is done to a cache: a kind of damage, and the files it is done to."""

    number: int
    game: str
    damage: str
    files: tuple[Path, ...]


def cut(file: Path, dice: random.Random) -> None:
    os.truncate(file, dice.randrange(file.stat().st_size))


def zeros(file: Path, dice: random.Random) -> None:
    """As a power cut leaves it."""
    file.write_bytes(bytes(file.stat().st_size))


def altered(file: Path, dice: random.Random) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(dice.choice((1, 1, 8, 64))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    file.write_bytes(data)


def overwritten(file: Path, dice: random.Random) -> None:
    data = bytearray(file.read_bytes())
    start = dice.randrange(len(data))
    length = dice.randrange(1, 4096)
    data[start : start + length] = dice.randbytes(length)
    file.write_bytes(data)


def longer(file: Path, dice: random.Random) -> None:
    with file.open("ab") as end:
        end.write(dice.randbytes(dice.randrange(1, 5000)))


def noise(file: Path, dice: random.Random) -> None:
    file.write_bytes(dice.randbytes(dice.randrange(100_000)))


def hostile(file: Path, dice: random.Random) -> None:
    file.write_bytes(pickle.dumps(KillsWhoeverReadsIt()))


def hostile_after_the_header(file: Path, dice: random.Random) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: dice.choice((15, 47, 51))] + pickle.dumps(KillsWhoeverReadsIt()))


def swapped(file: Path, dice: random.Random) -> None:
    other = dice.choice(sorted(each for each in file.parents[2].rglob("*.nbi") if each != file))
    shutil.copyfile(other, file)


def removed(file: Path, dice: random.Random) -> None:
    file.unlink()


def writable(file: Path, dice: random.Random) -> None:
    file.chmod(dice.choice((0o666, 0o664, 0o777)))


def locked(file: Path, dice: random.Random) -> None:
    file.chmod(0)


def given_away(file: Path, dice: random.Random) -> None:
    with contextlib.suppress(PermissionError):  # only root can
        os.chown(file, 12345, 12345)


def directory(file: Path, dice: random.Random) -> None:
    file.unlink()
    file.mkdir()


def pipe(file: Path, dice: random.Random) -> None:
    file.unlink()
    os.mkfifo(file)


def link(file: Path, dice: random.Random) -> None:
    file.unlink()
    file.symlink_to(dice.choice(("nothing", "/dev/zero", "/dev/full", file.name)))


def open_folder(file: Path, dice: random.Random) -> None:
    file.parents[dice.randrange(3)].chmod(0o777)


DAMAGES = (
    cut, zeros, altered, altered, overwritten, longer, noise, hostile, hostile_after_the_header, swapped, removed,
    writable, locked, given_away, directory, pipe, link, open_folder,
)  # fmt: skip


def attack_cache(seed: int, number: int, cache: Path, kernels: dict[str, list[Path]], read: set[Path]) -> Attack:
    """Do attack ``number`` to a whole cache; every second one to files that a process reads while all is well."""
    dice = random.Random(f"{seed} {number}")
    game = dice.choice(GAMES)
    damage = dice.choice(DAMAGES)
    count = dice.choice((1, 1, 1, 2, 5)) if damage is not open_folder else 1
    targets = [each for each in kernels[game] if each in read or number % 2]
    files = tuple(cache / each for each in dice.sample(targets, count))
    for file in files:
        damage(file, dice)
    return Attack(number, game, damage.__name__, files)


READS = """
import sys
def name(event, what):
    if event == "open" and str(what[0]).endswith(".nbi"):
        sys.stderr.write(f"{what[0]}\\n")
sys.addaudithook(name)
"""
"""Has a process name the kernel files that it opens."""


def ask(game: str, cache: Path, before: str = "") -> subprocess.CompletedProcess[str]:
    """Have a process answer for a game."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    return subprocess.run(
        [sys.executable, "-c", before + ANSWER, game],
        env=environment | {"FANQI_CACHE_DIR": str(cache)},
        capture_output=True, text=True, timeout=LONGEST_S, check=False,
    )  # fmt: skip


def verdict(attack: Attack, done: subprocess.CompletedProcess[str], expected: str) -> str:
    """``missed`` where the process read none of the files, ``mended`` where it did; anything else is a failure."""
    if done.returncode != 0:
        return f"FAILED: exit code {done.returncode}: {done.stderr[-500:]!r}"
    if done.stdout != expected:
        return f"FAILED: answered {done.stdout!r}, not {expected!r}"
    lines = done.stderr.splitlines()
    places = {f" {place} " for file in attack.files for place in (file, *file.parents)}
    for line in lines:
        if not line.startswith("fanqi: the kernel ") or not any(place in line for place in places):
            return f"FAILED: said {line!r}"
    return "mended" if lines else "missed"


def attack_all(folder: Path, seed: int, count: int, say: Callable[[str], None] = print) -> dict[str, int]:
    """Attack a cache below ``folder``; returns how many attacks had which outcome.

    Raises:
        AssertionError: a process died, answered wrongly, or did not say what was wrong in a line of its own.
    """
    whole, cache, journal = folder / "whole", folder / "attacked", folder / f"journal-{seed}.txt"
    whole.mkdir(0o755, parents=True, exist_ok=True)
    expected = {}
    for game in GAMES:
        first = ask(game, whole)
        again = ask(game, whole)
        assert (again.returncode, again.stderr) == (0, ""), again.stderr
        assert first.stdout == again.stdout
        expected[game] = again.stdout
    read = {Path(line).relative_to(whole) for game in GAMES for line in ask(game, whole, READS).stderr.splitlines()}
    kernels = {game: sorted(each.relative_to(whole) for each in (whole / game).rglob("*.nbi")) for game in GAMES}
    outcomes = {"missed": 0, "mended": 0}
    known = journal.read_text().splitlines() if journal.exists() else []
    for line in known:
        outcomes[line.split()[1]] += 1
    started = time.monotonic()
    for number in range(len(known), count):
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(whole, cache)
        attack = attack_cache(seed, number, cache, kernels, read)
        outcome = verdict(attack, ask(attack.game, cache), expected[attack.game])
        what = f"{number} {outcome} {attack.game} {attack.damage} {' '.join(file.name for file in attack.files)}"
        assert outcome in outcomes, what
        outcomes[outcome] += 1
        with journal.open("a") as file:
            file.write(f"{what}\n")
        if (number + 1) % 25 == 0:
            say(f"{number + 1} of {count} attacks, {outcomes}, {time.monotonic() - started:.0f} s")
    return outcomes


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attacks", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("build/soak-cache"), help="for the cache and the journal")
    chosen = parser.parse_args(arguments)
    outcomes = attack_all(chosen.folder.absolute(), chosen.seed, chosen.attacks)
    print(f"{sum(outcomes.values())} attacks, every answer right: {outcomes}")


if __name__ == "__main__":
    main()
