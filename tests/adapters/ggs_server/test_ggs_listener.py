"""The server on real sockets: logins with hashed passwords, TLS, slow readers, flags, and a good end."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import socket
import sqlite3
import ssl
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fanqi.ggs_server import DoorRules, GgsServer, ServerSettings, StoreError
from fanqi.ggs_server.listener import Connection
from fanqi.ggs_server.ratings import Rating
from fanqi.ggs_server.store import Store, check_password, hash_password
from fanqi.logs import Logger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

TLS = Path(__file__).parents[2] / "data" / "ggs_tls"


class Caller:
    """A client on a socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def say(self, *lines: str) -> None:
        for line in lines:
            self.writer.write(f"{line}\r\n".encode())
        await self.writer.drain()

    async def until(self, wanted: str) -> list[str]:
        """All lines up to one that starts so."""
        heard = []
        async with asyncio.timeout(20):
            while True:
                data = await self.reader.readline()
                if not data:
                    raise EOFError(heard)
                heard.append(data.decode("latin-1").rstrip("\r\n"))
                if heard[-1].startswith(wanted):
                    return heard

    async def log_in(self, name: str, password: str = "secret") -> None:
        await self.until(": Enter login")
        await self.say(name)
        await self.until(": Enter your password")
        await self.say(password)
        await self.until("READY")


CALLERS: list[Caller] = []


async def call(server: GgsServer, context: ssl.SSLContext | None = None) -> Caller:
    CALLERS.append(Caller(*await asyncio.open_connection("127.0.0.1", server.port, ssl=context)))
    return CALLERS[-1]


def serve(settings: ServerSettings, visit: Callable[[GgsServer], Awaitable[None]]) -> None:
    """Visit a server, which ends before its callers do."""

    async def run() -> None:
        try:
            async with GgsServer(settings, Logger("error")) as server:
                await visit(server)
        finally:
            while CALLERS:
                writer = CALLERS.pop().writer
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()

    asyncio.run(run())


def test_a_stranger_comes_in_and_his_password_is_kept_only_as_a_hash(tmp_path: Path) -> None:
    settings = ServerSettings(port=0, database=tmp_path / "club.db", door=DoorRules(register=True))

    async def visit(server: GgsServer) -> None:
        caller = await call(server)
        await caller.log_in("ann", "a very secret one")
        await caller.say("quit")
        await caller.until(": Thank you for using GGS.")
        again = await call(server)
        await again.until(": Enter login")
        await again.say("ann")
        await again.say("wrong")
        assert (await again.until(": ERR"))[-1] == ": ERR Password is incorrect."

    serve(settings, visit)
    assert b"very secret" not in (tmp_path / "club.db").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="file modes are of POSIX")
def test_a_new_database_is_for_its_owner_only_and_an_old_one_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    Store(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    Store(path).close()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_hash_is_salted_and_tells_right_from_wrong() -> None:
    first, second = hash_password("secret"), hash_password("secret")
    assert first != second
    assert check_password("secret", first)
    assert not check_password("Secret", first)


def test_a_login_and_the_end_of_the_input_in_one_packet_are_answered() -> None:
    async def visit(server: GgsServer) -> None:
        caller = await call(server)
        caller.writer.write(b"ann\r\nsecret\r\nwho")
        caller.writer.write_eof()
        heard = (await caller.reader.read()).decode()
        assert ": Enter your password." in heard
        assert heard.rpartition(": who ")[2].count("\nann ") == 1
        while server.connections:
            await asyncio.sleep(0.01)
        assert list(server.central.hall) == []

    serve(ServerSettings(port=0), visit)


def test_a_wrong_password_and_the_end_of_the_input_in_one_packet_are_answered() -> None:
    async def visit(server: GgsServer) -> None:
        server.make_account("ann", "secret", 1)
        caller = await call(server)
        caller.writer.write(b"ann\r\nwrong\r\n")
        caller.writer.write_eof()
        await caller.until(": ERR Password is incorrect.")
        with pytest.raises(EOFError):
            await caller.until("READY")

    serve(ServerSettings(port=0), visit)


def test_tls_is_spoken_from_the_first_byte(tmp_path: Path) -> None:
    settings = ServerSettings(port=0, tls=(TLS / "cert.pem", TLS / "key.pem"))
    context = ssl.create_default_context(cafile=str(TLS / "cert.pem"))

    async def visit(server: GgsServer) -> None:
        await (await call(server, context)).log_in("ann")

    serve(settings, visit)


def test_a_flag_falls_without_anybody_saying_anything() -> None:
    async def visit(server: GgsServer) -> None:
        ann = await call(server)
        await ann.log_in("ann")
        await ann.say("tell /os open 1", "tell /os ask 8 0:00//0 ann")
        heard = await ann.until("/os: - match")
        assert any(line.startswith("/os: fatal-timeout") for line in heard)

    serve(ServerSettings(port=0), visit)


async def start_rated(server: GgsServer, clock: str) -> Caller:
    """Begin a rated match of ann against bob; gives ann."""
    for name in ("ann", "bob"):
        server.make_account(name, "secret", level=1)
    ann, bob = await call(server), await call(server)
    for caller, name in ((ann, "ann"), (bob, "bob")):
        await caller.log_in(name)
        await caller.say("tell /os open 1", "tell /os rated +", "echo set")
        await caller.until(": set")
    await ann.say(f"tell /os ask 8 {clock} bob")
    await bob.until("/os: +")
    await bob.say("tell /os accept .0")
    await ann.until("/os: join")
    return ann


@pytest.mark.parametrize("folder", ["here", "not_here"])
def test_a_rated_match_is_appended_to_the_archive_and_counts_also_if_that_fails(tmp_path: Path, folder: str) -> None:
    (tmp_path / "here").mkdir()
    archive = tmp_path / folder / "games.ggf"

    async def visit(server: GgsServer) -> None:
        ann = await start_rated(server, "0:00//0")
        await ann.until("/os: - match")
        assert server.store.count_matches("archived") == 1
        rating = server.store.rating("bob", "8")
        assert rating.wins + rating.losses == 1

    serve(ServerSettings(port=0, archive=archive), visit)
    assert archive.exists() == (folder == "here")
    if archive.exists():
        assert archive.read_text().startswith("1 (;GM[Othello]")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_for_an_archive_that_nobody_reads_does_not_keep_everybody_waiting(tmp_path: Path) -> None:
    archive = tmp_path / "games.ggf"
    os.mkfifo(archive)

    async def visit(server: GgsServer) -> None:
        ann = await start_rated(server, "0:00//0")
        await ann.until("/os: - match")

    serve(ServerSettings(port=0, archive=archive), visit)


def test_a_match_that_cannot_be_stored_stops_neither_the_clocks_nor_the_leaving_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(match: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    async def visit(server: GgsServer) -> None:
        monkeypatch.setattr(server.store, "save_match", full)
        ann = await start_rated(server, "0:00//0")
        carl = await call(server)
        await carl.log_in("carl")
        await carl.say("tell /os open 1", "tell /os ask 8 0:00//0 carl")
        await carl.until("/os: - match")
        assert len(server.service.matches) == 1
        await ann.say("quit")
        with pytest.raises(EOFError):
            await ann.until("READY never comes")
        await (await call(server)).log_in("ann")

    serve(ServerSettings(port=0), visit)


def test_changes_that_cannot_be_written_together_leave_the_database_usable() -> None:
    store = Store()
    rating = store.rating("ann", "8")
    with pytest.raises(sqlite3.OperationalError, match="full"), store.together():
        store.save_rating("ann", "8", Rating(2000.0))
        raise sqlite3.OperationalError("database or disk is full")
    assert store.rating("ann", "8") == rating
    with pytest.raises(sqlite3.OperationalError, match="full"), store.together():
        store._db.execute("ROLLBACK")  # what SQLite does itself on a full disk
        raise sqlite3.OperationalError("database or disk is full")
    with store.together():
        store.save_rating("ann", "8", Rating(2000.0))
    assert store.rating("ann", "8").rating == 2000.0


def test_lines_may_come_in_pieces_and_overlong_ones_are_cut() -> None:
    async def visit(server: GgsServer) -> None:
        caller = await call(server)
        await caller.log_in("ann")
        for piece in (b"ec", b"ho hel", b"lo\r", b"\n"):
            caller.writer.write(piece)
            await asyncio.sleep(0.01)
        await caller.until(": hello")
        caller.writer.write(b"echo " + b"x" * 100_000 + b"\n")
        heard = await caller.until(": x")
        assert len(heard[-1]) < 2100

    serve(ServerSettings(port=0), visit)


def test_a_client_that_does_not_read_is_cut_off_and_the_others_play_on() -> None:
    async def visit(server: GgsServer) -> None:
        deaf, ann = await call(server), await call(server)
        await deaf.log_in("deaf")
        await ann.log_in("ann")
        deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(3000):
            deaf.writer.write(b"help cmds faq\n" * 20)
            await asyncio.sleep(0)
            if deaf.writer.is_closing() or len(server.connections) == 1:
                break
        assert len(server.connections) == 1
        await ann.say("echo here")
        await ann.until(": here")

    serve(ServerSettings(port=0), visit)


def test_the_system_is_asked_to_notice_clients_that_are_gone_without_a_word() -> None:
    async def visit(server: GgsServer) -> None:
        await (await call(server)).log_in("ann")
        (connection,) = server.connections
        assert connection._transport is not None
        opened = connection._transport.get_extra_info("socket")
        assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)

    serve(ServerSettings(port=0), visit)


class FullTransport:
    """A transport whose other side reads nothing."""

    aborted = closing = False

    def get_extra_info(self, name: str) -> None:
        return None

    def get_write_buffer_size(self) -> int:
        return 1000

    def write(self, data: bytes) -> None:
        pass

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.aborted = True


def test_a_client_that_does_not_read_its_last_lines_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanqi.ggs_server.listener.GOODBYE_SECONDS", 0.01)

    async def visit(server: GgsServer) -> None:
        transport, connection = FullTransport(), Connection(server)
        connection.connection_made(transport)  # type: ignore[arg-type]
        connection.close("Enough.")
        async with asyncio.timeout(10):
            while not transport.aborted:
                await asyncio.sleep(0.01)
        connection.connection_lost(None)

    serve(ServerSettings(port=0), visit)


def test_who_does_not_log_in_in_time_is_told_so_and_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanqi.ggs_server.listener.LOGIN_SECONDS", 0.01)

    async def visit(server: GgsServer) -> None:
        silent = await call(server)
        assert (await silent.until(": ERR"))[-1] == ": ERR no login in 60 s."
        assert await silent.reader.read() == b""

    serve(ServerSettings(port=0), visit)


def test_a_certificate_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    async def visit(server: GgsServer) -> None:
        raise AssertionError

    with pytest.raises(OSError, match=r"certificate '.*none\.pem'"):
        serve(ServerSettings(port=0, tls=(tmp_path / "none.pem", TLS / "key.pem")), visit)


def test_a_server_that_ends_stores_what_is_played(tmp_path: Path) -> None:
    settings = ServerSettings(port=0, database=tmp_path / "club.db")

    async def visit(server: GgsServer) -> None:
        await start_rated(server, "1:00")

    serve(settings, visit)
    with contextlib.closing(sqlite3.connect(tmp_path / "club.db")) as database:
        assert database.execute("SELECT state, info FROM match").fetchall() == [("stored", "8:l")]


def test_everybody_is_told_that_the_server_ends() -> None:
    async def visit(server: GgsServer) -> None:
        callers.extend([await call(server), await call(server)])
        await callers[0].log_in("ann")

    async def run() -> None:
        async with GgsServer(ServerSettings(port=0), Logger("error")) as server:
            await visit(server)
        for caller in callers:
            await caller.until(": The server is shutting down.")
            assert await caller.reader.read() == b""
            caller.writer.close()
            await caller.writer.wait_closed()

    callers: list[Caller] = []
    asyncio.run(run())


def test_a_second_server_that_finds_the_port_taken_leaves_the_matches_of_the_first_alone(tmp_path: Path) -> None:
    settings = ServerSettings(port=0, database=tmp_path / "club.db")

    async def visit(server: GgsServer) -> None:
        await start_rated(server, "1:00")
        second = GgsServer(replace(settings, port=server.port), Logger("error"))
        with pytest.raises(OSError, match=str(server.port)):
            await second.__aenter__()
        second.store.close()
        assert server.store.count_matches("running") == 1

    serve(settings, visit)


def test_passwords_are_changed_one_at_a_time_so_that_a_flood_of_changes_keeps_no_login_waiting() -> None:
    async def visit(server: GgsServer) -> None:
        ann = await call(server)
        await ann.log_in("ann")
        await ann.say(*["passw new wrong"] * 50, "echo set")
        heard = await ann.until(": set")
        assert heard.count(": ERR another change of a password is under way.") == 49
        await ann.until(": ERR Password is incorrect.")
        await ann.say("passw new secret")
        await ann.until("READY")
        await ann.say("quit")

    serve(ServerSettings(port=0), visit)


def test_a_password_that_cannot_be_hashed_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(password: str) -> str:
        raise MemoryError

    monkeypatch.setattr("fanqi.ggs_server.listener.hash_password", out_of_memory)
    log = io.StringIO()

    async def run() -> None:
        async with GgsServer(ServerSettings(port=0), Logger("error", log)) as server:
            caller = await call(server)
            await caller.say("ann", "secret")
            async with asyncio.timeout(20):
                while "MemoryError" not in log.getvalue():
                    await asyncio.sleep(0.01)
        CALLERS.pop().writer.close()

    asyncio.run(run())


def test_a_file_that_is_no_database_of_ours_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE something(x)")
    (tmp_path / "text.db").write_text("not a database at all, but long enough to look like one" * 10)
    for path in (other, tmp_path / "text.db", tmp_path / "nowhere" / "x.db"):
        with pytest.raises(StoreError, match=path.name):
            GgsServer(ServerSettings(port=0, database=path), Logger("error"))


def test_who_sends_much_at_once_does_not_make_the_others_wait() -> None:
    async def visit(server: GgsServer) -> None:
        loud, ann = await call(server), await call(server)
        await loud.log_in("loud")
        await ann.log_in("ann")
        for caller in (loud, ann):
            await caller.say("verbose -news -faq -help -ack", "echo set")
            await caller.until(": set")
        loud.writer.write(b"tell /os finger\n" * 2000 + b"echo done\n")
        await asyncio.sleep(0.01)
        await ann.say("echo here")
        await ann.until(": here")
        finished = asyncio.create_task(loud.until(": done"))
        await asyncio.sleep(0)
        assert not finished.done()
        await finished

    serve(ServerSettings(port=0), visit)
