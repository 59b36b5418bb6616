"""Two clients play on a server of ours through a hostile network; afterwards everything is counted.

All of it runs in one process and on one event loop; only searches have threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fanqi.ggs import ClientHandle, Status, read_config, run_client
from fanqi.ggs_server import GgsServer, ServerSettings
from fanqi.ggs_soak.proxy import ChaosProxy, Weather
from fanqi.records.ggf import parse_ggf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fanqi.game import Game
    from fanqi.logs import Logger

__all__ = ["Plan", "Report", "soak"]

NAMES = ("anna", "bert")
TYPES = ("8", "8b", "s8r20", "8k", "8a")
CONFIG = """\
[server]
name = "{name}"
host = "127.0.0.1"
port = {port}
keep_alive_s = {keep_alive_s}
patience_s = {patience_s}
retry_first_s = 0.1
retry_longest_s = 1.0

[engine]
searches = 1
hash_mib = 16
ponder = {ponder}
move_time_s = {move_time_s}

[accept]
rated = "yes"
games = {games}
increment_s = [0, 60]
extension_s = [0, 3600]

[records]
folder = "{folder}"
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do.

    Attributes:
        matches: to be finished at least.
        cuts: connections to be cut at least.
        cut_every_s: mean time between cuts.
        clock: of the matches.
        move_time_s: of both engines; 0 plays by the clock.
        games: matches at a time.
    """

    folder: Path
    matches: int = 50
    cuts: int = 30
    cut_every_s: float = 15.0
    clock: str = "0:30//0:30"
    types: tuple[str, ...] = TYPES
    move_time_s: float = 0.1
    ponder: bool = True
    games: int = 2
    keep_alive_s: float = 3.0
    patience_s: float = 2.0
    weather: Weather = field(default_factory=Weather)
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it.

    Attributes:
        archived: matches in the server's archive.
        by_type: the same by type.
        ended: games by how they ended, as one client recorded them.
        missing: archive ids that a client has no record of, by client.
        extra: games a client recorded twice, by client.
        stored: matches that are still adjourned.
        bad_records: GGF lines that do not replay.
        status: what each client counted.
        declined: requests for other boards that were declined, of how many made.
        cuts: by kind.
    """

    archived: int
    by_type: dict[str, int]
    ended: dict[str, int]
    missing: dict[str, list[str]]
    extra: dict[str, int]
    stored: int
    bad_records: int
    status: dict[str, Status]
    declined: tuple[int, int]
    cuts: dict[str, int]
    seconds: float

    @property
    def faults(self) -> list[str]:
        """What should not be; empty when all is well."""
        found = []
        for name, status in self.status.items():
            counts = {what: getattr(status, what) for what in ("refused", "flags", "faults", "unknown")}
            found += [f"{name}: {what} {count}" for what, count in counts.items() if count]
            if self.missing[name]:
                found.append(f"{name}: no record of {' '.join(self.missing[name])}")
            if self.extra[name]:
                found.append(f"{name}: {self.extra[name]} records too many")
        if self.stored:
            found.append(f"{self.stored} matches still adjourned")
        if self.bad_records:
            found.append(f"{self.bad_records} records do not replay")
        if self.declined[0] != self.declined[1]:
            found.append(f"{self.declined[0]} of {self.declined[1]} requests for other boards declined")
        return found

    def lines(self) -> list[str]:
        """For people."""
        adjourned = sum(status.matches["adjourned"] for status in self.status.values())
        recovered = sum(status.recovered for status in self.status.values())
        types = ", ".join(f"{kind} {count}" for kind, count in sorted(self.by_type.items()))
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.cuts.items()))
        lines = [
            f"{self.archived} rated matches in {self.seconds:.0f} s ({types})",
            f"{sum(self.cuts.values())} cuts ({kinds}), {adjourned} adjournments seen, "
            f"{recovered} records from the archive",
            f"games ended: {', '.join(f'{end} {count}' for end, count in sorted(self.ended.items()))}",
        ]
        for name, status in self.status.items():
            lines.append(
                f"{name}: {status.connections} logins, {status.moves} moves, {status.thinking_s:.0f} s thinking, "
                f"refused {status.refused}, flags {status.flags}, faults {status.faults}, unknown {status.unknown}"
            )
        return [*lines, *(f"WRONG {fault}" for fault in self.faults)]


async def soak(
    plan: Plan, logger: Logger, game: Game | None = None, progress: Callable[[str], None] = lambda line: None
) -> Report:
    """Run a plan to its end.

    Args:
        game: what the clients think with; Othello's own engine if None.
        progress: told now and then how far it is.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    dice = random.Random(plan.seed)
    settings = ServerSettings(port=0, database=plan.folder / "server.db", archive=plan.folder / "server.ggf")
    statuses = {name: Status() for name in NAMES}
    handles: dict[str, ClientHandle] = {}
    server = GgsServer(settings, logger)
    for name in (*NAMES, "sixer"):
        server.make_account(name, f"pw-{name}", level=1)
    async with server, ChaosProxy(server.port, plan.weather, plan.seed) as proxy:
        clients = []
        for name in NAMES:
            text = CONFIG.format(
                name=name,
                port=proxy.port,
                folder=plan.folder / name,
                move_time_s=float(plan.move_time_s),
                ponder=str(plan.ponder).lower(),
                games=plan.games,
                keep_alive_s=float(plan.keep_alive_s),
                patience_s=float(plan.patience_s),
            )
            if name == NAMES[0]:
                text += "".join(
                    f'\n[[ask]]\ntype = "{kind}"\nclock = "{plan.clock}"\nopponent = "{NAMES[1]}"\npause_s = 0.2\n'
                    f"give_up_s = 20.0\n"
                    for kind in plan.types
                )
            running = run_client(
                read_config(text),
                f"pw-{name}",
                logger.bind(client=name),
                game=game,
                status=statuses[name],
                started=lambda handle, name=name: handles.__setitem__(name, handle),  # type: ignore[misc]
            )
            clients.append(asyncio.create_task(running, name=name))
        declined = await ask_for_other_boards(server.port, [statuses[name] for name in NAMES])
        next_cut = loop.time() + 2 * plan.cut_every_s
        cuts = 0
        while True:
            await asyncio.sleep(0.1)
            for client in clients:
                if client.done():
                    client.result()
            finished = server.store.count_matches("archived")
            if finished >= plan.matches and cuts >= plan.cuts:
                break
            if cuts < plan.cuts and loop.time() >= next_cut and (kind := proxy.cut()) is not None:
                cuts += 1
                next_cut = loop.time() + dice.expovariate(1 / plan.cut_every_s)
                progress(f"cut {cuts} ({kind}), {finished} matches finished")
        handles[NAMES[0]].no_more_requests()
        while server.service.matches or server.store.count_matches("stored"):
            await asyncio.sleep(0.1)
        for handle in handles.values():
            handle.stop()
        await asyncio.gather(*clients)
        return count(plan, server, proxy, statuses, declined, loop.time() - began)


async def ask_for_other_boards(port: int, statuses: list[Status]) -> tuple[int, int]:
    """Ask both clients for a game on 6x6 and 10x10; how many requests were declined, of how many."""
    while not all(status.connected for status in statuses):
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    boards = ("6", "10")
    lines = ["sixer", "pw-sixer", "tell /os open 9", "tell /os rated +"]
    lines += [f"tell /os ask {board} 0:30 {name}" for board in boards for name in NAMES]
    writer.write("".join(f"{line}\n" for line in lines).encode())
    declined = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10):
            while declined < len(boards) * len(NAMES):
                line = (await reader.readline()).decode("latin-1")
                declined += line.startswith("/os: - ")
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return declined, len(boards) * len(NAMES)


def count(
    plan: Plan,
    server: GgsServer,
    proxy: ChaosProxy,
    statuses: dict[str, Status],
    declined: tuple[int, int],
    seconds: float,
) -> Report:
    """Compare what the server archived with what the clients recorded."""
    archived = server.store.matches_of(NAMES[0], "archived", 100_000)
    boards = {f".{match.id}": 2 if match.info.startswith("s") else 1 for match in archived}
    missing: dict[str, list[str]] = {}
    extra: dict[str, int] = {}
    ended: Counter[str] = Counter()
    bad = 0
    for name in NAMES:
        entries = read_entries(plan.folder / name / "games.jsonl")
        recorded = Counter(str(entry["archive"]) for entry in entries)
        missing[name] = [archive for archive, count in boards.items() if recorded[archive] < count]
        extra[name] = sum(max(count - boards.get(archive, 0), 0) for archive, count in recorded.items())
        if name == NAMES[0]:
            ended.update(str(entry["ended"]) for entry in entries)
        for line in (plan.folder / name / "games.ggf").read_text("latin-1").splitlines():
            try:
                parse_ggf(line)
            except ValueError:
                bad += 1
    return Report(
        len(archived),
        dict(Counter(match.info.split("+")[0].split("-")[0] for match in archived)),
        dict(ended),
        missing,
        extra,
        server.store.count_matches("stored"),
        bad,
        statuses,
        declined,
        proxy.cuts,
        seconds,
    )


def read_entries(path: Path) -> list[dict[str, Any]]:
    """The JSON lines of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
