"""One client: bytes between a transport and a session.

Everything about the transport happens on the event loop. The session speaks from any thread; its lines are collected
in order and written by the loop. A client that does not read is not read from either, so that what is kept for it
stays small: `info` lines are dropped meanwhile, and a search in flight adds one more answer. If it goes on like that,
or does not end a line it began, or does not say its token, it is sent away.
"""

from __future__ import annotations

import asyncio
import hmac
import threading
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from fanqi.peers import keep_alive, source_of
from fanqi.uci import LineSplitter, LongLine, ProtocolError, Said, Session, format_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.logs import Logger
    from fanqi.tcp.config import ServerConfig
    from fanqi.uci import Services, SessionConfig

__all__ = ["LARGE_BYTES", "SHUTTING_DOWN", "SLICE_SECONDS", "Connection", "Door", "Farewell"]

SLICE_SECONDS = 0.002
LARGE_BYTES = 65_536


class Door(Protocol):
    """What a connection needs of its server, beside the services."""

    def logger_for(self, peer: str) -> Logger:
        """What a connection from there logs to."""

    def put_off(self, errand: Callable[[], None]) -> None:
        """Do it soon, after what others have asked for."""

    def admit(self, connection: Connection) -> str | None:
        """A connection has been made: None if there is room for it, else why not."""

    def release(self, connection: Connection) -> None:
        """It is gone. Called once for each."""

    def wrong_token(self, connection: Connection) -> None:
        """It said something else than the token."""

    def dropped(self, reason: str) -> None:
        """One was sent away, for a reason listed in `fanqi.tcp.figures.REASONS`."""


def says_nothing(line: bytes | LongLine) -> bool:
    """Whether a line is blank or a comment, which no command counts, the token neither."""
    return isinstance(line, bytes) and (not line.strip() or line.lstrip().startswith(b"#"))


class Farewell(NamedTuple):
    """Why the server ended a session: a reason as for `Door.dropped`, ``refused`` or ``shutting_down``; in words."""

    reason: str
    why: str


SHUTTING_DOWN = Farewell("shutting_down", "the server is shutting down")


class Connection(asyncio.Protocol):
    """See the module. Implements `fanqi.uci.Output` as well. The transport may be TCP's, TLS's or `WebSocket`.

    Args:
        config: limits.
        services: shared by all sessions.
        session_config: options and limits of the session.
        door: lets connections in and out.
        logger: for what happens before the door lends another.
    """

    def __init__(
        self,
        config: ServerConfig,
        services: Services,
        session_config: SessionConfig,
        door: Door,
        logger: Logger,
    ) -> None:
        self._config = config
        self._loop = asyncio.get_running_loop()
        self._door = door
        self.logger = logger  # with the client's address, once there is one
        self._session = Session(self, services, session_config)
        self._splitter = LineSplitter()
        self._transport: asyncio.Transport | None = None
        self.source = ""  # what limits by address apply to
        self.farewell: Farewell | None = None  # once the server has ended it
        self._trusted = config.token is None
        self._draining = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._paused = False  # the client does not read
        self._yielding = False  # there is input left for the next turn of the loop
        self._input_ended = False
        self._last_input = self._loop.time()
        self._lock = threading.Lock()  # guards the three below
        self._unwritten: list[str] = []
        self._flush_planned = False
        self._session_over = False

    # --- for the server -------------------------------------------------------------------------------------

    def shut_down(self, farewell: Farewell) -> None:
        """End the session after what is owed to it, and say why."""
        self.farewell = self.farewell or farewell
        self._session.close(farewell.why)
        self._flush()

    def drain(self) -> None:
        """End the session as soon as nothing runs for it."""
        self._draining = True
        self._end_if_drained()

    def abort(self) -> None:
        """Close now, whatever is still unsaid."""
        if self._transport is not None:
            self._transport.abort()

    # --- asyncio.Protocol -----------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by inheritance
        self._transport.set_write_buffer_limits(high=self._config.max_unread_bytes)
        peer = transport.get_extra_info("peername")
        if peer is not None:
            self.source = source_of(peer[0])
            keep_alive(transport.get_extra_info("socket"))
        self.logger = self._door.logger_for("unknown" if peer is None else f"{peer[0]}:{peer[1]}")
        refusal = self._door.admit(self)
        if refusal is not None:
            self.logger.warning("connection refused", reason=refusal)
            self.shut_down(Farewell("refused", refusal))
            return
        self.logger.info("connected")
        if not self._trusted:
            self._after("no_token", self._config.greeting_s, f"no token within {self._config.greeting_s:g} s")
        self._watch_idleness()

    def data_received(self, data: bytes) -> None:
        self._last_input = self._loop.time()
        self._splitter.feed(data)
        self._receive_lines()
        if len(data) >= LARGE_BYTES and not self._yielding:
            self._yield_to_others()  # an event loop would read megabytes of it in one turn

    def eof_received(self) -> bool:
        """The client has shut down its sending side; it may still want the answers."""
        self._splitter.end()
        self._input_ended = True
        self._door.put_off(self._receive_lines)
        # TLS knows no connection that is open in one direction only
        return self._transport is not None and self._transport.get_extra_info("ssl_object") is None

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._door.put_off(partial(self._say_goodbye, exc))

    def _say_goodbye(self, exc: Exception | None) -> None:
        self._session.abandon()
        self._door.release(self)
        self.logger.info("disconnected", **({} if exc is None else {"reason": str(exc)}))

    def pause_writing(self) -> None:
        self._paused = True
        self._after("stalled", self._config.stall_timeout_s, None)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._paused = False
        self._clear("stalled")
        self._flush()
        if not self._yielding:
            self._continue()

    # --- for transports that notice more than asyncio's -------------------------------------------------------

    def binary_received(self, start: bytes) -> None:
        """Something came that is not text; ``start`` is how it begins."""
        self._last_input = self._loop.time()
        if self._trusted or self._check_token(b""):
            text = start.decode("utf-8", "surrogateescape")
            error = ProtocolError("expected a text message, not a binary one", 1, text)
            self.answer(format_answer(Said(f"error: {error}")))

    def send_away(self, reason: str, why: str | None) -> None:
        """End the connection for a reason that is counted; without a ``why`` at once and without a word."""
        self._timers.pop(reason, None)
        self.logger.warning("sent away", reason=reason, **({} if why is None else {"why": why}))
        self._door.dropped(reason)
        if why is None:
            self.abort()
        else:
            self.shut_down(Farewell(reason, why))

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
                self._watch_line()
                if self._input_ended:
                    self._session.finish()
                break
            self._clear("slow_line")
            if not self._trusted:
                if not says_nothing(line) and not self._check_token(line):
                    return
                continue
            if self.logger.logs("debug"):
                text = line.start if isinstance(line, LongLine) else line
                self.logger.debug("received", line=text.decode("utf-8", "backslashreplace"))
            self._session.receive(line)
            if self._unwritten:
                self._flush()

    def _check_token(self, line: bytes | LongLine) -> bool:
        """The first line of a client that has to say its token; anything else ends the connection."""
        word, _, given = (line.start if isinstance(line, LongLine) else line).strip().partition(b" ")
        token = self._config.token or ""
        if word == b"token" and hmac.compare_digest(given.strip(), token.encode()):
            self._trusted = True
            self._clear("no_token")
            self.answer("tokenok")
            return True
        self._door.wrong_token(self)
        self.send_away("wrong_token", "first say: token TOKEN" if word != b"token" else "wrong token")
        return False

    def _yield_to_others(self) -> None:
        """A client that sends much at a time must not make the others wait: it is read half the time at most.

        On a busy machine a server that is always busy is one that often has to wait for a processor.
        """
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        transport.pause_reading()
        self._yielding = True
        self._loop.call_later(SLICE_SECONDS, self._continue)

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
        else:
            self._end_if_drained()

    def _end_if_drained(self) -> None:
        if self._draining and not self._session.busy:
            self._draining = False
            self.shut_down(SHUTTING_DOWN)

    def _after(self, reason: str, seconds: float, why: str | None) -> None:
        """Send the client away in so many seconds unless `_clear` comes first; without a ``why`` nothing is said."""
        if seconds > 0 and reason not in self._timers:
            self._timers[reason] = self._loop.call_later(
                seconds, self._door.put_off, partial(self._send_away_late, reason, why)
            )

    def _send_away_late(self, reason: str, why: str | None) -> None:
        """The time is up, unless `_clear` came in the last moment."""
        if reason in self._timers:
            self.send_away(reason, why)

    def _clear(self, reason: str) -> None:
        timer = self._timers.pop(reason, None)
        if timer is not None:
            timer.cancel()

    def _watch_line(self) -> None:
        """A line that has begun has to end in time, however many bytes of it still come."""
        if self._splitter.unfinished:
            self._after("slow_line", self._config.line_timeout_s, f"a line took {self._config.line_timeout_s:g} s")
        else:
            self._clear("slow_line")

    def _watch_idleness(self) -> None:
        """Close the connection when it has been silent for too long; one timer, set anew only when it fires."""
        timeout = self._config.idle_timeout_s
        if timeout <= 0 or self._transport is None or self._transport.is_closing():
            return
        silent = self._loop.time() - self._last_input
        if silent >= timeout and not self._session.busy:
            self.send_away("idle", f"idle for {timeout:g} s")
            return
        delay = timeout if self._session.busy else timeout - silent
        self._timers["idle"] = self._loop.call_later(delay, self._door.put_off, self._watch_idleness)
