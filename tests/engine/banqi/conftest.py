"""The test data, the slow reference, and random games to compare on."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path

import pytest

from fanqi.banqi import GAME

DATA = Path(__file__).parents[2] / "data" / "banqi"
PIECES = "KGGMMRRNNCCPPPPPkggmmrrnnccppppp"


def load_reference():
    spec = importlib.util.spec_from_file_location("banqi_reference", Path(__file__).with_name("reference.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_setup(chooser: random.Random) -> str:
    """A position with random men, covers, turn, quiet plies and chase counters; few can be reached."""
    men = chooser.sample(PIECES, chooser.randint(1, 32))
    squares = chooser.sample(range(32), len(men))
    covered = chooser.choice([0, 0, chooser.randint(0, len(men))])
    board, hidden = ["."] * 32, ""
    for place, (square, man) in enumerate(zip(squares, men, strict=True)):
        board[square] = "X" if place < covered else man
        hidden += man if place < covered else ""
    red = [s for s in range(32) if board[s].isupper() and board[s] != "X"]
    black = [s for s in range(32) if board[s].islower()]
    counters = []
    if red and black and chooser.random() < 0.7:
        for own, enemy, colour in ((red, black, "r"), (black, red, "b")):
            chaser = chooser.choice(own)
            for target in chooser.sample(enemy, min(len(enemy), chooser.randint(0, 6))):
                names = ["abcd"[s % 4] + str(s // 4 + 1) for s in (chaser, target)]
                counters.append(f"{colour}:{names[0]}>{names[1]}={chooser.choice((1, 2, 3, 4, 5, 5, 5, 5))}")
                if chooser.random() < 0.2:
                    chaser = chooser.choice(own)
    counters = list({counter.split("=")[0]: counter for counter in counters}.values())
    ranks = "/".join("".join(board[first : first + 4]) for first in range(28, -1, -4))
    quiet = chooser.choice([0, chooser.randint(0, 58), 59])
    return f"{ranks} {hidden or '-'} {chooser.choice('rb')} {quiet} {','.join(counters) or '-'}"


@pytest.fixture(scope="session")
def reference():
    return load_reference().Reference


@pytest.fixture(scope="session")
def vectors():
    return json.loads((DATA / "rules.json").read_text())


@pytest.fixture(scope="session")
def data():
    return DATA


@pytest.fixture(scope="session", autouse=True)
def _kernels():
    GAME.prepare()


@pytest.fixture(scope="session")
def setups():
    """Six thousand random positions."""
    chooser = random.Random(20261009)
    return [random_setup(chooser) for _ in range(6000)]
