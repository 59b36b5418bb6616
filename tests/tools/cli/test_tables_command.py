"""`fanqi tables` builds, checks and describes, and says what is wrong with a file."""

from __future__ import annotations

import subprocess
import sys


def tables(*words):
    command = [sys.executable, "-m", "fanqi.cli", "tables", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_what_is_built_can_be_described_and_verified(tmp_path):
    file = str(tmp_path / "two.bin")
    built = tables("build", "--men", "2", "--out", file)
    assert built.returncode == 0, built.stderr
    *_, heading, line, last = built.stdout.splitlines()
    assert heading.split() == ["men", "tables", "endgames", "entries", "won", "lost", "longest"]
    assert line.split()[:4] == ["2", "5", "49", "2,560"] and line.split()[-1] == "18"
    assert last.startswith(f"{file}: ") and last.endswith("verified")
    assert tables("info", file).stdout.splitlines() == [heading, line]
    checked = tables("verify", file, "--every", "--jobs", "2")
    assert (checked.returncode, checked.stdout) == (0, "0 faults\n")


def test_the_shipped_tables_are_described():
    done = tables("info")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["2", "3", "4"]
    assert [line.split()[-1] for line in done.stdout.splitlines()[1:]] == ["18", "24", "101"]


def test_a_file_that_is_none_is_one_line_and_exit_code_one(tmp_path):
    (tmp_path / "other.bin").write_bytes(b"something else")
    for words, problem in (
        (("info", str(tmp_path / "other.bin")), "no endgame tables"),
        (("verify", str(tmp_path / "none.bin")), "No such file"),
        (
            ("build", "--men", "2", "--out", str(tmp_path / "none" / "two.bin")),
            f"there is no folder {tmp_path / 'none'}",
        ),
    ):
        done = tables(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert "Traceback" not in done.stderr
        assert done.stderr.splitlines()[-1].startswith("fanqi tables: error: ") and problem in done.stderr
