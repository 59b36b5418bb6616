"""The fake game of the session tests, and a server that runs it."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def fakes():
    """The module ``tests/protocol/uci/fake_game.py``."""
    name = "uci_fake_game"
    if name not in sys.modules:
        path = Path(__file__).parents[1] / "protocol" / "uci" / "fake_game.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def player(loop, fakes, **world):
    """A function that runs ``scenario(world)`` on an event loop of a kind."""
    from serving import World

    factory = None
    if loop == "uvloop":
        factory = pytest.importorskip("uvloop", reason="uvloop is not for this platform").new_event_loop

    def run(scenario, **limits):
        async def life():
            async with World(fakes, **world, **limits) as made:
                await scenario(made)

        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(life())

    return run


@pytest.fixture(params=["tcp-asyncio", "tcp-uvloop", "websocket-asyncio", "websocket-uvloop"])
def play(request, fakes):
    """Runs ``scenario(world)`` for clients of each kind on an event loop of each kind."""
    kind, _, loop = request.param.partition("-")
    return player(loop, fakes, websocket=kind == "websocket")


@pytest.fixture(params=["asyncio", "uvloop"])
def play_tcp(request, fakes):
    """The same for clients over TCP only."""
    return player(request.param, fakes)


@pytest.fixture(params=["asyncio", "uvloop"])
def play_websocket(request, fakes):
    """The same for clients over WebSocket only."""
    return player(request.param, fakes, websocket=True)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days",
         "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    return folder / "cert.pem", folder / "key.pem"
