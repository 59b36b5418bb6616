"""What users install: the wheel, in a clean environment, away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path, **kwargs) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    completed = subprocess.run(
        [str(part) for part in command],
        cwd=cwd, env=environment, capture_output=True, text=True, timeout=500, check=False, **kwargs,
    )  # fmt: skip
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("fanqi-*.whl")
    return built


def test_the_wheel_holds_the_namespace_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "fanqi",
        next(n for n in names if "dist-info" in n).split("/")[0],
    }
    assert "fanqi/__init__.py" not in names
    assert [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_installed_command_plays_from_a_clean_environment(wheel, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    binaries = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--constraint", ROOT / "constraints.txt", wheel, cwd=tmp_path)  # fmt: skip
    assert run(binaries / "fanqi", "--version", cwd=tmp_path).startswith("fanqi ")
    for game, first in (("othello", "bestmove "), ("banqi", "bestmove ")):
        answer = run(
            binaries / "fanqi", "engine", cwd=tmp_path,
            input=f"uci\nsetoption name UCI_Variant value {game}\nisready\nposition startpos\ngo depth 1\n",
        )  # fmt: skip
        assert "uciok" in answer
        assert first in answer
