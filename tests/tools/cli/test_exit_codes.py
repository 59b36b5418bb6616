"""A command says by its exit code that it was interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from fanqi.exit_codes import INTERRUPTED


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of that kind")
def test_an_interrupted_submission_says_so(tmp_path):
    (tmp_path / "in.txt").write_text("a text\n")
    words = ["in.txt", "--kind", "ping", "--out", "out.jsonl", "--broker", "mqtt://127.0.0.1:1", "--log-level", "info"]
    with subprocess.Popen(
        [sys.executable, "-m", "fanqi.cli", "submit", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as submitting:
        try:
            assert submitting.stderr is not None
            assert any("disconnected" in line for line in submitting.stderr)  # by now it listens to signals
            submitting.send_signal(signal.SIGINT)
            assert "interrupted; the same command goes on" in submitting.stderr.read()
            assert submitting.wait() == INTERRUPTED
        finally:
            submitting.kill()
