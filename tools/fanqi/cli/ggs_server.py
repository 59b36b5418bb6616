"""`fanqi ggs-server`: a GGS server of one's own."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Annotated, Literal

import typer

from fanqi.cli.connection import ListenHost, on_interrupt
from fanqi.command_line import die, say
from fanqi.event_loop import run_loop
from fanqi.files import FileError
from fanqi.game import quoted

__all__ = ["app"]

ADMIN_VARIABLE = "FANQI_GGS_ADMIN_PASSWORD"

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def ggs_server(
    host: ListenHost = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 lets the system choose one.")] = 5000,
    database: Annotated[Path | None, typer.Option(help="SQLite file of accounts and matches; else in memory.")] = None,
    archive: Annotated[Path | None, typer.Option(help="GGF file to which finished rated matches are appended.")] = None,
    register: Annotated[
        Literal["open", "admin"],
        typer.Option(help="Newcomers are registered at their first login, or by an administrator."),
    ] = "admin",
    admin: Annotated[
        str | None,
        typer.Option(help=f"Name of an administrator to create; the password comes from {ADMIN_VARIABLE}."),
    ] = None,
    admin_password_file: Annotated[
        Path | None, typer.Option(help="File with the administrator's password, mode 600.")
    ] = None,
    max_clients: Annotated[int, typer.Option(min=1, help="Players at a time.")] = 1000,
    max_per_address: Annotated[
        int, typer.Option(min=1, help="Connections at a time from one address; loopback is not limited.")
    ] = 64,
    connects_per_minute: Annotated[int, typer.Option(min=1, help="Connections a minute from one address.")] = 600,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate chain; with it only TLS is spoken.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Key of the certificate.")] = None,
    log_level: Annotated[Literal["debug", "info", "warning", "error"], typer.Option()] = "info",
) -> None:
    """Run a GGS-compatible game server: Othello on all boards, synchro, komi, anti, ratings, stored games.

    Accounts are in SQLite with salted scrypt hashes. A server that is killed loses no rated game: those that ran are
    stored and go on when both players are back. Stop it with Ctrl-C.

    \b
    Example: fanqi ggs-server --database club.db --register open --archive games.ggf
    """
    from fanqi.files import require_regular
    from fanqi.ggs_server import DoorRules, GgsServer, ServerSettings, StoreError, name_allowed
    from fanqi.logs import Logger

    if (tls_cert is None) != (tls_key is None):
        die("ggs-server", "--tls-cert and --tls-key go together")
    if admin is not None and not name_allowed(admin):
        die("ggs-server", f"--admin {quoted(admin)}: not a name of 2 to 8 visible characters that GGS takes")
    password = admin_password(admin, admin_password_file)
    if archive is not None:
        try:
            require_regular(archive)
        except OSError as error:
            die("ggs-server", FileError.writing(archive, error))
    tls = None if tls_cert is None or tls_key is None else (tls_cert, tls_key)
    door = DoorRules(
        register=register == "open",
        most_clients=max_clients,
        most_per_address=max_per_address,
        connects_per_minute=connects_per_minute,
    )
    settings = ServerSettings(host, port, database, archive, tls, door)

    async def serve() -> None:
        stop = asyncio.Event()
        on_interrupt(lambda count, which: stop.set() if count == 1 else os.kill(os.getpid(), signal.SIGKILL))
        server = GgsServer(settings, Logger(log_level))
        async with server:
            if admin is not None:
                server.make_account(admin, password, level=2)
            say(f"listening on {host}:{server.port}")
            await stop.wait()

    try:
        run_loop(serve())
    except (StoreError, OSError) as error:
        die("ggs-server", error, 1)


def admin_password(name: str | None, path: Path | None) -> str:
    """The administrator's password from a file that nobody else may read, or from the environment."""
    from fanqi.files import SecretError, read_secret

    if name is None:
        return ""
    if path is not None:
        try:
            text = read_secret(path)
        except SecretError as error:
            die("ggs-server", f"--admin-password-file {str(path)!r}: {error}")
    else:
        text = os.environ.get(ADMIN_VARIABLE, "")
    if not text:
        die("ggs-server", f"no password for {name}: set {ADMIN_VARIABLE} or --admin-password-file")
    if not (text.isascii() and text.isprintable()):
        die("ggs-server", f"no password for {name}: it is not of printable ASCII, so not every client could send it")
    return text
