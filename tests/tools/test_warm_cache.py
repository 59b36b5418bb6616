"""After `fanqi warmup` no command compiles anything: counted in all processes that a command starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COUNT = """
import os
from numba.core import event
class Compilations(event.Listener):
    def on_start(self, happened):
        function = happened.data["dispatcher"].py_func
        with open(os.environ["COMPILED"], "a") as file:
            file.write(f"{function.__module__}.{function.__qualname__}\\n")
    def on_end(self, happened):
        pass
event.register("numba:compile", Compilations())
"""
"""A ``sitecustomize`` that writes down what numba compiles; what it takes from the cache is no such event."""

SELFPLAY = """
from fanqi.jobs.context import Context
from fanqi.jobs.selfplay import selfplay
from fanqi.jobs.selfplay_check import check_selfplay
from fanqi.mqtt.work import Selfplay
for game in ("othello", "banqi"):
    context = Context()
    context.begin(1, 16)
    work = Selfplay(game=game, games=2, seed=5, depth=2, exact=4)
    result = selfplay(work, context)
    check_selfplay(work, result)
    print(result.games, "games")
"""
CLI = ("-m", "fanqi.cli")
ENGINE = (*CLI, "engine", "--think", "depth 3", "--dialect")
OTHELLO = "position startpos moves f5 d6\nisready\ngo depth 4\ngo perft 3\nquit\n"
REVERSI = "setoption name Rules value rules=1890\nisready\ngo depth 2\nquit\n"
BANQI = "setoption name UCI_Variant value banqi\nisready\nposition startpos moves b2=K b3=p\ngo depth 2\nquit\n"
START = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + "X"
CASSIO = f"ENGINE-PROTOCOL init\nENGINE-PROTOCOL midgame-search {START} -64 64 5 73\n"


@pytest.fixture(scope="module")
def warm():
    subprocess.run([sys.executable, *CLI, "warmup"], capture_output=True, timeout=900, check=True)


@pytest.fixture
def compilations(warm, tmp_path):
    """Runs Python with these words and this input; what was compiled."""

    def run(words: tuple[str, ...], given: str, expected: str) -> list[str]:
        (tmp_path / "sitecustomize.py").write_text(COUNT)
        log = tmp_path / "compiled.txt"
        log.touch()
        path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
        done = subprocess.run(
            [sys.executable, *words], input=given, capture_output=True, text=True, timeout=600, check=False,
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": path, "COMPILED": str(log)},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert expected in done.stdout
        return log.read_text().splitlines()

    return run


@pytest.mark.parametrize(
    ("words", "given", "expected"),
    [
        pytest.param((*ENGINE, "uci"), OTHELLO, "bestmove", id="a search of Othello, and perft"),
        pytest.param((*ENGINE, "uci"), REVERSI, "bestmove", id="a search of Reversi"),
        pytest.param((*ENGINE, "uci"), BANQI, "bestmove", id="a search of banqi"),
        pytest.param((*ENGINE, "gtp"), "1 set_game Othello\n2 genmove b\n3 quit\n", "=2 ", id="GTP"),
        pytest.param((*ENGINE, "xboard"), "xboard\nprotover 2\nvariant reversi\ngo\n", "move P@", id="XBoard"),
        pytest.param((*ENGINE, "nboard"), "nboard 2\nset depth 4\ngo\n", "===", id="NBoard"),
        pytest.param((*ENGINE, "cassio"), CASSIO, ", move ", id="Cassio"),
        pytest.param((*ENGINE, "tcga"), "7 reset_board\n12 genmove unknown\n", "=12 ", id="TCGA"),
        pytest.param((*CLI, "perft", "othello", "3"), "", "nodes 56", id="perft of Othello"),
        pytest.param((*CLI, "perft", "banqi", "1"), "", "nodes ", id="perft of banqi"),
        pytest.param((*CLI, "bench", "midgame", "--depth", "4"), "", "f5", id="bench"),
        pytest.param((*CLI, "analyse", "f5d6c3d3c4", "--depth", "3"), "", "d6", id="analyse"),
        pytest.param(("-c", SELFPLAY), "", "2 games\n2 games\n", id="self-play jobs and their check"),
    ],
)
def test_after_a_warmup_nothing_is_compiled(compilations, words, given, expected):
    assert compilations(words, given, expected) == []


def test_what_is_compiled_would_be_counted(compilations):
    code = "import numba; print(numba.njit(lambda number: number + 1)(1))"
    assert compilations(("-c", code), "", "2\n") == ["__main__.<lambda>"]
