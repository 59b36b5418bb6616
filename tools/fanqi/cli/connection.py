"""Options by which a command finds its broker and proves who it is, and what to do when interrupted."""

from __future__ import annotations

import asyncio
import functools
import inspect
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanqi.game import quoted
from fanqi.peers import is_host

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.mqtt import BrokerAddress

__all__ = [
    "ListenHost",
    "Login",
    "MetricsHost",
    "MetricsPort",
    "on_interrupt",
    "with_login",
]

MetricsPort = Annotated[int | None, typer.Option(min=0, max=65535, help="Serve /metrics and /healthz on this port.")]


def known_host(text: str) -> str:
    """An address to listen on; an empty one is all there are."""
    if text and not is_host(text):
        raise typer.BadParameter(f"{quoted(text)} is not the name of a host")
    return text


ListenHost = Annotated[str, typer.Option(help="Address to listen on.", callback=known_host)]
MetricsHost = Annotated[str, typer.Option(help="Address for the metrics.", callback=known_host)]


@dataclass(frozen=True, slots=True)
class Login:
    """How a command proves who it is, from the options of `with_login`."""

    user: str | None
    password_file: Path | None
    ca: Path | None
    certificate: Path | None
    key: Path | None
    insecure: bool

    def address(self, broker: str) -> BrokerAddress:
        """The broker as it was given, with everything that is needed to talk to it.

        Raises:
            AddressError: it cannot be read, or a file cannot.
        """
        from fanqi.mqtt import complete_address

        return complete_address(
            broker,
            user=self.user,
            password_file=self.password_file,
            ca=self.ca,
            certificate=self.certificate,
            key=self.key,
            verify=not self.insecure,
        )


def login_options(
    user: Annotated[str | None, typer.Option(help="User name; else from the address or FANQI_MQTT_USER.")] = None,
    password_file: Annotated[
        Path | None, typer.Option(help="File with the password, readable by nobody else; or set FANQI_MQTT_PASSWORD.")
    ] = None,
    ca: Annotated[Path | None, typer.Option(help="Certificates to trust for mqtts://, or FANQI_MQTT_CA.")] = None,
    certificate: Annotated[
        Path | None, typer.Option("--cert", help="Our own certificate, if the broker wants one.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="Key of our own certificate.")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Take any certificate. Anybody can listen then.")
    ] = False,
) -> Login:
    """The options that every command with a broker has."""
    return Login(user, password_file, ca, certificate, key, insecure)


def with_login(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the `login_options` in the place of its parameter ``login``, which gets the `Login`."""
    shared = inspect.signature(login_options, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.parameters.items():
        parameters += shared.values() if name == "login" else [parameter]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        login = login_options(**{name: given.pop(name) for name in shared})
        command(**given, login=login)

    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


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
