"""Positions to test on, and the slow reference the kernels are compared with."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path

import numpy as np
import pytest

from fanqi.othello import Position

DATA = Path(__file__).parents[2] / "data" / "othello"


def load_reference():
    spec = importlib.util.spec_from_file_location("othello_reference", Path(__file__).with_name("reference.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_games(count: int, seed: int) -> list[list[Position]]:
    """Random games from the start position, every position of each, passes and the end included."""
    chooser = random.Random(seed)
    games = []
    for _ in range(count):
        position = Position()
        games.append([position])
        while moves := position.legal_moves():
            position = position.play(chooser.choice(moves))
            games[-1].append(position)
    return games


def random_boards(count: int, seed: int) -> list[tuple[int, int]]:
    """Boards filled at random at random densities: most cannot be reached by play, all must be understood."""
    chooser = random.Random(seed)
    boards = []
    for _ in range(count):
        filled, black = chooser.random(), chooser.random()
        own = opp = 0
        for square in range(64):
            if chooser.random() < filled:
                if chooser.random() < black:
                    own |= 1 << square
                else:
                    opp |= 1 << square
        boards.append((own, opp))
    return boards


@pytest.fixture(autouse=True)
def wrapping_words():
    """Uncompiled, hashing overflows numpy's words on purpose."""
    with np.errstate(over="ignore"):
        yield


@pytest.fixture(scope="session")
def reference():
    return load_reference()


@pytest.fixture(scope="session")
def data():
    return DATA


@pytest.fixture(scope="session")
def rule_vectors():
    return json.loads((DATA / "rules.json").read_text())


@pytest.fixture(scope="session")
def games():
    return random_games(60, seed=1)


@pytest.fixture(scope="session")
def boards():
    return random_boards(3000, seed=2)
