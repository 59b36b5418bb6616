"""Options by which a command finds its broker and proves who it is, and ways to run until interrupted."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

__all__ = [
    "Ca",
    "Certificate",
    "Insecure",
    "Key",
    "MetricsHost",
    "MetricsPort",
    "PasswordFile",
    "User",
    "die",
    "on_interrupt",
    "run_loop",
]

T = TypeVar("T")

User = Annotated[str | None, typer.Option(help="User name; else from the address or FANQI_MQTT_USER.")]
PasswordFile = Annotated[
    Path | None, typer.Option(help="File with the password, readable by nobody else; or set FANQI_MQTT_PASSWORD.")
]
Ca = Annotated[Path | None, typer.Option(help="Certificates to trust for mqtts://, or FANQI_MQTT_CA.")]
Certificate = Annotated[Path | None, typer.Option("--cert", help="Our own certificate, if the broker wants one.")]
Key = Annotated[Path | None, typer.Option(help="Key of our own certificate.")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Take any certificate. Anybody can listen then.")]
MetricsPort = Annotated[int | None, typer.Option(min=0, max=65535, help="Serve /metrics and /healthz on this port.")]
MetricsHost = Annotated[str, typer.Option(help="Address for the metrics.")]


def die(command: str, text: object, code: int = 2) -> NoReturn:
    """End with one line on stderr: 2 for wrong usage, 1 for what went wrong later."""
    typer.echo(f"fanqi {command}: error: {text}", err=True)
    raise typer.Exit(code)


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Run an asyncio program, on uvloop where there is one."""
    factory = None
    if sys.platform != "win32":
        import uvloop

        factory = uvloop.new_event_loop
    else:  # aiomqtt needs the selector loop there
        factory = asyncio.SelectorEventLoop
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)


def on_interrupt(action: Callable[[int, signal.Signals], None]) -> None:
    """Have ``action`` called with how many interrupts there were and which this is, in the running loop."""
    loop = asyncio.get_running_loop()
    count = 0

    def handle(which: signal.Signals) -> None:
        nonlocal count
        count += 1
        action(count, which)

    for which in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(which, lambda number, _: loop.call_soon_threadsafe(handle, signal.Signals(number)))
        else:
            loop.add_signal_handler(which, handle, which)
