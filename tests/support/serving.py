"""Many clients of one server with the fake game, over TCP or WebSocket, for the tests of `fanqi serve`."""

from __future__ import annotations

import asyncio
import contextlib

from websocket_client import WebSocketStream

from fanqi.logs import Logger
from fanqi.tcp import Server, ServerConfig
from fanqi.uci import Library

PATIENCE = 20


class Client:
    """Over TCP."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    def send(self, *lines):
        self.writer.write("".join(f"{line}\n" for line in lines).encode())

    async def line(self):
        async with asyncio.timeout(PATIENCE):
            return (await self.reader.readline()).decode().rstrip("\n")

    async def until(self, word):
        lines = [await self.line()]
        while not lines[-1].startswith(word):
            assert lines[-1] or not self.reader.at_eof(), lines
            lines.append(await self.line())
        return lines

    async def ask(self, *lines):
        """Send lines and return the last line said before everything is done."""
        self.send(*lines, "isready")
        return (await self.until("readyok"))[:-1]

    async def rest(self):
        """Everything up to the end, which is a reset for one that still sends when the server has closed."""
        blocks = []
        async with asyncio.timeout(PATIENCE):
            with contextlib.suppress(ConnectionError):
                while block := await self.reader.read(65_536):
                    blocks.append(block)
        return b"".join(blocks).decode().splitlines()

    async def close(self):
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()

    def abort(self):
        self.writer.transport.abort()


class WebSocketClient(Client):
    """Over WebSocket: one message a line."""

    def __init__(self, stream):
        super().__init__(stream, stream.writer)
        self.stream = stream

    def send(self, *lines):
        for line in lines:
            self.stream.send_text(line)


class World:
    """A server with the fake game, and clients."""

    def __init__(self, fakes, websocket=False, **limits):
        self.websocket = websocket
        self.script = fakes.Script()
        library = Library(lambda name: fakes.HeapGame(self.script, name))
        ws_port = 0 if websocket else None
        defaults = {"port": 0, "ws_port": ws_port, "max_searches": 1, "preload": (), "shutdown_s": PATIENCE}
        config = ServerConfig(**{**defaults, **limits})
        self.server = Server(config, library, Logger("error"))
        self.clients = []

    async def __aenter__(self):
        await self.server.start()
        return self

    async def __aexit__(self, *_):
        for client in self.clients:
            await client.close()
        await self.server.stop()

    @property
    def address(self):
        return (self.server.ws_addresses if self.websocket else self.server.addresses)[0]

    async def client(self, **options):
        if self.websocket:
            client = WebSocketClient(await WebSocketStream.connect(*self.address, **options))
        else:
            client = Client(*await asyncio.open_connection(*self.address, **options))
        self.clients.append(client)
        return client

    async def settled(self, condition):
        """Wait until ``condition`` holds."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.001)
