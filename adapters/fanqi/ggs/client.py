"""The connection's owner: connects, logs in, passes on what is said, connects again, and stops when it is time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, NoReturn

from fanqi.ggs.errors import ConnectionLostError, LoginError
from fanqi.ggs.link import Backoff, Link, connect
from fanqi.ggs_wire import (
    SERVICE,
    CentralError,
    LoginPrompt,
    Message,
    PasswordPrompt,
    Presence,
    Talk,
    Unknown,
    recognise,
)
from fanqi.ggs_wire.messages import FromService

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fanqi.ggs.config import Config, ServerConfig
    from fanqi.ggs.player import Player
    from fanqi.ggs.status import Status
    from fanqi.ggs_wire import Block
    from fanqi.logs import Logger

__all__ = ["Client"]

TICK_S = 0.5
HELD_S = 30.0
GOODBYE_S = 2.0
CENTRAL_SETTINGS = (
    "vt100 -",
    "bell -t -tc -tg -n -nc -ng -ni -nn",
    "verbose -news -faq -help -ack",
    "chann %",
    "notify + /os",
)
UNKNOWN_LOGGED = 100


class Client:
    """See the module.

    Args:
        config: where to play, and how.
        password: of the account.
        player: plays.
        status: counts.
        logger: for events.
        dial: makes a connection; a test hands in its own.
    """

    def __init__(
        self,
        config: Config,
        password: str,
        player: Player,
        status: Status,
        logger: Logger,
        dial: Callable[[ServerConfig], Awaitable[Link]] = connect,
    ) -> None:
        self._config, self._password, self._player = config, password, player
        self._status, self._logger, self._dial = status, logger, dial
        self._link: Link | None = None
        self._logged_in = False
        self._ever_logged_in = False
        self._sent_password = False
        self._refusal = ""  # what the server had against us before we were logged in
        self._service_seen = False
        self._leaving = False
        self._over = asyncio.Event()

    def stop(self) -> None:
        """Play what is played to its end, then leave."""
        self._player.stop()

    def abandon(self) -> None:
        """Leave now; what is played is adjourned."""
        self._player.stop()
        self._over.set()

    async def run(self) -> None:
        """Play until it is time to stop.

        Raises:
            LoginError: the server does not take our name and password.
        """
        ticking = asyncio.create_task(self._tick(), name="ggs tick")
        connecting = asyncio.create_task(self._stay_connected(), name="ggs connection")
        over = asyncio.create_task(self._over.wait(), name="ggs over")
        try:
            done, _ = await asyncio.wait({ticking, connecting, over}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            await self._say_goodbye(connecting)
        finally:
            for task in (ticking, connecting, over):
                task.cancel()
            await asyncio.gather(ticking, connecting, over, return_exceptions=True)
            self._player.disconnected("the end")
            await self._player.settle()
            self._status.connected = False

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._player.tick(time.monotonic())
            if self._player.stopping and self._player.idle:
                self._over.set()

    async def _say_goodbye(self, connecting: asyncio.Task[None]) -> None:
        """Quit, and let the server hang up: then it has adjourned what we played."""
        if self._link is not None and self._logged_in:
            self._leaving = True
            self._link.send("quit")
            await asyncio.wait({connecting}, timeout=GOODBYE_S)

    async def _stay_connected(self) -> None:
        server = self._config.server
        backoff = Backoff(server.retry_first_s, server.retry_longest_s)
        while True:
            self._status.state = f"connecting to {server.host}:{server.port}"
            began = time.monotonic()
            try:
                await self._one_connection()
            except ConnectionLostError as error:
                reason = str(error)
            except LoginError:
                raise
            except Exception as error:  # a bug must not end days of play: a new connection starts from what is known
                self._status.faults += 1
                self._logger.error("fault", error=error)
                reason = "a fault of ours"
            if self._leaving:
                self._status.state = "left"
                return
            if self._logged_in:
                self._status.cuts += 1
                if time.monotonic() - began >= HELD_S:
                    backoff.succeeded()
            self._logged_in = self._status.connected = False
            self._player.disconnected(reason)
            wait = backoff.next_s()
            self._status.state = f"waiting {wait:.0f} s: {reason}"
            self._logger.warning("connection lost", reason=reason, retry_s=round(wait, 2))
            await asyncio.sleep(wait)

    async def _one_connection(self) -> None:
        """From connecting to the loss of the connection, by which it always ends."""
        link = await self._dial(self._config.server)
        self._link = link
        self._sent_password = False
        self._refusal = ""
        self._status.state = "logging in"
        try:
            async for block in link.blocks():
                self._take(link, block)
        finally:
            self._link = None
            await link.close()

    def _take(self, link: Link, block: Block) -> None:
        for message in recognise(block):
            self._hear(link, message)
        if block.truncated:
            self._logger.warning("a block was too long", lines=len(block.lines))
        if block.end and not self._logged_in:
            if self._refusal:
                raise ConnectionLostError(self._refusal)
            if self._sent_password:
                self._login(link)

    def _login(self, link: Link) -> None:
        self._logged_in = self._ever_logged_in = self._status.connected = True
        self._status.connections += 1
        server = self._config.server
        self._status.state = f"{server.name}@{server.host}"
        self._logger.info("logged in", name=server.name, host=server.host, port=server.port)
        for setting in CENTRAL_SETTINGS:
            link.send(setting)
        self._player.connected(link.send)
        if self._service_seen:
            self._player.service_arrived()

    def _hear(self, link: Link, message: Message) -> None:
        match message:
            case LoginPrompt():
                if self._refusal:
                    self._name_refused()
                self._service_seen = False
                self._sent_password = False
                link.send(self._config.server.name)
            case PasswordPrompt():
                self._sent_password = True
                link.send(self._password)
            case CentralError():
                self._hear_error(message)
            case Presence(name=name, arrived=arrived) if name == SERVICE:
                self._service_seen = arrived
                if not arrived:
                    self._logger.warning("the Othello service is gone")
                    self._player.service_left()
                elif self._logged_in:
                    self._player.service_arrived()
            case Unknown():
                self._status.unknown += 1
                if self._status.unknown <= UNKNOWN_LOGGED:
                    self._logger.warning("not understood", lines=message.raw[:3], reason=message.reason)
            case Talk():
                self._logger.info("talk", sender=message.sender, channel=message.target, text=" ".join(message.text))
            case _ if isinstance(message, FromService):
                if self._logged_in:
                    self._player.hear(message)
            case _:
                pass  # banners, listings, acknowledgements

    def _hear_error(self, message: CentralError) -> None:
        """Before the login, what comes next tells what it is about: if that is the prompt, our name and password."""
        self._logger.warning("the server refuses", text=message.text)
        if not self._logged_in:
            self._refusal = message.text

    def _name_refused(self) -> NoReturn:
        """
        Raises:
            LoginError: we have never been in, so that it would be no use to try again.
            ConnectionLostError: we have.
        """
        if self._ever_logged_in:
            raise ConnectionLostError(self._refusal)
        raise LoginError(f"{self._config.server.host} does not let {self._config.server.name} in: {self._refusal}")
