"""Putting a client together and running it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from fanqi.game import load_game
from fanqi.ggs.client import Client
from fanqi.ggs.player import Player
from fanqi.ggs.records import RecordBook
from fanqi.ggs.seat import Seat
from fanqi.ggs.status import Status
from fanqi.ggs.thinking import Thinker
from fanqi.metrics import Health, serve_metrics
from fanqi.search import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Game
    from fanqi.ggs.config import Config
    from fanqi.ggs.terminal import StatusLine
    from fanqi.logs import Logger

__all__ = ["ClientHandle", "run_client"]

LINE_EVERY_S = 1.0


class ClientHandle:
    """How a running client is told to stop.

    Attributes:
        no_more_requests: ask for no more matches of our own.
        stop: finish what is played, then leave.
        abandon: leave now.
    """

    def __init__(self, client: Client, player: Player) -> None:
        self.no_more_requests = player.no_more_requests
        self.stop = client.stop
        self.abandon = client.abandon


async def run_client(
    config: Config,
    password: str,
    logger: Logger,
    *,
    game: Game | None = None,
    status: Status | None = None,
    line: StatusLine | None = None,
    started: Callable[[ClientHandle], None] = lambda handle: None,
) -> Status:
    """Play until the configuration says stop, or somebody does.

    Args:
        game: what is played; Othello unless a test wants something else for it.
        status: counts, to be read by others meanwhile.
        line: shows how it goes, every second, as long as this runs.
        started: given the handle before anything is done.

    Raises:
        ConfigError: the folder of records cannot be used.
        LoginError: the server does not take our name and password.
        OSError: the port for metrics cannot be had.
    """
    status = status or Status()
    server = config.server
    book = RecordBook(Path(config.records.folder).expanduser(), f"{server.host}:{server.port}/{server.name}")
    thinker = Thinker(game or load_game("othello"), config.engine.searches)
    player = Player(Seat(config, thinker, book, status, logger))
    client = Client(config, password, player, status, logger)
    started(ClientHandle(client, player))
    async with contextlib.AsyncExitStack() as stack:
        if config.metrics.port is not None:
            port = await stack.enter_async_context(
                serve_metrics(config.metrics.host, config.metrics.port, status.families, lambda: health(status))
            )
            logger.info("metrics", host=config.metrics.host, port=port)
        status.state = "loading the engine"
        if line is not None:
            stack.callback(line.show, "")
            stack.callback(asyncio.create_task(keep_shown(status, line)).cancel)
        engine = config.engine
        await thinker.prepare(
            Settings(engine.hash_mib, engine.threads, own_book=engine.book, book_path=engine.book_file)
        )
        await client.run()
    return status


def health(status: Status) -> Health:
    """Good while logged in."""
    return Health(status.connected, status.state)


async def keep_shown(status: Status, line: StatusLine) -> None:
    """Show how it goes, every second."""
    while True:
        line.show(status.line())
        await asyncio.sleep(LINE_EVERY_S)
