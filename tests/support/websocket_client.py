"""A WebSocket client for tests: the library's protocol without I/O over a pair of streams, so that it can misbehave."""

from __future__ import annotations

import asyncio
import socket

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import SEND_EOF, State
from websockets.uri import parse_uri


class HandshakeError(Exception):
    """The server answered the opening handshake with something else than a WebSocket."""

    def __init__(self, response: Response | None) -> None:
        super().__init__(response)
        self.response = response


class WebSocketStream:
    """One connection. Reads only when asked to, and answers pings only while it reads.

    Attributes:
        wire: the protocol; what it sends goes out with `flush`.
        writer: the stream below.
        pings: how many came.
        response: what the server answered to the opening handshake.
    """

    def __init__(self, reader, writer, wire):
        self.reader, self.writer, self.wire = reader, writer, wire
        self.pings = 0
        self.response = None
        self._lines = []
        self._ended = False

    @classmethod
    async def connect(cls, host, port, origin=None, subprotocols=None, extensions=None, receive_buffer=None, **streams):
        """Connect and shake hands.

        Args:
            receive_buffer: bytes the system may keep for a reader that does not read; by default as many as it likes.
            streams: for `asyncio.open_connection`.

        Raises:
            HandshakeError: the server did not.
        """
        where = {"host": host, "port": port}
        if receive_buffer is not None:
            where = {"sock": socket.socket()}
            where["sock"].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            where["sock"].connect((host, port))
        reader, writer = await asyncio.open_connection(**where, **streams)
        uri = parse_uri(f"ws://{host}:{port}/")
        wire = ClientProtocol(uri, origin=origin, subprotocols=subprotocols, extensions=extensions, max_size=None)
        wire.send_request(wire.connect())
        made = cls(reader, writer, wire)
        made.flush()
        try:
            while wire.state is State.CONNECTING and wire.handshake_exc is None:
                await made._receive()
        except ConnectionError as error:
            raise HandshakeError(None) from error
        finally:
            if wire.state is State.CONNECTING:
                writer.close()
        if wire.handshake_exc is not None:
            raise HandshakeError(made.response) from wire.handshake_exc
        return made

    def send_text(self, text):
        self.wire.send_text(text.encode())
        self.flush()

    def send_frame(self, opcode, data, fin=True):
        """A frame whatever it is; the library would not send all of them."""
        self.writer.write(Frame(opcode, data, fin).serialize(mask=True))

    def flush(self):
        for data in self.wire.data_to_send():
            if data != SEND_EOF:
                self.writer.write(data)

    async def readline(self):
        """The next message as a line, b"" at the end."""
        while not self._lines and not self._ended:
            await self._receive()
        return self._lines.pop(0) if self._lines else b""

    async def read(self, _=-1):
        """The next message as a line, as `StreamReader.read` would give some bytes."""
        return await self.readline()

    def at_eof(self):
        return self._ended and not self._lines

    @property
    def close(self):
        """The closing frame that the server sent: code and reason; None if it sent none."""
        return self.wire.close_rcvd

    async def _receive(self):
        data = await self.reader.read(65_536)
        if not data:
            self._ended = True
            self.wire.receive_eof()
            self.writer.close()
        else:
            self.wire.receive_data(data)
        for event in self.wire.events_received():
            if isinstance(event, Response):
                self.response = event
            elif event.opcode is Opcode.TEXT:
                assert b"\n" not in event.data
                self._lines.append(bytes(event.data) + b"\n")
            elif event.opcode is Opcode.PING:
                self.pings += 1
        if not self.writer.is_closing():
            self.flush()
