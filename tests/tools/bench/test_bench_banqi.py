"""The banqi bench gives the same node count every time, in every process."""

from __future__ import annotations

import os
import subprocess
import sys

from fanqi.bench.banqi import POSITIONS, BenchRow, bench, signature
from fanqi.cli.bench import show

SCRIPT = "from fanqi.bench.banqi import *; print(*((r.score_cp, r.move, r.nodes) for r in bench(deeper=-3)))"


def test_two_runs_in_one_process_visit_the_same_nodes():
    first, second = (list(bench(deeper=-2)) for _ in range(2))
    assert len(first) == len(POSITIONS) == 10
    assert signature(first) == signature(second) > 10_000
    assert all(row.seconds > 0 and row.nodes_per_second > 0 for row in first)


def test_the_table_says_how_many_men_are_covered_and_how_long_it_took_in_all(capsys):
    rows = [BenchRow(fen, depth, 0, "a1", 1000, 0.5) for depth, fen in POSITIONS]
    assert show(rows, "position") == (10_000, 5.0, 0)
    heading, *lines, total = capsys.readouterr().out.splitlines()
    place = heading.index("covered") + len("covered")
    assert [line[:place].split()[-1] for line in lines[:2] + lines[-1:]] == ["28", "23", "0"]
    assert len({len(heading), len(total), *map(len, lines)}) == 1


def test_a_second_fresh_process_with_the_kernels_of_the_first_prints_the_same(tmp_path):
    environment = dict(os.environ, FANQI_CACHE_DIR=str(tmp_path))
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1] != ""
