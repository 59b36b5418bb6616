"""Hosts that cannot be found are named by whoever was to listen there."""

from __future__ import annotations

import asyncio
import io
import json
import socket
from typing import TYPE_CHECKING

import pytest

from fanqi.ggs_server import GgsServer, ServerSettings
from fanqi.logs import Logger
from fanqi.metrics import Health, serve_metrics
from fanqi.peers import naming_host
from fanqi.tcp import ServerConfig
from fanqi.tcp.server import serve_until_told

if TYPE_CHECKING:
    from typing import NoReturn

SAID = "host 'nowhere.invalid': Name or service not known"


@pytest.fixture(autouse=True)
def _no_name_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(host: object, *arguments: object, **named: object) -> NoReturn:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def test_other_errors_stay_as_they_are() -> None:
    error = OSError("the address is in use")
    with pytest.raises(OSError, match="in use") as caught, naming_host("nowhere.invalid"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    "config",
    [
        ServerConfig(host="nowhere.invalid", port=0, preload=()),
        ServerConfig(host="", port=0, preload=(), metrics=("nowhere.invalid", 0)),
    ],
)
def test_the_server_names_the_host_of_either_port(config: ServerConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    if not config.host:  # only the other name is unknown
        monkeypatch.setattr("fanqi.tcp.server.Server.start", lambda self: asyncio.sleep(0))
    log = io.StringIO()
    assert asyncio.run(serve_until_told(config, Logger("error", log))) == 1
    assert json.loads(log.getvalue())["reason"] == SAID


def test_so_does_the_ggs_server() -> None:
    async def listen() -> None:
        async with GgsServer(ServerSettings(host="nowhere.invalid", port=0)):
            pass

    with pytest.raises(socket.gaierror) as caught:
        asyncio.run(listen())
    assert caught.value.strerror == SAID


def test_so_do_metrics() -> None:
    async def listen() -> None:
        async with serve_metrics("nowhere.invalid", 0, list, lambda: Health(good=True)):
            pass

    with pytest.raises(socket.gaierror) as caught:
        asyncio.run(listen())
    assert caught.value.strerror == SAID
