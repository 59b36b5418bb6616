"""Kernels in other surroundings: caches that cannot be written, or that two processes fill, and other processors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fanqi.kernels.cache import cache_problem

DEMO = """
import sys
from fanqi.kernels import cache_problem, compile_kernels, kernel

@kernel
def helper(value):
    return value * 2

@kernel("int64(int64)")
def answer(value):
    return helper(value) + 1

@kernel("int64(int64)", inner=True)
def other_answer(value):
    return helper(value) + 2

steps = compile_kernels("demo_kernels")
print(answer(20), other_answer(20), *(step.cached for step in steps), cache_problem() or "")
"""


@pytest.fixture
def demo(tmp_path):
    """Starts a process that compiles two small kernels; extra environment variables, None to leave one out."""
    (tmp_path / "demo_kernels").mkdir()
    (tmp_path / "demo_kernels" / "__init__.py").write_text(DEMO)

    def start(**variables):
        path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
        return python("import demo_kernels", PYTHONPATH=path, **variables)

    return start


def python(code: str, **variables: str | None) -> subprocess.Popen[str]:
    """A process with a cache of its own."""
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    environment = {name: value for name, value in (inherited | variables).items() if value is not None}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> str:
    text, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return text


def files_of(folder: Path) -> list[str]:
    """What is in a cache, the times of files left out."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def unwritable(folder: Path) -> str:
    """The folder, made read-only; to root nothing is, so for root its like below a file system that is."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        return str(folder)
    if not Path("/proc/self").is_dir():
        pytest.skip("root may write everywhere, and there is no /proc")
    return "/proc/self"


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_a_cache_that_cannot_be_written_costs_time_and_nothing_else(demo, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    text = said(demo(FANQI_CACHE_DIR=unwritable(folder)))
    assert text.startswith("41 42 False False the kernel cache ")
    assert "cannot be written" in text


def test_a_full_cache_that_cannot_be_written_is_read(demo, tmp_path):
    folder = tmp_path / "cache"
    said(demo(FANQI_CACHE_DIR=str(folder)))
    before = files_of(folder)
    (tmp_path / "sitecustomize.py").write_text(
        "import tempfile\n"
        "def refuse(*arguments, **options):\n"
        "    raise PermissionError(13, 'Permission denied')\n"
        "tempfile.TemporaryFile = refuse\n"
    )
    text = said(demo(FANQI_CACHE_DIR=str(folder)))
    assert text.startswith("41 42 True the kernel cache ")
    assert files_of(folder) == before


def test_without_a_home_there_is_a_cache_all_the_same(demo, tmp_path):
    text = said(demo(HOME=None, FANQI_CACHE_DIR=None, NUMBA_CACHE_DIR=None, XDG_CACHE_HOME=str(tmp_path / "xdg")))
    assert text.startswith("41 42 False False")
    assert files_of(tmp_path / "xdg")


def test_nobody_without_a_home_gets_a_folder_called_tilde(monkeypatch, tmp_path):
    for name in ("FANQI_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for a user without an entry and without HOME
    monkeypatch.chdir(tmp_path)
    problem = cache_problem.__wrapped__()
    assert problem.startswith("there is no home directory for the kernel cache ~")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("times", range(3))
def test_two_processes_that_fill_a_cache_at_once_leave_a_whole_one(demo, tmp_path, times):
    folder = str(tmp_path / "cache")
    both = [demo(FANQI_CACHE_DIR=folder) for _ in range(2)]
    assert all(said(process).startswith("41 42 ") for process in both)
    assert said(demo(FANQI_CACHE_DIR=folder)).strip() == "41 42 True"
    assert not [name for name in files_of(tmp_path / "cache") if ".tmp" in name]


OTHELLO = """
from fanqi.game import load_game
from fanqi.search import Control, Limits, Settings
othello = load_game("othello")
steps = othello.prepare()
position = othello.start()
for move in "f5 d6 c3 d3 c4 f4 f6".split():
    position = position.play(move)
engine = othello.engine()
engine.configure(Settings(hash_mib=1))
control = Control()
result = engine.search(position, Limits(depth=8), control, lambda info: None)
control.close()
last = result.infos[-1]
print(othello.perft(None, 6), result.move, last.score_cp, last.nodes, *last.pv)
print(sum(step.cached for step in steps), "of", len(steps))
"""


@pytest.fixture(scope="module")
def usual():
    """What this processor answers, with the cache that is there."""
    return said(python(OTHELLO)).splitlines()[0]


def test_the_portable_kernels_give_the_same_answers(usual, tmp_path):
    assert said(python(OTHELLO, FANQI_KERNELS="portable", FANQI_CACHE_DIR=str(tmp_path))).splitlines()[0] == usual


def test_two_processes_on_a_processor_without_extensions_give_the_same_answers_and_leave_a_whole_cache(usual, tmp_path):
    plain = {"NUMBA_CPU_NAME": "generic", "FANQI_CACHE_DIR": str(tmp_path)}
    both = [python(OTHELLO, **plain) for _ in range(2)]
    assert [said(process).splitlines()[0] for process in both] == [usual] * 2
    answer, cached = said(python(OTHELLO, **plain)).splitlines()
    assert answer == usual
    assert cached.split()[0] == cached.split()[2]
