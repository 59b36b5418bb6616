"""Sockets around the server: connections, lines, passwords on a thread, and the clock that lets flags fall."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self, TypeVar, cast

from fanqi.files import append_line, reason_of, server_context
from fanqi.ggs_server.central import Central
from fanqi.ggs_server.dealer import Dealer, Draw
from fanqi.ggs_server.door import LOGIN_SECONDS, DoorRules
from fanqi.ggs_server.hall import Hall, Session, State
from fanqi.ggs_server.service import Service
from fanqi.ggs_server.store import Account, Store, check_password, hash_password
from fanqi.ggs_wire import CentralText
from fanqi.logs import Logger
from fanqi.peers import keep_alive, naming_host

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["GgsServer", "ServerSettings"]

T = TypeVar("T")

HANDSHAKE_SECONDS = 10.0
"""For TLS."""
GOODBYE_SECONDS = 10.0
"""For a client to read its last lines when the server hangs up."""
LONGEST_LINE = 2048
SLICE_SECONDS = 0.005
MOST_UNREAD = 1 << 20
"""Bytes kept for a client that does not read; above it the connection is cut."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What a server is told.

    Attributes:
        host, port: where to listen; port 0 lets the system choose.
        database: None for one in memory.
        archive: file to which archived matches are appended as GGF.
        tls: certificate and key, to speak TLS only.
        door: who may come in.
    """

    host: str = "127.0.0.1"
    port: int = 5000
    database: Path | None = None
    archive: Path | None = None
    tls: tuple[Path, Path] | None = None
    door: DoorRules = field(default_factory=DoorRules)


class SystemClocks:
    """The clocks of this machine."""

    def now(self) -> float:
        return time.monotonic()

    def date(self) -> datetime:
        return datetime.now(UTC)


class ThreadedPasswords:
    """Hashes on a thread, so that a login does not keep games waiting.

    Args:
        fault: told about passwords that could not be hashed, and bugs in what is done with the answers.
    """

    def __init__(self, fault: Callable[[Exception], None]) -> None:
        self._fault = fault
        self._tasks: set[asyncio.Task[None]] = set()

    def check(self, password: str, stored: str, then: Callable[[bool], None]) -> None:
        self._later(then, check_password, password, stored)

    def hash(self, password: str, then: Callable[[str], None]) -> None:
        self._later(then, hash_password, password)

    def _later(self, then: Callable[[T], None], work: Callable[..., T], *arguments: str) -> None:
        async def run() -> None:
            try:
                then(await asyncio.to_thread(work, *arguments))
            except Exception as error:  # nobody waits for this task, and the loop would tell when it is collected
                self._fault(error)

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Connection(asyncio.Protocol):
    """One client. Lines longer than `LONGEST_LINE` are cut."""

    def __init__(self, server: GgsServer) -> None:
        self._server = server
        self._rest = bytearray()
        self._lines: deque[str] = deque()  # not looked at yet
        self._ended = False  # and no more will come
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._session = Session(self._send, self._hang_up)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport = cast("asyncio.Transport", transport)  # uvloop's own is no subclass
        peer = transport.get_extra_info("peername")
        if isinstance(peer, tuple):
            self._session.address = str(peer[0])
            keep_alive(transport.get_extra_info("socket"))
        self._set_timer(LOGIN_SECONDS, lambda: self._server.central.too_slow(self._session))
        self._server.connections.add(self)
        self._server.central.connect(self._session)

    def data_received(self, data: bytes) -> None:
        *whole, last = data.split(b"\n")
        for part in whole:
            self._rest += part[: LONGEST_LINE - len(self._rest)]
            self._lines.append(self._rest.decode("latin-1").replace("\r", ""))
            self._rest.clear()
        self._rest += last[: LONGEST_LINE - len(self._rest)]
        self._work()

    def eof_received(self) -> bool:
        """The client will send no more; it still gets the answers."""
        self._ended = True
        if self._rest:
            self._lines.append(self._rest.decode("latin-1").replace("\r", ""))
            self._rest.clear()
        self._work()
        # TLS knows no connection that is open in one direction only
        return self._transport is not None and self._transport.get_extra_info("ssl_object") is None

    def _work(self) -> None:
        """Look at lines for a slice of time; who sends many at once must not make the others wait."""
        transport, loop = self._transport, asyncio.get_running_loop()
        if transport is None or transport.is_closing():
            return
        until = loop.time() + SLICE_SECONDS
        while self._lines and self._session.state is not State.CLOSED:
            self._server.line(self._session, self._lines.popleft())
            if loop.time() > until and self._lines:
                if not self._ended:
                    transport.pause_reading()
                loop.call_soon(self._work)
                return
        if self._ended:
            self._server.central.ended(self._session)
        else:
            transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._server.connections.discard(self)
        self._server.lost(self._session)

    def close(self, why: str) -> None:
        """End the connection after what is owed to it, and say why."""
        self._session.lines(CentralText((why,)).lines())
        self._hang_up()

    def abort(self) -> None:
        """End the connection now."""
        if self._transport is not None:
            self._transport.abort()

    def _send(self, data: bytes) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        transport.write(data)
        if transport.get_write_buffer_size() > MOST_UNREAD:
            transport.abort()

    def _hang_up(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.close()
            self._set_timer(GOODBYE_SECONDS, self.abort)  # or one that reads nothing would stay for ever

    def _set_timer(self, seconds: float, action: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, action)


class GgsServer:
    """A server: ``async with GgsServer(settings) as server``.

    Args:
        settings: where and how.
        logger: for its events.
        dealer: chance; a test hands in its own.

    Raises:
        StoreError: the database cannot be used.
    """

    def __init__(self, settings: ServerSettings, logger: Logger | None = None, dealer: Dealer | None = None) -> None:
        self._settings = settings
        self._logger = logger or Logger()
        self.store = Store(settings.database)
        hall = Hall()
        self.service = Service(
            self.store, hall, SystemClocks(), dealer or Draw(), self._archive, lambda line: self._log(match=line)
        )
        self.central = Central(
            self.store,
            hall,
            self.service,
            ThreadedPasswords(lambda error: self._logger.error("failed", error=error)),
            settings.door,
        )
        self.connections: set[Connection] = set()
        self._listener: asyncio.Server | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        assert self._listener is not None
        return int(self._listener.sockets[0].getsockname()[1])

    def make_account(self, name: str, password: str, level: int) -> None:
        """Create or change an account: an administrator for a start, or players of a club."""
        known = self.store.account(name)
        account = Account(name) if known is None else known[0]
        account.level = level
        self.store.save_account(account, hash_password(password))

    async def __aenter__(self) -> Self:
        """Listen.

        Raises:
            OSError: the address cannot be had, or a certificate cannot be used.
        """
        context = None if self._settings.tls is None else server_context(*self._settings.tls)
        loop = asyncio.get_running_loop()
        with naming_host(self._settings.host):
            self._listener = await loop.create_server(
                lambda: Connection(self),
                self._settings.host,
                self._settings.port,
                ssl=context,
                ssl_handshake_timeout=None if context is None else HANDSHAKE_SECONDS,
                start_serving=False,
            )
        recovered = self.store.recover()  # not before: the address may be taken by a server that plays these matches
        await self._listener.start_serving()
        self._logger.info("listening", host=self._settings.host, port=self.port, stored_again=recovered)
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Store what is played, say goodbye, stop."""
        if self._listener is not None:
            self._listener.close()
        if self._timer is not None:
            self._timer.cancel()
        for session in list(self.central.hall):
            self._disconnect(session)
        for connection in list(self.connections):
            connection.close("The server is shutting down.")
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                while self.connections:
                    await asyncio.sleep(0.01)
        for connection in list(self.connections):
            connection.abort()
        await asyncio.sleep(0)
        self.store.close()

    def line(self, session: Session, line: str) -> None:
        """A line from a client; whatever goes wrong with it stays with that client."""
        try:
            self.central.line(session, line)
        except Exception as error:  # a bug must not end everybody's games
            self._logger.error("failed", error=error, line=line[:200])
            session.lines([": ERR internal error.", "READY"])
        self._plan_tick()

    def lost(self, session: Session) -> None:
        """A connection is gone."""
        self._disconnect(session)
        self._plan_tick()

    def _disconnect(self, session: Session) -> None:
        try:
            self.central.disconnect(session)
        except Exception as error:  # nor must this: the others stay
            self._logger.error("failed", error=error, leaving=session.name)

    def _plan_tick(self) -> None:
        """Wake when the next flag may fall."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self.service.next_event()
        if due is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(due - self.service.now(), 0.0) + 0.001, self._tick)

    def _tick(self) -> None:
        self._timer = None
        try:
            self.service.tick()
        except Exception as error:  # nor must this: the other clocks run on
            self._logger.error("failed", error=error)
        self._plan_tick()

    def _archive(self, line: str) -> None:
        """Append a match to the archive file. The database has it in any case."""
        if self._settings.archive is None:
            return
        try:
            append_line(self._settings.archive, line.encode("latin-1", "replace"))
        except OSError as error:
            self._logger.error("archive not written", file=str(self._settings.archive), reason=reason_of(error))

    def _log(self, **fields: object) -> None:
        self._logger.info("match", **fields)
