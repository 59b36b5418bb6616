"""`fanqi serve`: the protocol over TCP and WebSocket."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from fanqi.cli.connection import ListenHost, MetricsHost
from fanqi.command_line import die
from fanqi.game import quoted
from fanqi.tcp.config import ServerConfig

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

DEFAULT = ServerConfig()


@app.command()
def serve(
    host: ListenHost = DEFAULT.host,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 lets the system choose.")] = DEFAULT.port,
    ws_port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Take WebSocket connections on this port as well.")
    ] = None,
    ws_origin: Annotated[
        list[str] | None,
        typer.Option(help="Web page that may connect, such as https://example.org; 'null' for a file, '*' for all."),
    ] = None,
    max_sessions: Annotated[int, typer.Option(min=1, help="Connections at a time.")] = DEFAULT.max_sessions,
    max_searches: Annotated[
        int, typer.Option(min=1, help="Searches at a time; others wait in order.")
    ] = DEFAULT.max_searches,
    max_search: Annotated[
        float, typer.Option(min=0, help="Seconds one search may take, pondering included; 0 for ever.")
    ] = DEFAULT.max_search_s,
    max_per_address: Annotated[
        int, typer.Option(min=1, help="Connections at a time from one address; loopback is not limited.")
    ] = DEFAULT.max_per_address,
    connects_per_minute: Annotated[
        int, typer.Option(min=1, help="Connections a minute from one address.")
    ] = DEFAULT.connects_per_minute,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the token clients have to say first; or set FANQI_TOKEN."),
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate chain: listen with TLS.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Key of the certificate.")] = None,
    idle_timeout: Annotated[
        float, typer.Option(min=0, help="Seconds a connection may be silent while nothing runs; 0 for ever.")
    ] = DEFAULT.idle_timeout_s,
    max_hash: Annotated[int, typer.Option(min=1, help="MiB of hash table for one session.")] = DEFAULT.max_hash_mib,
    total_hash: Annotated[int, typer.Option(min=1, help="MiB of hash tables together.")] = DEFAULT.total_hash_mib,
    max_threads: Annotated[
        int, typer.Option(min=1, help="Search threads that one search may use (Othello).")
    ] = DEFAULT.max_threads,
    drain: Annotated[
        float, typer.Option(min=0, help="Seconds running searches may go on at shutdown.")
    ] = DEFAULT.drain_s,
    metrics_port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Serve /metrics and /healthz on this port.")
    ] = None,
    metrics_host: MetricsHost = "127.0.0.1",
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = DEFAULT.log_level,
) -> None:
    """Give one protocol session to each connection, until SIGTERM or Ctrl-C.

    Without a token nobody is asked who he is, and without a certificate nothing is encrypted: listen where only
    friends can reach, or use both. A first SIGTERM lets running searches end, a second does not wait for them.

    \b
    Example: fanqi serve --port 7654 --max-searches 2
    Example: fanqi serve --host 0.0.0.0 --token-file token --tls-cert chain.pem --tls-key key.pem --max-search 60
    Example: fanqi serve --ws-port 8080 --ws-origin https://example.org
    Example: (echo 'go movetime 500'; sleep 5) | nc -N 127.0.0.1 7654
    """
    from fanqi.files import SecretError, read_secret
    from fanqi.tcp import serve as run

    levels = ("debug", "info", "warning", "error")
    if log_level not in levels:
        raise typer.BadParameter(f"{quoted(log_level)} is none of {', '.join(levels)}", param_hint="--log-level")
    try:
        token = read_secret(token_file) if token_file else os.environ.get("FANQI_TOKEN")
    except SecretError as error:
        die("serve", f"token file {str(token_file)!r}: {error}")
    try:
        if ws_origin and ws_port is None:
            raise ValueError("--ws-origin is of no use without --ws-port")
        config = ServerConfig(
            host=host,
            port=port,
            ws_port=ws_port,
            ws_origins=tuple(ws_origin or ()),
            max_sessions=max_sessions,
            max_searches=max_searches,
            max_search_s=max_search,
            max_per_address=max_per_address,
            connects_per_minute=connects_per_minute,
            token=token,
            certificate=tls_cert,
            key=tls_key,
            idle_timeout_s=idle_timeout,
            max_hash_mib=max_hash,
            total_hash_mib=total_hash,
            max_threads=max_threads,
            drain_s=drain,
            metrics=None if metrics_port is None else (metrics_host, metrics_port),
            log_level=log_level,
        )
    except ValueError as error:
        die("serve", error)
    raise typer.Exit(run(config))
