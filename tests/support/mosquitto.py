"""A real broker for tests: mosquitto, a Debian package."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

ANYBODY = "allow_anonymous true\n"


def mosquitto_binary() -> str:
    """Where mosquitto is; without it the test is skipped, or fails in continuous integration."""
    binary = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if binary is None:
        reason = "mosquitto is not installed (Debian package mosquitto)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return binary


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A broker process on a port of its own; ``settings`` are added to its configuration."""

    def __init__(self, folder: Path, settings: str = ANYBODY, scheme: str = "mqtt") -> None:
        self.binary = mosquitto_binary()
        self.port = free_port()
        self.log = folder / f"mosquitto-{self.port}.log"
        self.config = folder / f"mosquitto-{self.port}.conf"
        user = "user root\n" if os.name == "posix" and os.geteuid() == 0 else ""  # else it could not read our files
        self.config.write_text(f"{user}listener {self.port} 127.0.0.1\nmax_packet_size 8388608\n{settings}")
        self.address = f"{scheme}://localhost:{self.port}"
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.binary, "-c", str(self.config)], stdout=log, stderr=log)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(self.log.read_text()[-2000:])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
