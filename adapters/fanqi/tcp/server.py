"""The server: listens, admits, and ends in good order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from typing import TYPE_CHECKING, Any

from fanqi.logs import Logger
from fanqi.tcp.connection import Connection
from fanqi.uci import HashBudget, Library, SearchPool, Services, SessionConfig, option_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Game
    from fanqi.tcp.config import ServerConfig

__all__ = ["Server", "serve"]

MAX_WAITING_BYTES = 256 * 1024
BACKLOG = 1024


class Server:
    """All sessions of a process, and what they share.

    Args:
        config: the limits.
        library: loads games; by default the real ones.
        logger: for events; by default to stderr from ``config.log_level`` on.
    """

    def __init__(self, config: ServerConfig, library: Library | None = None, logger: Logger | None = None) -> None:
        self._config = config
        self._logger = logger or Logger(config.log_level)
        self._library = library or Library()
        self._pool = SearchPool(config.max_searches)
        self._budget = HashBudget(config.total_hash_mib)
        self._services = Services(self._library, self._pool, self._budget, self._fault)
        self._session_config = SessionConfig(
            options=option_table(max_hash_mib=config.max_hash_mib, max_threads=config.max_threads),
            max_waiting_bytes=MAX_WAITING_BYTES,
            max_perft_depth=config.max_perft_depth,
        )
        self._connections: set[Connection] = set()
        self._all_gone = asyncio.Event()
        self._listener: asyncio.Server | None = None
        self._closing = False

    @property
    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Where it listens: host and port."""
        sockets = self._listener.sockets if self._listener is not None else ()
        return tuple(socket.getsockname()[:2] for socket in sockets)

    @property
    def sessions(self) -> int:
        """Connections that were admitted and are still there."""
        return len(self._connections)

    @property
    def searches(self) -> int:
        """Search slots in use."""
        return self._pool.busy

    @property
    def hash_mib(self) -> int:
        """Memory handed out for tables."""
        return self._budget.used_mib

    async def start(self) -> None:
        """Begin to listen.

        Raises:
            OSError: the address cannot be had.
        """
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(
            self._connect, self._config.host or None, self._config.port, backlog=BACKLOG
        )
        for host, port in self.addresses:
            self._logger.info("listening", host=host, port=port)
        for name in self._config.preload:
            self._library.request(name, LoadLogger(name, self._logger))

    async def stop(self) -> None:
        """Turn new clients away, stop all searches, give everybody a last word, and close."""
        self._closing = True
        if self._listener is not None:
            self._listener.close()
        self._logger.info("shutting down", sessions=self.sessions)
        for connection in tuple(self._connections):
            connection.shut_down("the server is shutting down")
        if self._connections:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._all_gone.wait(), self._config.shutdown_s)
        for connection in tuple(self._connections):
            connection.abort()
        await asyncio.sleep(0)  # lets the aborted ones say goodbye

    def _connect(self) -> Connection:
        return Connection(self._config, self._services, self._session_config, self._admit, self._release, self._logger)

    def _admit(self, connection: Connection) -> str | None:
        """None if there is room, else why not."""
        if self._closing:
            return "the server is shutting down"
        if len(self._connections) >= self._config.max_sessions:
            return f"the server is full ({self._config.max_sessions} sessions)"
        self._connections.add(connection)
        self._all_gone.clear()
        return None

    def _release(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if not self._connections:
            self._all_gone.set()

    def _fault(self, error: BaseException) -> None:
        self._logger.error("internal fault", error)


class LoadLogger:
    """Tells the log about the games loaded at the start."""

    def __init__(self, name: str, logger: Logger) -> None:
        self._logger = logger.bind(game=name)

    def progressed(self, text: str, *, compiling: bool) -> None:
        self._logger.info("loading", progress=text)

    def loaded(self, game: Game) -> None:
        self._logger.info("loaded")

    def failed(self, reason: str) -> None:
        self._logger.error("cannot be loaded", reason=reason)


def serve(config: ServerConfig) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit code: 0 after an orderly end, 1 if the address cannot be had."""
    logger = Logger(config.log_level)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(serve_until_told(config, logger))


async def serve_until_told(config: ServerConfig, logger: Logger) -> int:
    """The whole life of a server on a running loop."""
    server = Server(config, logger=logger)
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: report(logger, context))
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows knows Ctrl-C only, and asyncio.Runner handles it
            loop.add_signal_handler(number, told.set)
    try:
        await server.start()
    except OSError as error:
        logger.error("cannot listen", host=config.host, port=config.port, reason=str(error))
        return 1
    try:
        await told.wait()
    finally:
        await server.stop()
    return 0


def report(logger: Logger, context: dict[str, Any]) -> None:
    """What the event loop could give to nobody else goes to our log."""
    logger.error(str(context.get("message", "event loop")), context.get("exception"))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's where there is one; None for asyncio's own."""
    if sys.platform == "win32":
        return None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
