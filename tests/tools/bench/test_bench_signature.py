"""The node-count signature: it changes with a search, and with nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SIGNATURE = int((Path(__file__).parents[2] / "data" / "bench_signature.txt").read_text())


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fanqi.cli", "bench", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.slow
def test_the_signature_is_the_one_written_down():
    done = bench("--expect", str(SIGNATURE))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"signature {SIGNATURE}"), done.stderr


@pytest.mark.slow
def test_another_signature_than_expected_is_a_failure():
    done = bench("--expect", "1")
    assert done.returncode == 1
    assert "expected signature 1" in done.stderr
