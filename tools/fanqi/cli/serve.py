"""`fanqi serve`: the protocol over TCP."""

from __future__ import annotations

from typing import Annotated

import typer

from fanqi.tcp.config import ServerConfig

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

DEFAULT = ServerConfig()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = DEFAULT.host,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 lets the system choose.")] = DEFAULT.port,
    max_sessions: Annotated[int, typer.Option(min=1, help="Connections at a time.")] = DEFAULT.max_sessions,
    max_searches: Annotated[
        int, typer.Option(min=1, help="Searches at a time; others wait in order.")
    ] = DEFAULT.max_searches,
    idle_timeout: Annotated[
        float, typer.Option(min=0, help="Seconds a connection may be silent while nothing runs; 0 for ever.")
    ] = DEFAULT.idle_timeout_s,
    max_hash: Annotated[int, typer.Option(min=1, help="MiB of hash table for one session.")] = DEFAULT.max_hash_mib,
    total_hash: Annotated[int, typer.Option(min=1, help="MiB of hash tables together.")] = DEFAULT.total_hash_mib,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = DEFAULT.log_level,
) -> None:
    """Give one protocol session to each TCP connection, until SIGTERM or Ctrl-C.

    Nothing is encrypted and nobody is asked who he is, so listen where only friends can reach.

    \b
    Example: fanqi serve --port 7654 --max-searches 2
    Example: printf 'position startpos\\ngo movetime 500\\n' | nc -N 127.0.0.1 7654
    """
    from fanqi.tcp import serve as run

    levels = ("debug", "info", "warning", "error")
    if log_level not in levels:
        raise typer.BadParameter(f"{log_level!r} is none of {', '.join(levels)}", param_hint="--log-level")
    config = ServerConfig(
        host=host,
        port=port,
        max_sessions=max_sessions,
        max_searches=max_searches,
        idle_timeout_s=idle_timeout,
        max_hash_mib=max_hash,
        total_hash_mib=total_hash,
        log_level=log_level,
    )
    raise typer.Exit(run(config))
