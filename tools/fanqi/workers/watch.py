"""Who is there, doing what, how fast: the workers on a broker as a table that changes."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fanqi.mqtt import Connected, Disconnected, Endpoint, Incoming, Link, Network, PayloadError, Topics, new_name
from fanqi.mqtt.codec import decode_presence
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.mqtt.messages import Presence

__all__ = ["Watcher", "table_of", "watch"]

SILENT_AFTER_BEATS = 4
LONGEST_CELL = 400


class Watcher:
    """What presences say, as they come. ``seen`` has when each worker was heard last, in monotonic seconds."""

    def __init__(self, topics: Topics, clock: Callable[[], float] = time.monotonic) -> None:
        self.workers: dict[str, Presence | str] = {}
        self.seen: dict[str, float] = {}
        self._topics = topics
        self._clock = clock

    def take(self, incoming: Incoming) -> None:
        """A message from the broker. A presence that cannot be read is kept as the reason why."""
        name = self._topics.read_presence(incoming.topic)
        if name is None:
            return
        if not incoming.payload:
            self.workers.pop(name, None)
            self.seen.pop(name, None)
            return
        try:
            self.workers[name] = decode_presence(incoming.payload)
        except PayloadError as error:
            self.workers[name] = error.reason
        self.seen[name] = self._clock()

    def silent(self, name: str) -> bool:
        """Whether a worker has missed several of its heartbeats."""
        presence = self.workers[name]
        if isinstance(presence, str):
            return False
        return self._clock() - self.seen[name] > SILENT_AFTER_BEATS * presence.heartbeat_s

    def as_json(self) -> str:
        """All workers as one JSON object, by name."""
        entries = {
            name: {"unreadable": presence} if isinstance(presence, str) else msgspec.to_builtins(presence)
            for name, presence in sorted(self.workers.items())
        }
        return json.dumps(entries, indent=2)


def table_of(watcher: Watcher) -> Table:
    """The table, workers by name. What a stranger says of himself is neither markup nor control characters."""
    table = Table(box=None, pad_edge=False, expand=False)
    for title, right in (
        ("worker", False), ("state", False), ("games", False), ("threads", True), ("hash", True), ("done", True),
        ("failed", True), ("nodes/s", True), ("doing", False),
    ):  # fmt: skip
        table.add_column(title, justify="right" if right else "left", no_wrap=title != "doing")
    for name, presence in sorted(watcher.workers.items()):
        if isinstance(presence, str):
            table.add_row(name, "unreadable", *[""] * 6, plain(presence))
            continue
        state = "silent" if watcher.silent(name) else presence.state
        busy = presence.threads - presence.free_threads
        table.add_row(
            name,
            state,
            plain(", ".join(presence.games)),
            f"{busy}/{presence.threads}",
            f"{presence.hash_mib} MiB",
            f"{presence.finished:,}",
            f"{presence.failed:,}",
            f"{presence.nps:,}",
            plain(doing(presence)),
        )
    if not watcher.workers:
        table.add_row("(no worker is there)", *[""] * 8)
    return table


def plain(text: str) -> Text:
    """Text for a cell, as it is."""
    return Text(shown(text, LONGEST_CELL))


def doing(presence: Presence) -> str:
    """What a worker does now, in a few words."""
    if not presence.running:
        return presence.note
    parts = []
    for job in presence.running[:2]:
        what = job.kind if job.game is None else f"{job.kind} {job.game}"
        note = f", {job.note}" if job.note else ""
        parts.append(f"{what} for {job.dispatcher}, {job.seconds:.0f} s{note}")
    more = len(presence.running) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


async def watch(
    network: Network, topics: Topics, console: Console, *, once: bool, as_json: bool, patience_s: float = 1.0
) -> int:
    """Show the workers until interrupted, or once; 1 when the broker cannot be reached.

    Args:
        patience_s: retained presences arrive within this after connecting; with ``once`` the table is shown then.

    Raises:
        LinkError: the broker will not have us.
    """
    watcher = Watcher(topics)
    endpoint = Endpoint(f"fanqi-watch-{new_name()}", (topics.presence("+"),))
    async with network.open(endpoint) as link:
        if once:
            connected, trouble = await listen(link, watcher, patience_s)
            if not connected:
                console.print(f"no broker: {shown(trouble)}", markup=False)
                return 1
            print(watcher.as_json()) if as_json else Console().print(table_of(watcher))
            return 0
        with Live(table_of(watcher), console=console, auto_refresh=False) as live:
            while True:
                for event in await link.receive(0.5):
                    if isinstance(event, Incoming):
                        watcher.take(event)
                    elif isinstance(event, Disconnected):
                        live.console.print(f"no broker: {shown(event.reason)}", markup=False)
                live.update(table_of(watcher), refresh=True)


async def listen(link: Link, watcher: Watcher, patience_s: float) -> tuple[bool, str]:
    """Take presences for a while after connecting; whether there was a connection, and what hindered it."""
    connected, trouble, until = False, "no answer", time.monotonic() + 10.0
    while time.monotonic() < until:
        for event in await link.receive(0.2):
            match event:
                case Connected():
                    connected, until = True, time.monotonic() + patience_s
                case Incoming():
                    watcher.take(event)
                case Disconnected():
                    trouble = event.reason
                    if not connected:
                        return False, trouble
    return connected, trouble
