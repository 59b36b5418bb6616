"""Damaged records by the thousand: no reader may do anything but give games and errors, soon and in little memory.

``make soak-records`` runs this file at full size; the tests run it small. File N is the same in every run, so that a
run can go on where another ended (``--first N``), and a failure can be looked at alone (``--first N --count 1``).
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import io
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fanqi.cli.app import run
from fanqi.records import (
    FORMATS,
    GameRecord,
    RecordError,
    format_names,
    parse_game_or_position,
    parse_records,
)
from fanqi.records.wthor import parse_header

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).parents[2] / "data"
MOST_SECONDS = 2.0
MOST_MIB = 300
COMMANDS_EVERY = 50
ALL_FILES = 100_000
TODAY = (2026, 11, 30)
RUNS = [
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b"|",
    b",",
    b";",
    b";)",
    b"(;",
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b"{}",
    b'"',
    b"\\",
]
RUNS += [
    b"/",
    b".",
    b":",
    b"-",
    b"--",
    b"+",
    b"*",
    b"%",
    b"#",
    b"$",
    b"1",
    b"1 ",
    b"1.",
    b"a",
    b"f5",
    b"\0",
    b"\xff",
    b"X",
]
RUNS += [
    b"GM[",
    b"B[",
    b'[a "',
    b"CA[gbk]",
    b"pa",
    b"{+1 ",
    b"1-0 ",
    b"AB[a1]",
    b"a1:1;",
    b"* ",
    b"0. a1(P) ",
    b'{"a":',
]
LENGTHS = [1, 2, 3, 5, 10, 20, 40, 80, 150, 300, 1_000, 5_000, 20_000, 100_000]
MOST_BYTES = 400_000


def originals() -> list[tuple[str, bytes]]:
    """Good files of every format, with its name."""
    wthor = (DATA / "records" / "WTH_1977.wtb").read_bytes()
    games = [game for game in parse_records(wthor) if isinstance(game, GameRecord)][:3]
    files = [("wthor", wthor)]
    for name in ("ggf", "sgf", "pgn", "transcript", "obf", "json"):
        writer = FORMATS[name].writer(TODAY)
        files.append((name, b"".join(map(writer.add, games)) + writer.finish()))
    for path in sorted((DATA / "records").iterdir()):
        kind = {"board": "obf", "transcript": "transcript"}.get(path.name.partition("_")[0])
        if path.is_file() and path.suffix != ".wtb":
            files.append((kind or path.suffix[1:], path.read_bytes()))
    for path in sorted((DATA / "tcga").glob("*.record.txt")):
        banqi = path.read_bytes()
        files.append(("tcga", banqi))
        writer = FORMATS["json"].writer(TODAY)
        files += [("json", writer.add(game)) for game in parse_records(banqi) if isinstance(game, GameRecord)]
    return files


def run_of(unit: bytes, length: int) -> bytes:
    """So many bytes, or a few more, of one unit after another."""
    return unit * (length // len(unit) + 1)


def mutated(chance: random.Random, files: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """A file with one to four things wrong with it."""
    name, data = chance.choice(files)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(data))
        end = min(at + chance.choice([1, 1, 2, 8, 60, 400]), len(data))
        match chance.randrange(10):
            case 0:
                data = data[:at] + bytes(chance.randrange(256) for _ in range(end - at)) + data[end:]
            case 1:
                data = data[:at] + data[end:]
            case 2:
                data = data[:end] + data[at:]
            case 3:
                data = data[:at]
            case 4 | 5:
                data = data[:at] + run_of(chance.choice(RUNS), chance.choice(LENGTHS)) + data[at:]
            case 6:
                data = data[:at] + chance.choice(RUNS) + data[at:]
            case 7:
                other = chance.choice(files)[1]
                data = data[:at] + other[chance.randint(0, len(other)) :]
            case 8:
                digits = [place for place, byte in enumerate(data[:4000]) if 48 <= byte < 58] or [at]
                at = chance.choice(digits)
                data = data[:at] + chance.choice([b"9" * 5_000, b"-1", b"1e999", b"0x1", b"\xd9\xa3"]) + data[at + 1 :]
            case _:
                data = data.replace(b"\n", chance.choice([b"\r", b"\r\n", b"", b"\n\n", b"\0\n"]))
        data = data[:MOST_BYTES]
    match chance.randrange(12):
        case 0:
            data = gzip.compress(data, 1)
        case 1:
            data = bz2.compress(data, 1)
        case 2:
            data = data.decode("latin-1").encode(chance.choice(["utf-16", "utf-16-be", "utf-32"]))
        case _:
            return name, data
    return name, data[: chance.randint(0, len(data))] if chance.randrange(2) else data


def feed(chance: random.Random, name: str, data: bytes) -> Iterator[GameRecord | RecordError]:
    """What the readers give for a file, by its content and now and then by its name, and what comes of writing that."""
    records: list[GameRecord] = []
    for kind in (None, FORMATS[name])[: 1 + (chance.randrange(4) == 0)]:
        allow_seconds()
        with contextlib.suppress(RecordError):
            for item in parse_records(data, kind):
                assert isinstance(item, GameRecord | RecordError)
                if isinstance(item, RecordError):
                    assert str(item)
                elif len(records) < 10:
                    records.append(item)
                yield item
    allow_seconds()
    with contextlib.suppress(RecordError):
        yield parse_game_or_position(data[: 1 << 17].decode("latin-1"))
    for target in chance.sample(list(FORMATS.values()), 2):
        allow_seconds()
        writer = target.writer(TODAY)
        written = b""
        for record in records:
            with contextlib.suppress(RecordError):
                written += writer.add(record)
        yield from parse_records(written + writer.finish(), target)


def allow_seconds() -> None:
    """What comes next may take so much processor time, however busy the machine is."""
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)


def run_commands(chance: random.Random, folder: Path, data: bytes, names: bytes) -> None:
    """`fanqi convert` and `fanqi show` of a file, WTHOR's names damaged as well."""
    source = folder / "source"
    source.write_bytes(data)
    (folder / "source.jou").write_bytes(names[: chance.randint(0, len(names))])
    target = folder / f"target{chance.choice([entry.suffixes[0] for entry in FORMATS.values()])}"
    for arguments in (["convert", str(source), str(target)], ["show", str(source), "--letters"]):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            allow_seconds()
            code = run(arguments)
        assert code in (0, 1), (arguments, code)
    assert not target.exists() or target.stat().st_size
    for path in folder.iterdir():
        path.unlink()


def most_memory_mib() -> int:
    """The most memory that this process had at once; `getrusage` would count that of the process which started it."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, help="up to file 100,000 if left out")
    parser.add_argument("--keep", type=Path, default=Path("damaged.record"), help="where a file that fails is kept")
    chosen = parser.parse_args()
    end = ALL_FILES if chosen.count is None else chosen.first + chosen.count
    if chosen.count != 0:  # kernels that are not compiled yet are compiled elsewhere: that takes memory
        subprocess.run([sys.executable, __file__, "--count", "0"], check=True)
    files = originals()
    header, _ = parse_header(files[0][1])
    names = format_names([f"player {number}" for number in range(300)], 20, header)
    games = errors = 0

    def expired(*_: object) -> None:
        raise TimeoutError(f"more than {MOST_SECONDS} s")

    signal.signal(signal.SIGPROF, expired)
    with tempfile.TemporaryDirectory() as folder:
        for index in range(chosen.first, end):
            chance = random.Random(index)
            name, data = mutated(chance, files)
            try:
                for item in feed(chance, name, data):
                    games += isinstance(item, GameRecord)
                    errors += isinstance(item, RecordError)
                if index % COMMANDS_EVERY == 0:
                    run_commands(chance, Path(folder), data, names)
            except BaseException:
                print(f"file {index}, of {name}, kept as {chosen.keep}", file=sys.stderr)
                chosen.keep.write_bytes(data)
                raise
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            mib = most_memory_mib()
            if mib > MOST_MIB:
                print(f"file {index}: {mib} MiB", file=sys.stderr)
                chosen.keep.write_bytes(data)
                return 1
            if (index + 1) % 1000 == 0:
                print(f"{index + 1} files: {games} games, {errors} errors, {mib} MiB at most", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
