"""`fanqi broker`: a small MQTT broker for one machine."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from fanqi.cli.connection import ListenHost, on_interrupt
from fanqi.command_line import die, say
from fanqi.event_loop import run_loop

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@app.command()
def broker(
    host: ListenHost = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port.")] = 1883,
) -> None:
    """Run a small MQTT broker, for one machine and for trying out; Ctrl-C ends it.

    It asks nobody for a password and keeps nothing over a restart. For several machines use mosquitto, as
    docs/workers.md shows. Needs the extra "broker", which `make match` installs;
    elsewhere, in a clone: python3 -m pip install ".[broker]".

    \b
    Example: fanqi broker
    Example: fanqi worker --broker mqtt://127.0.0.1
    """
    from fanqi.mqtt import LinkError

    if host not in LOOPBACK:
        say(f"fanqi broker: warning: anybody who reaches {host} can take part; no password is asked")
    try:
        run_loop(serve(host, port))
    except LinkError as error:
        die("broker", error, 1)


async def serve(host: str, port: int) -> None:
    """Serve until interrupted."""
    from fanqi.mqtt.embedded import embedded_broker

    stop = asyncio.Event()
    on_interrupt(lambda count, which: stop.set())
    async with embedded_broker(host, port):
        shown = f"[{host}]" if ":" in host else host
        say(f"mqtt://{shown}:{port} is there; Ctrl-C ends it")
        await stop.wait()
