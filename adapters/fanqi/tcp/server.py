"""The server: listens, admits, and ends in good order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from typing import TYPE_CHECKING

from fanqi.event_loop import run_loop
from fanqi.files import reason_of, server_context
from fanqi.logs import Logger, PatientStream
from fanqi.metrics import Health, serve_metrics
from fanqi.peers import AddressBook, naming_host
from fanqi.tcp.connection import SHUTTING_DOWN, Connection
from fanqi.tcp.errands import Errands
from fanqi.tcp.figures import Figures
from fanqi.tcp.journal import Journal
from fanqi.tcp.memory import return_freed_memory
from fanqi.tcp.origins import Origins
from fanqi.uci import (
    HashBudget,
    Library,
    SearchPool,
    Services,
    SessionConfig,
    option_table,
    set_aside_what_is_loaded,
)

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable

    from fanqi.game import Game
    from fanqi.metrics import Family
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
        self._library = library or Library(after_load=load_book)
        self._pool = SearchPool(config.max_searches)
        self._figures = Figures()
        self._book = AddressBook(config.max_per_address, config.connects_per_minute, time.monotonic)
        self._errands = Errands()
        self._journal = Journal(self._logger, time.monotonic, call_later)
        self._budget = HashBudget(config.total_hash_mib)
        self._services = Services(self._library, self._figures.timed(self._pool), self._budget, self._fault)
        self._session_config = SessionConfig(
            options=option_table(max_hash_mib=config.max_hash_mib, max_threads=config.max_threads, files=False),
            max_waiting_bytes=MAX_WAITING_BYTES,
            max_perft_depth=config.max_perft_depth,
            max_search_s=config.max_search_s or None,
        )
        self._connections: set[Connection] = set()
        self._all_gone = asyncio.Event()
        self._listener: asyncio.Server | None = None
        self._ws_listener: asyncio.Server | None = None
        self._closing = False

    @property
    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Where it listens for TCP: host and port."""
        return addresses_of(self._listener)

    @property
    def ws_addresses(self) -> tuple[tuple[str, int], ...]:
        """Where it listens for WebSocket connections."""
        return addresses_of(self._ws_listener)

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
            OSError: the address cannot be had, or a certificate cannot be read (`ssl.SSLError` is one).
        """
        certificate, key = self._config.certificate, self._config.key
        context = None if certificate is None or key is None else server_context(certificate, key)
        self._listener = await self._listen(self._connect, self._config.port, context)
        for host, port in self.addresses:
            self._logger.info("listening", host=host, port=port)
        if self._config.ws_port is not None:
            self._ws_listener = await self._listen(self._ws_factory(), self._config.ws_port, context)
            for host, port in self.ws_addresses:
                self._logger.info("listening for WebSocket", host=host, port=port)
        for name in self._config.preload:
            self._library.request(name, LoadLogger(name, self._logger))

    async def drain(self) -> None:
        """Turn new clients away, let running searches end, close every session that has nothing running.

        Returns when all are gone, or after ``drain_s``.
        """
        self._close_door()
        for connection in tuple(self._connections):
            connection.drain()
        await self._until_all_gone(self._config.drain_s)

    async def stop(self) -> None:
        """Turn new clients away, stop all searches, give everybody a last word, and close."""
        self._close_door()
        for connection in tuple(self._connections):
            connection.shut_down(SHUTTING_DOWN)
        await self._until_all_gone(self._config.shutdown_s)
        for connection in tuple(self._connections):
            connection.abort()
        await asyncio.sleep(0)  # lets the aborted ones say goodbye
        self._errands.finish()

    def families(self) -> Iterable[Family]:
        """Its figures, for Prometheus."""
        return self._figures.families(
            sessions=self.sessions, running=self._pool.busy, waiting=self._pool.waiting, hash_mib=self.hash_mib
        )

    def health(self) -> Health:
        """Well until it shuts down: a balancer in front then sends nobody more."""
        return Health(not self._closing, "shutting down" if self._closing else "ok")

    def logger_for(self, peer: str) -> Logger:
        """See `fanqi.tcp.connection.Door`."""
        return self._journal.logger_for(peer)

    def put_off(self, errand: Callable[[], None]) -> None:
        """See `fanqi.tcp.connection.Door`."""
        self._errands.add(errand)

    def admit(self, connection: Connection) -> str | None:
        """See `fanqi.tcp.connection.Door`."""
        refusal = self._refusal(connection)
        self._figures.connected(refusal is None)
        if refusal is None:
            self._connections.add(connection)
            self._all_gone.clear()
        return refusal

    def release(self, connection: Connection) -> None:
        """See `fanqi.tcp.connection.Door`."""
        if connection in self._connections:
            self._connections.discard(connection)
            self._book.leave(connection.source)
        if not self._connections:
            self._all_gone.set()

    def wrong_token(self, connection: Connection) -> None:
        """See `fanqi.tcp.connection.Door`."""
        self._book.blame(connection.source)

    def dropped(self, reason: str) -> None:
        """See `fanqi.tcp.connection.Door`."""
        self._figures.dropped(reason)

    def _connect(self) -> Connection:
        return Connection(self._config, self._services, self._session_config, self, self._logger)

    def _ws_factory(self) -> Callable[[], asyncio.Protocol]:
        from fanqi.tcp.websocket import WebSocket  # a server for TCP only does without the library

        origins = Origins(self._config.ws_origins)
        return lambda: WebSocket(self._connect(), self._config, origins)

    async def _listen(
        self, factory: Callable[[], asyncio.Protocol], port: int, context: ssl.SSLContext | None
    ) -> asyncio.Server:
        with naming_host(self._config.host):
            return await asyncio.get_running_loop().create_server(
                factory,
                self._config.host or None,
                port,
                backlog=BACKLOG,
                ssl=context,
                ssl_handshake_timeout=None if context is None else self._config.greeting_s or None,
            )

    def _refusal(self, connection: Connection) -> str | None:
        """None if there is room, else why not."""
        if self._closing:
            return SHUTTING_DOWN.why
        if len(self._connections) >= self._config.max_sessions:
            return f"the server is full ({self._config.max_sessions} sessions)"
        return self._book.enter(connection.source)

    def _close_door(self) -> None:
        if not self._closing:
            self._closing = True
            for listener in (self._listener, self._ws_listener):
                if listener is not None:
                    listener.close()
            self._logger.info("shutting down", sessions=self.sessions, searches=self.searches)

    async def _until_all_gone(self, seconds: float) -> None:
        if self._connections:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._all_gone.wait(), seconds)

    def _fault(self, error: BaseException) -> None:
        self._logger.error("internal fault", error)


def load_book() -> None:
    """Read the opening book before any client asks for a move of it, then leave all of it to no garbage collection."""
    from fanqi.othello_book import BookError, shared_book

    with contextlib.suppress(BookError):  # told to who asks for it
        shared_book("")
    set_aside_what_is_loaded()


def call_later(seconds: float, action: Callable[[], None]) -> None:
    """Do it on the running loop."""
    asyncio.get_running_loop().call_later(seconds, action)


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
    return_freed_memory()
    with PatientStream() as stream:
        return run_loop(serve_until_told(config, Logger(config.log_level, stream)))


async def serve_until_told(config: ServerConfig, logger: Logger) -> int:
    """The whole life of a server on a running loop."""
    server = Server(config, logger=logger)
    told, told_again = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def tell() -> None:
        (told_again if told.is_set() else told).set()

    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows knows Ctrl-C only, and asyncio.Runner handles it
            loop.add_signal_handler(number, tell)
    async with contextlib.AsyncExitStack() as stack:
        try:
            await server.start()
            if config.metrics is not None:
                port = await stack.enter_async_context(serve_metrics(*config.metrics, server.families, server.health))
                logger.info("metrics", host=config.metrics[0], port=port)
        except OSError as error:
            logger.error("cannot listen", reason=reason_of(error))
            await server.stop()
            return 1
        try:
            await told.wait()
            draining = asyncio.create_task(server.drain())
            hurry = asyncio.create_task(told_again.wait())
            await asyncio.wait((draining, hurry), return_when=asyncio.FIRST_COMPLETED)
            for task in (draining, hurry):
                task.cancel()
        finally:
            await server.stop()
    return 0


def addresses_of(listener: asyncio.Server | None) -> tuple[tuple[str, int], ...]:
    """Where a listener listens: host and port."""
    return tuple(socket.getsockname()[:2] for socket in listener.sockets) if listener is not None else ()
