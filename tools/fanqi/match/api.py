"""Playing a match from Python: describe it, begin it or go on with it, run it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

from fanqi.event_loop import run_loop
from fanqi.exit_codes import INTERRUPTED
from fanqi.files import described, write_whole
from fanqi.match.errors import ConfigurationError, StoreError
from fanqi.match.ledger import Ledger
from fanqi.match.opening_files import format_opening_line, make_openings, parse_opening_lines
from fanqi.match.report import build_report
from fanqi.match.runner import MatchRunner, Status, slot_cpus
from fanqi.match.standings import Standings
from fanqi.match.start_check import QUIET_S, check_starts
from fanqi.match.store import (
    OPENINGS,
    REPORT,
    Store,
    read_config,
    read_journal,
    read_public_games,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from fanqi.match.config import MatchConfig
    from fanqi.match.openings import Opening
    from fanqi.match.record import GameRecord
    from fanqi.match.remote import RemotePairs
    from fanqi.match.runner import Observer
    from fanqi.mqtt import BrokerAddress

__all__ = ["begin_match", "check_players", "resume_match", "run_runner", "write_report"]


def begin_match(
    config: MatchConfig,
    listed: list[Opening],
    directory: Path,
    observer: Observer | None = None,
    workers: BrokerAddress | None = None,
    beside: Mapping[str, bytes] | None = None,
    *,
    replace: bool = False,
) -> tuple[MatchRunner, Store]:
    """A new match in a folder without one, or in place of the one that is there.

    Args:
        workers: a broker whose workers play the games; None plays them here.
        beside: more files that the folder is to have, by name.
        replace: a match that is there is replaced, once nothing can go wrong any more.

    Raises:
        ConfigurationError: the description is wrong.
        StoreError: the folder cannot be used.
    """
    config.check()
    elsewhere = None if workers is None else remote_pairs(config, workers)
    openings = make_openings(config, listed)
    lines = "".join(f"{format_opening_line(o)}\n" for o in listed)
    notes = {OPENINGS: lines.encode(), **(beside or {})}
    store = Store(directory, config, fresh=True, replace=replace, beside=notes)
    return MatchRunner(config, openings, store=store, observer=observer, elsewhere=elsewhere), store


def check_players(
    config: MatchConfig,
    workers: BrokerAddress | None = None,
    on_wait: Callable[[list[str]], None] = lambda names: None,
    quiet_s: float = QUIET_S,
) -> None:
    """Have every engine of a match started once, here or by a broker's workers.

    Args:
        workers: as for `begin_match`.
        on_wait, quiet_s: see `fanqi.match.start_check.check_starts`.

    Raises:
        ConfigurationError: one cannot play; says which, and why.
    """
    if workers is None:
        run_loop(check_starts(config, on_wait, quiet_s))
    else:
        run_loop(check_elsewhere(remote_pairs(config, workers)), adds_readers=True)


async def check_elsewhere(pairs: RemotePairs) -> None:
    async with pairs:
        await pairs.check_workers()


def resume_match(
    directory: Path, observer: Observer | None = None, workers: BrokerAddress | None = None
) -> tuple[MatchRunner, Store]:
    """Go on with the match in a folder: the same pairings, openings, deals and seeds, none lost, none doubled.

    It may go on elsewhere than it began; ``workers`` as for `begin_match`.

    Raises:
        ConfigurationError: the description is wrong.
        StoreError: there is no match, it is being played, or its journal holds games that are none of it.
    """
    config = read_config(directory)
    config.check()
    elsewhere = None if workers is None else remote_pairs(config, workers)
    listed = parse_opening_lines(read_openings(directory))
    store = Store(directory, config, fresh=False)
    ledger = Ledger(config)
    standings = Standings.of(config)

    def published() -> Iterator[GameRecord]:
        for record in read_journal(directory):
            publishable = ledger.record(record)
            standings.add(record)
            yield from publishable

    try:
        store.rewrite_public(published())
    except StoreError as error:
        store.close()
        where = "" if str(error).startswith(str(directory)) else f"{directory}: "
        raise StoreError(f"{where}{error}; fanqi match repair {directory} keeps what is good") from None
    runner = MatchRunner(config, make_openings(config, listed), ledger, standings, store, observer, elsewhere)
    return runner, store


def read_openings(directory: Path) -> str:
    """What `begin_match` wrote about the openings.

    Raises:
        StoreError: it is not there, or no text.
    """
    try:
        return (directory / OPENINGS).read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(described(error, directory / OPENINGS)) from None
    except UnicodeDecodeError as error:
        raise StoreError(f"{directory / OPENINGS}: {error}") from None


def remote_pairs(config: MatchConfig, workers: BrokerAddress) -> RemotePairs:
    """The way to play a match's pairs on a broker's workers.

    Raises:
        ConfigurationError: an engine is given by a command.
    """
    from fanqi.match.remote import RemotePairs
    from fanqi.mqtt.client import Broker

    return RemotePairs(config, Broker(workers), workers.topics)


def write_report(directory: Path) -> Path:
    """Write the report page of a match, running or over, into its folder.

    Raises:
        StoreError: there is no match, its games are none of it, or it cannot be written.
    """
    config = read_config(directory)

    def games() -> Iterator[GameRecord]:
        for record in read_public_games(directory):
            config.check_game(record)
            yield record

    page = build_report(config, games())
    path = directory / REPORT
    try:
        write_whole(path, page.encode())
    except OSError as error:
        raise StoreError(described(error, path)) from None
    return path


def run_runner(runner: MatchRunner) -> Status:
    """Run a match on an event loop of its own; the first interrupt stops it, the second one ends the process.

    Raises:
        ConfigurationError: an engine does not know an option that was asked for.
    """
    return run_loop(interruptible(runner), adds_readers=runner.plays_elsewhere)


async def interruptible(runner: MatchRunner) -> Status:
    loop = asyncio.get_running_loop()
    asked = 0

    def on_signal() -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            runner.interrupt()
        else:
            os._exit(INTERRUPTED)  # the keepers kill the engines

    numbers = [signal.SIGINT, signal.SIGTERM]
    try:
        for number in numbers:
            loop.add_signal_handler(number, on_signal)
    except NotImplementedError:  # Windows
        for number in numbers:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(on_signal))
    return await runner.run()


def check_processors(config: MatchConfig, oversubscribe: bool) -> None:
    """Refuse more searches at once than there are processors, since they would disturb each other's clocks, and fewer
    processors than games that are to have their own.

    Raises:
        ConfigurationError: there are not enough.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = max((engine.number("Threads", 1) for engine in config.engines), default=1)
    if not oversubscribe and config.concurrency * threads > usable:
        raise ConfigurationError(
            f"{config.concurrency} games with {threads} search threads on {usable} processors would disturb each "
            "other; --oversubscribe plays them all the same"
        )
    if config.affinity:
        slot_cpus(0, config.concurrency)
