"""Fixtures around the fake game."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def load_fakes():
    name = "uci_fake_game"
    if name not in sys.modules:
        path = Path(__file__).with_name("fake_game.py")
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def fakes():
    """The module ``fake_game``."""
    return load_fakes()


@pytest.fixture
def dialogue(fakes):
    """A session with both games loaded."""
    return fakes.Dialogue()
