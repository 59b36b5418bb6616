"""WebSocket as a transport: frames below, a stream of lines above. Nobody else knows the library `websockets`.

A `Connection` uses this as it uses TCP, and cannot tell the difference: what it writes leaves as one text message a
line, what comes in text messages it gets as lines, and closing waits for the closing handshake. As with TLS, what is
written before the opening handshake is done is kept until then. So a client has the same session, limits and manners
over either. The library does the protocol (RFC 6455) without doing any I/O itself.
"""

from __future__ import annotations

import asyncio
import codecs
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from websockets.exceptions import InvalidMessage
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol

from fanqi.tcp.connection import LARGE_BYTES, SLICE_SECONDS
from fanqi.uci import MAX_LINE
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from websockets.typing import Subprotocol

    from fanqi.tcp.config import ServerConfig
    from fanqi.tcp.connection import Connection
    from fanqi.tcp.origins import Origins

__all__ = ["WebSocket"]

SUBPROTOCOL = "fanqi"
MAX_MESSAGE = 2 * MAX_LINE  # a line that is a little too long gets its error, one that is much too long ends it all
PIECE = 1024  # bytes taken at a time: of the smallest frames there are 170 in it, a few milliseconds' work
UNHEARD_PINGS = 2
HURRY_SECONDS = 1.0  # for the opening handshake of a client that is turned away
CLOSE_SECONDS = 10.0  # for the other half of the closing handshake
LONGEST_ORIGIN = 400  # characters of it in an answer
LONGEST_REASON = 123  # bytes in a closing frame
NOT_HTTP = "This port speaks WebSocket; for plain lines over TCP use the other port of fanqi serve.\n"
CLOSE_CODES = {
    "refused": CloseCode.TRY_AGAIN_LATER,
    "shutting_down": CloseCode.GOING_AWAY,
    "bad_message": CloseCode.INVALID_DATA,
}


class WebSocket(asyncio.Protocol, asyncio.Transport):
    """The protocol of a stream transport, and the transport of a `Connection`. See the module.

    Args:
        connection: what uses it.
        config: times.
        origins: the pages that may connect.
    """

    def __init__(self, connection: Connection, config: ServerConfig, origins: Origins) -> None:
        super().__init__()
        self._connection = connection
        self._config = config
        self._origins = origins
        self._loop = asyncio.get_running_loop()
        self._wire = ServerProtocol(
            select_subprotocol=select_subprotocol,
            max_size=MAX_MESSAGE,
            extensions=None,  # lines are too short to be worth the memory and the bombs of permessage-deflate
        )
        self._below: asyncio.Transport
        self._unsent = bytearray()  # written before the opening handshake
        self._backlog = bytearray()  # read and not yet looked at
        self._held = False  # the connection wants no input
        self._pump_planned = False
        self._write_paused = False
        self._closing = False
        self._deaf = False  # a message was not what it should be: no more of them
        self._output_ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # checks the text message that is coming in
        self._in_binary = False  # a binary message is coming in
        self._unheard = 0  # pings without an answer
        self._opening: asyncio.TimerHandle | None = None
        self._ending: asyncio.TimerHandle | None = None
        self._left_to_write = 0  # when `_ending` was set
        self._pinging: asyncio.TimerHandle | None = None

    # --- asyncio.Protocol, towards the stream -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._below = cast("asyncio.Transport", transport)  # uvloop's is none by inheritance
        if self._config.greeting_s > 0:
            self._opening = self._loop.call_later(self._config.greeting_s, self._missed_opening)
        self._connection.connection_made(self)

    def data_received(self, data: bytes) -> None:
        self._backlog += data
        if len(data) >= LARGE_BYTES:
            self._below.pause_reading()  # an event loop would read megabytes of it in one turn
            self._plan_pump()
        elif not self._held and not self._pump_planned:
            self._pump()

    def eof_received(self) -> bool:
        return False  # one that has closed its half without a closing frame is gone

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._backlog.clear()
        for timer in (self._opening, self._ending, self._pinging):
            if timer is not None:
                timer.cancel()
        self._connection.connection_lost(exc)

    def pause_writing(self) -> None:
        self._write_paused = True
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        self._write_paused = False
        self._connection.resume_writing()

    # --- asyncio.Transport, towards the connection ------------------------------------------------------------

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send lines, each ended by a line feed, as one text message each."""
        if self._wire.state is State.CONNECTING:
            self._unsent += data
        elif self._wire.state is State.OPEN:
            for line in bytes(data).split(b"\n")[:-1]:
                self._wire.send_text(line)
            self._send()

    def close(self) -> None:
        """Close after what has been written, and no later than `CLOSE_SECONDS` after it has been."""
        if self._closing:
            return
        self._closing = True
        if self._wire.state is State.CONNECTING:
            self._hurry_opening()
        else:
            self._say_goodbye()

    def abort(self) -> None:
        self._below.abort()

    def is_closing(self) -> bool:
        return self._closing or self._below.is_closing()

    def pause_reading(self) -> None:
        self._held = True
        self._below.pause_reading()

    def resume_reading(self) -> None:
        self._held = False
        self._plan_pump()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._below.get_extra_info(name, default)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._below.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        return self._below.get_write_buffer_size()

    # --- input ------------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Look at what has been read, for as long as one client may keep the others waiting."""
        self._pump_planned = False
        until = self._loop.time() + SLICE_SECONDS
        while self._backlog and not self._held:
            piece = bytes(self._backlog[:PIECE])
            del self._backlog[:PIECE]
            self._take(piece)
            if self._loop.time() > until:
                break
        if self._backlog:
            self._below.pause_reading()
            if not self._held:
                self._plan_pump()
        elif not self._held and not self._below.is_closing():
            self._below.resume_reading()

    def _plan_pump(self) -> None:
        if not self._pump_planned:
            self._pump_planned = True
            self._loop.call_soon(self._pump)

    def _take(self, data: bytes) -> None:
        """What has come: have the library parse it, give the connection the text, answer what wants an answer."""
        wire = self._wire
        wire.receive_data(data)
        text = bytearray()
        for event in wire.events_received():
            if isinstance(event, Request):
                self._open(event)
            elif isinstance(event, Frame) and not (self._closing or self._deaf):
                text += self._read(event)
        self._send()
        if text:
            self._connection.data_received(bytes(text))
        if wire.handshake_exc is not None:
            self._turn_away("handshake", str(wire.handshake_exc))
        if wire.parser_exc is not None:
            self._turn_away("bad_message", str(wire.parser_exc))
        if wire.close_expected():
            self._await_end()

    def _read(self, frame: Frame) -> bytes:
        """The text of a frame, with a line feed after a whole message."""
        match frame.opcode:
            case Opcode.TEXT:
                self._in_binary = False
                self._decoder.reset()
            case Opcode.BINARY:
                self._in_binary = True
                self._connection.binary_received(bytes(frame.data[:MAX_LINE]))
            case Opcode.PONG:
                self._unheard = 0
            case Opcode.CLOSE:
                self._closing = True
        if frame.opcode not in (Opcode.TEXT, Opcode.CONT) or self._in_binary:
            return b""
        data = bytes(frame.data)
        try:
            self._decoder.decode(data, frame.fin)
        except UnicodeDecodeError:
            self._deaf = True
            self._connection.send_away("bad_message", "a text message is not UTF-8")
            return b""
        return data + b"\n" if frame.fin else data

    # --- opening ----------------------------------------------------------------------------------------------

    def _open(self, request: Request) -> None:
        """Answer the opening handshake, then say what was kept until now."""
        wire = self._wire
        if self._opening is not None:
            self._opening.cancel()
        origins = request.headers.get_all("Origin")
        origin = ", ".join(origins) if origins else None  # an empty one is there, and not one of a program
        host = ", ".join(request.headers.get_all("Host")) or None
        own = self.get_extra_info("sockname")
        if not self._origins.admit(origin, host, own[0] if own else ""):
            why = f"pages from {shown(str(origin), LONGEST_ORIGIN) or 'nowhere'} may not connect to this server"
            wire.send_response(wire.reject(HTTPStatus.FORBIDDEN, f"{why}; see fanqi serve --ws-origin.\n"))
            self._turn_away("origin", why)
            return
        wire.send_response(wire.accept(request))
        if wire.state is not State.OPEN:
            return
        self._connection.logger.info("websocket opened", path=request.path, origin=origin)
        unsent, self._unsent = bytes(self._unsent), bytearray()
        self.write(unsent)
        if self._closing:
            self._say_goodbye()
        elif self._config.ping_s > 0:
            self._pinging = self._loop.call_later(self._config.ping_s, self._ping)

    def _turn_away(self, reason: str, why: str) -> None:
        """End the session of a client that has been told already, and can be told no more."""
        if not self._closing:
            self._closing = True
            self._connection.send_away(reason, why)

    def _hurry_opening(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        self._opening = self._loop.call_later(HURRY_SECONDS, self.abort)

    def _missed_opening(self) -> None:
        self._connection.send_away("handshake", None)

    # --- keeping alive and closing ----------------------------------------------------------------------------

    def _ping(self) -> None:
        """Ping, unless the last answers could not have come: what keeps a client from them has a limit of its own."""
        if not (self._held or self._write_paused or self._backlog):
            if self._unheard == UNHEARD_PINGS:
                self._connection.send_away("no_pong", None)
                return
            self._unheard += 1
            self._wire.send_ping(b"")
            self._send()
        self._pinging = self._loop.call_later(self._config.ping_s, self._ping)

    def _say_goodbye(self) -> None:
        """Start the closing handshake; the client's part of it can only come if we read."""
        if self._wire.state is State.OPEN:
            reason, why = self._connection.farewell or ("", "")
            code = CLOSE_CODES.get(reason, CloseCode.POLICY_VIOLATION) if reason else CloseCode.NORMAL_CLOSURE
            self._wire.send_close(code, why.encode()[:LONGEST_REASON].decode("utf-8", "ignore"))
            self._send()
        self.resume_reading()
        self._await_end()

    def _await_end(self) -> None:
        if self._pinging is not None:
            self._pinging.cancel()
        if self._ending is None:
            self._left_to_write = self.get_write_buffer_size()
            self._ending = self._loop.call_later(CLOSE_SECONDS, self._missed_end)

    def _missed_end(self) -> None:
        """The client has had its time, unless it is still taking what was written before the end."""
        self._ending = None
        if self.get_write_buffer_size() < self._left_to_write:
            self._await_end()
        else:
            self.abort()

    def _send(self) -> None:
        """Write what the library has to send; end the stream where it says so."""
        writes = self._wire.data_to_send()
        if writes == [SEND_EOF] and isinstance(self._wire.handshake_exc, InvalidMessage):
            # what came is no HTTP at all, and the library would close without a word
            writes = [self._wire.reject(HTTPStatus.BAD_REQUEST, NOT_HTTP).serialize(), SEND_EOF]
        if self._output_ended or not writes or self._below.is_closing():
            return
        data = b"".join(writes)
        if data:
            self._below.write(data)
        if writes[-1] == SEND_EOF:
            self._output_ended = True
            if self._wire.close_rcvd is None and self._below.can_write_eof():
                self._below.write_eof()  # the client may still be sending: closing now would reset the connection
            else:
                self._below.close()


def select_subprotocol(wire: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Ours if the client knows it; else none, and a client that insists on another will go."""
    return next((name for name in offered if name == SUBPROTOCOL), None)
