"""Compiled kernels come back from disk in a second process and play the same."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from numba.core import config

PROGRAM = """
from fanqi.othello import GAME
from fanqi.search import Control, Limits, Settings, Solve
steps = GAME.prepare()
print(sum(step.cached for step in steps), len(steps))
for objective in ("most", "fewest"):
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=1, objective=objective))
    for limits in (Limits(depth=7), Limits(nodes=20000)):
        print(engine.search(GAME.start().play("f5"), limits, Control(), lambda info: None).infos[0].pv)
    late = GAME.parse("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X")
    print(engine.search(late, Limits(solve=Solve.SCORE), Control(), lambda info: None).infos[0].score_cp)
print(GAME.perft(None, 6))
"""


@pytest.mark.slow
@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_second_process_loads_every_kernel_and_plays_the_same(tmp_path):
    def run():
        environment = dict(os.environ, FANQI_CACHE_DIR=str(tmp_path))
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=500, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    first, second = run(), run()
    cached, steps = map(int, second[0].split())
    assert int(first[0].split()[0]) == 0
    assert cached == steps
    assert first[1:] == second[1:]
