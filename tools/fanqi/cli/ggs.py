"""`fanqi ggs`: play on a GGS server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fanqi.cli.connection import on_interrupt
from fanqi.command_line import die, say
from fanqi.event_loop import run_loop

if TYPE_CHECKING:
    from fanqi.ggs import ClientHandle

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def ggs(
    config: Annotated[Path | None, typer.Option(help="Configuration, TOML.")] = None,
    example_config: Annotated[bool, typer.Option("--example-config", help="Print a commented one and stop.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Read configuration and password and stop.")] = False,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(help="By default warning on a terminal, where a status line tells the rest, and info elsewhere."),
    ] = None,
) -> None:
    """Play Othello on a GGS server for as long as you like, unattended.

    The password comes from an environment variable or a file of mode 600, never from an argument. The first Ctrl-C
    plays the games in progress to their end, the second adjourns them.

    \b
    Example: fanqi ggs --example-config > ggs.toml
    Example: FANQI_GGS_PASSWORD=... fanqi ggs --config ggs.toml
    """
    from fanqi.ggs import EXAMPLE, ConfigError, LoginError, StatusLine, find_password, load_config, run_client
    from fanqi.logs import Logger

    if example_config:
        typer.echo(EXAMPLE, nl=False)
        return
    if config is None:
        die("ggs", "no --config; fanqi ggs --example-config prints one")
    line = StatusLine(sys.stderr) if sys.stderr.isatty() else None
    logger = Logger(log_level or ("info" if line is None else "warning"), line)

    def on_start(handle: ClientHandle) -> None:
        on_interrupt(lambda count, which: handle.stop() if count == 1 else handle.abandon())

    try:
        settings = load_config(config)
        password = find_password(settings.server)
        if check:
            typer.echo(f"{config}: good")
            return
        status = run_loop(run_client(settings, password, logger, line=line, started=on_start))
    except ConfigError as error:
        die("ggs", error)
    except (LoginError, OSError) as error:
        die("ggs", error, 1)
    say(status.line())
