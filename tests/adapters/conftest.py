"""The fake game of the session tests, and a server that runs it."""

from __future__ import annotations

import importlib.util
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
