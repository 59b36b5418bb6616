"""One client: bytes between a transport and a session.

Everything about the transport happens on the event loop. The session speaks from any thread; its lines are collected
in order and written by the loop. A client that does not read is not read from either, so that what is kept for it
stays small: `info` lines are dropped meanwhile, and a search in flight adds one more answer.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, cast

from fanqi.uci import LineSplitter, LongLine, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.logs import Logger
    from fanqi.tcp.config import ServerConfig
    from fanqi.uci import Services, SessionConfig

__all__ = ["Connection"]

SLICE_SECONDS = 0.002


class Connection(asyncio.Protocol):
    """See the module. Implements `fanqi.uci.Output` as well.

    Args:
        config: limits.
        services: shared by all sessions.
        session_config: options and limits of the session.
        admit: whether there is room for one more; called once connected, with the connection.
        release: called once when the connection is gone.
        logger: for its events.
    """

    def __init__(
        self,
        config: ServerConfig,
        services: Services,
        session_config: SessionConfig,
        admit: Callable[[Connection], str | None],
        release: Callable[[Connection], None],
        logger: Logger,
    ) -> None:
        self._config = config
        self._loop = asyncio.get_running_loop()
        self._admit = admit
        self._release = release
        self._logger = logger
        self._session = Session(self, services, session_config)
        self._splitter = LineSplitter()
        self._transport: asyncio.Transport | None = None
        self._paused = False  # the client does not read
        self._yielding = False  # there is input left for the next turn of the loop
        self._input_ended = False
        self._last_input = self._loop.time()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._lock = threading.Lock()  # guards the three below
        self._unwritten: list[str] = []
        self._flush_planned = False
        self._session_over = False

    # --- for the server -------------------------------------------------------------------------------------

    def shut_down(self, why: str) -> None:
        """End the session after what is owed to it, and say why."""
        self._session.close(why)
        self._flush()

    def abort(self) -> None:
        """Close now, whatever is still unsaid."""
        if self._transport is not None:
            self._transport.abort()

    # --- asyncio.Protocol -----------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by inheritance
        self._transport.set_write_buffer_limits(high=self._config.max_unread_bytes)
        peer = transport.get_extra_info("peername")
        self._logger = self._logger.bind(peer="unknown" if peer is None else f"{peer[0]}:{peer[1]}")
        refusal = self._admit(self)
        if refusal is not None:
            self._logger.warning("connection refused", reason=refusal)
            self.shut_down(refusal)
            return
        self._logger.info("connected")
        self._watch_idleness()

    def data_received(self, data: bytes) -> None:
        self._last_input = self._loop.time()
        self._splitter.feed(data)
        self._receive_lines()

    def eof_received(self) -> bool:
        """The client has shut down its sending side; it may still want the answers."""
        self._splitter.end()
        self._input_ended = True
        self._receive_lines()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._session.abandon()
        self._release(self)
        self._logger.info("disconnected", **({} if exc is None else {"reason": str(exc)}))

    def pause_writing(self) -> None:
        self._paused = True
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._paused = False
        self._flush()
        if not self._yielding:
            self._continue()

    # --- fanqi.uci.Output -----------------------------------------------------------------------------------

    def answer(self, line: str) -> None:
        with self._lock:
            self._unwritten.append(line)
            self._plan_flush()

    def thought(self, line: str) -> None:
        if not self._paused:
            self.answer(line)

    def ended(self) -> None:
        with self._lock:
            self._session_over = True
            self._plan_flush()

    # --- inside ---------------------------------------------------------------------------------------------

    def _receive_lines(self) -> None:
        """Give the session what has come, as long as the client takes the answers; the rest in the next slice."""
        until = self._loop.time() + SLICE_SECONDS
        while not self._paused:
            if self._loop.time() > until:
                self._yield_to_others()
                return
            line = self._splitter.pop()
            if line is None:
                if self._input_ended:
                    self._session.finish()
                break
            if self._logger.logs("debug"):
                text = line.start if isinstance(line, LongLine) else line
                self._logger.debug("received", line=text.decode("utf-8", "backslashreplace"))
            self._session.receive(line)
            if self._unwritten:
                self._flush()

    def _yield_to_others(self) -> None:
        """A client that sends much at a time must not make the others wait."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        transport.pause_reading()
        self._yielding = True
        self._loop.call_soon(self._continue)

    def _continue(self) -> None:
        self._yielding = False
        if self._transport is not None and not self._transport.is_closing():
            if not self._paused:
                self._transport.resume_reading()
            self._receive_lines()

    def _plan_flush(self) -> None:
        """Let the loop write; called with the lock held."""
        if not self._flush_planned:
            self._flush_planned = True
            try:
                self._loop.call_soon_threadsafe(self._flush)
            except RuntimeError:  # the loop is closed: the process is ending and the client is gone
                self._unwritten.clear()

    def _flush(self) -> None:
        """Write what has been said; on the loop."""
        with self._lock:
            self._flush_planned = False
            lines, self._unwritten = self._unwritten, []
            over = self._session_over
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if lines:
            transport.write("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
        if over:
            transport.close()  # after what is in its buffer

    def _watch_idleness(self) -> None:
        """Close the connection when it has been silent for too long; one timer, set anew only when it fires."""
        timeout = self._config.idle_timeout_s
        if timeout <= 0:
            return
        silent = self._loop.time() - self._last_input
        if silent >= timeout and not self._session.busy:
            self.shut_down(f"idle for {timeout:g} s")
            return
        delay = timeout if self._session.busy else timeout - silent
        self._idle_timer = self._loop.call_later(delay, self._watch_idleness)
