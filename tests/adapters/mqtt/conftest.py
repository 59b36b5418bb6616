"""Makes the helpers of these tests importable, and starts brokers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

for folder in (Path(__file__).parent, Path(__file__).parents[2] / "support"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


@pytest.fixture
def mosquitto(tmp_path):
    """Starts brokers: ``mosquitto(settings, scheme)``."""
    from mosquitto import Mosquitto

    brokers = []

    def start(*arguments):
        brokers.append(Mosquitto(tmp_path, *arguments))
        return brokers[-1]

    yield start
    for broker in brokers:
        broker.kill()
