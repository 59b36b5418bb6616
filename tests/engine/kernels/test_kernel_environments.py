"""Kernels in other surroundings, each in a process of its own: other processors, and caches that are damaged, full,
read-only, somebody else's, or filled by two at once."""

from __future__ import annotations

import functools
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from fanqi.kernels.cache import cache_problem
from fanqi.kernels.file import write_kernel

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
    write_demo(tmp_path)
    return functools.partial(start_demo, tmp_path)


def write_demo(folder: Path) -> None:
    (folder / "demo_kernels").mkdir()
    (folder / "demo_kernels" / "__init__.py").write_text(DEMO)


def start_demo(folder: Path, **variables: str | None) -> subprocess.Popen[str]:
    path = os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))
    return python("import demo_kernels", PYTHONPATH=path, **variables)


def python(code: str, **variables: str | None) -> subprocess.Popen[str]:
    """A process with a cache of its own."""
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    environment = {name: value for name, value in (inherited | variables).items() if value is not None}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def said(process: subprocess.Popen[str]) -> str:
    """What it printed, when it had nothing to say on stderr."""
    text, complaints = told(process)
    assert complaints == []
    return text


def told(process: subprocess.Popen[str]) -> tuple[str, list[str]]:
    """What it printed, and the lines on stderr."""
    text, complaints = process.communicate(timeout=600)
    assert process.returncode == 0, complaints
    return text, complaints.splitlines()


def kernel_file(folder: Path, name: str = "package.answer") -> Path:
    """The one file of a kernel."""
    (path,) = folder.rglob(f"{name}-*")
    return path


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
    folder.mkdir(0o755)
    text, complaints = told(demo(FANQI_CACHE_DIR=unwritable(folder)))
    assert text.startswith("41 42 False False the kernel cache ")
    assert "cannot be written" in text
    assert complaints == [f"fanqi: {text.split(maxsplit=4)[4].strip()}"]


def test_a_full_cache_that_cannot_be_written_is_read(demo, filled, tmp_path):
    before = files_of(filled)
    at_start(
        tmp_path,
        """
        import tempfile
        def refuse(*arguments, **options):
            raise PermissionError(13, "Permission denied")
        tempfile.TemporaryFile = refuse
        """,
    )
    text = said(demo(FANQI_CACHE_DIR=str(filled)))
    assert text.startswith("41 42 True the kernel cache ")
    assert files_of(filled) == before


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


def at_start(folder: Path, code: str) -> None:
    """Have every process of `demo` run this first."""
    (folder / "sitecustomize.py").write_text(textwrap.dedent(code))


@pytest.fixture(scope="module")
def whole_cache(tmp_path_factory):
    """A cache that has the kernels of `demo`."""
    folder = tmp_path_factory.mktemp("whole")
    write_demo(folder)
    said(start_demo(folder, FANQI_CACHE_DIR=str(folder / "cache")))
    return folder / "cache"


@pytest.fixture
def filled(whole_cache, tmp_path):
    """A copy of it, with nothing but the contents of files the same."""
    return Path(shutil.copytree(whole_cache, tmp_path / "cache", copy_function=shutil.copy))


def test_a_cache_that_was_copied_elsewhere_is_used_there(demo, filled):
    assert said(demo(FANQI_CACHE_DIR=str(filled))).strip() == "41 42 True"


@pytest.mark.parametrize("damage", ["emptied", "cut", "altered"])
def test_a_damaged_kernel_is_named_compiled_and_written_anew(demo, filled, damage):
    path = kernel_file(filled)
    data = path.read_bytes()
    altered = data[:-2000] + bytes([data[-2000] ^ 4]) + data[-1999:]
    path.write_bytes({"emptied": b"", "cut": data[: len(data) // 2], "altered": altered}[damage])
    text, complaints = told(demo(FANQI_CACHE_DIR=str(filled)))
    assert text.strip() == "41 42 False"
    assert complaints == [f"fanqi: the kernel file {path} is damaged: it is compiled and written anew"]
    assert said(demo(FANQI_CACHE_DIR=str(filled))).strip() == "41 42 True"


def test_the_code_of_another_kernel_is_not_taken_for_ones_own(demo, filled):
    path = kernel_file(filled)
    path.write_bytes(kernel_file(filled, "package.other_answer").read_bytes())
    text, complaints = told(demo(FANQI_CACHE_DIR=str(filled)))
    assert text.strip() == "41 42 False"
    assert [complaint.partition(": it is")[0] for complaint in complaints] == [
        f"fanqi: the kernel file {path} is the file of another kernel"
    ]


def test_what_is_whole_and_still_cannot_be_used_is_a_miss_too(demo, filled):
    path = kernel_file(filled)
    length = int.from_bytes(path.read_bytes()[47:51], "little")
    write_kernel(path, path.read_bytes()[51 : 51 + length].decode(), pickle.dumps(("no", "kernel")))
    text, complaints = told(demo(FANQI_CACHE_DIR=str(filled)))
    assert text.strip() == "41 42 False"
    (complaint,) = complaints
    assert f"{path} cannot be used (TypeError: " in complaint
    assert said(demo(FANQI_CACHE_DIR=str(filled))).strip() == "41 42 True"


@pytest.mark.skipif(os.name != "posix", reason="pipes in the file system")
@pytest.mark.parametrize("thing", ["directory", "pipe", "link to nothing"])
def test_what_is_no_file_is_a_miss_and_nothing_waits_for_it(demo, filled, thing):
    path = kernel_file(filled)
    path.unlink()
    if thing == "directory":
        path.mkdir()
    elif thing == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("gone")
    text, complaints = told(demo(FANQI_CACHE_DIR=str(filled)))
    assert text.startswith("41 42 False")
    if thing == "link to nothing":
        assert complaints == []
    else:
        assert complaints[0] == f"fanqi: the kernel file {path} is not a regular file: it is compiled and written anew"
    if thing != "directory":
        assert said(demo(FANQI_CACHE_DIR=str(filled))).strip() == "41 42 True"


FOREIGN_UID = 12345


def give_away(path: Path, start_folder: Path) -> None:
    """Have a path belong to another user than the processes of `demo` run as."""
    if os.geteuid() == 0:
        os.chown(path, FOREIGN_UID, FOREIGN_UID)
    else:
        at_start(start_folder, f"import os; os.geteuid = lambda: {FOREIGN_UID}")


@pytest.mark.skipif(os.name != "posix", reason="owners and modes")
@pytest.mark.parametrize(
    ("level", "way"),
    [
        ("the root", "of another user"),
        ("the root", "writable by the group"),
        ("a package", "writable by all"),
        ("a module", "of another user"),
        ("a module", "writable by all"),
    ],
)
def test_a_folder_that_others_could_have_filled_is_neither_read_nor_written(demo, filled, tmp_path, way, level):
    path = kernel_file(filled)
    before = path.read_bytes()
    folder = {"the root": filled, "a package": path.parents[1], "a module": path.parent}[level]
    if way == "of another user":
        give_away(folder, tmp_path)
    else:
        folder.chmod(0o775 if way == "writable by the group" else 0o777)
    text, complaints = told(demo(FANQI_CACHE_DIR=str(filled)))
    assert text.startswith("41 42 False False")
    (complaint,) = complaints
    assert complaint.startswith("fanqi: the kernel cache ")
    reason = "belongs to another user (uid " if way == "of another user" else "can be written by other users (mode 7"
    assert reason in complaint
    assert complaint.endswith("set FANQI_CACHE_DIR to a directory that only you can write")
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="owners and modes")
@pytest.mark.parametrize("way", ["of another user", "writable by all"])
def test_a_file_that_others_could_have_written_is_replaced_by_one_of_ours(demo, filled, way):
    path = kernel_file(filled)
    if way == "of another user" and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    if way == "of another user":
        os.chown(path, FOREIGN_UID, FOREIGN_UID)
    else:
        path.chmod(0o666)
    text, complaints = told(demo(FANQI_CACHE_DIR=str(filled)))
    assert text.strip() == "41 42 False"
    (complaint,) = complaints
    assert f"the kernel file {path} " in complaint
    assert path.stat().st_uid == os.geteuid()
    assert path.stat().st_mode & 0o022 == 0
    assert said(demo(FANQI_CACHE_DIR=str(filled))).strip() == "41 42 True"


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_a_cache_made_under_any_umask_is_trusted_by_the_next_process(demo, tmp_path):
    folder = tmp_path / "cache"
    at_start(tmp_path, "import os; os.umask(0)")
    said(demo(FANQI_CACHE_DIR=str(folder)))
    assert said(demo(FANQI_CACHE_DIR=str(folder))).strip() == "41 42 True"


def test_a_disk_that_fills_while_compiling_costs_one_line_and_leaves_no_parts_of_files(demo, tmp_path):
    folder = tmp_path / "cache"
    at_start(
        tmp_path,
        """
        import errno, os
        def fdopen(descriptor, mode, real=os.fdopen):
            file = real(descriptor, mode)
            if mode == "wb":
                class Full:
                    def __enter__(self): return self
                    def __exit__(self, *error): file.close()
                    def write(self, data):
                        file.write(data[:100])
                        raise OSError(errno.ENOSPC, "No space left on device")
                return Full()
            return file
        os.fdopen = fdopen
        """,
    )
    text, complaints = told(demo(FANQI_CACHE_DIR=str(folder)))
    assert text.startswith("41 42 False False")
    (complaint,) = complaints
    assert complaint.startswith(f"fanqi: the kernel cache {folder} cannot be written (No space left on device): ")
    assert files_of(folder) == []
    at_start(tmp_path, "")
    said(demo(FANQI_CACHE_DIR=str(folder)))
    assert said(demo(FANQI_CACHE_DIR=str(folder))).strip() == "41 42 True"


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_process_that_is_killed_while_it_writes_leaves_nothing_that_is_taken_for_a_kernel(demo, tmp_path):
    folder = tmp_path / "cache"
    at_start(
        tmp_path,
        """
        import pathlib, os, signal
        pathlib.Path.replace = lambda self, target: os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    process = demo(FANQI_CACHE_DIR=str(folder))
    process.communicate(timeout=600)
    assert process.returncode == -signal.SIGKILL
    (part,) = folder.rglob("*.tmp")
    os.utime(part, (0, 0))  # long ago
    at_start(tmp_path, "")
    assert said(demo(FANQI_CACHE_DIR=str(folder))).strip() == "41 42 False False"
    assert not part.exists()
    assert said(demo(FANQI_CACHE_DIR=str(folder))).strip() == "41 42 True"


def test_another_processor_has_kernels_of_its_own_in_the_same_cache(demo, tmp_path):
    folder = str(tmp_path / "cache")
    said(demo(FANQI_CACHE_DIR=folder))
    assert said(demo(FANQI_CACHE_DIR=folder, NUMBA_CPU_NAME="generic")).strip() == "41 42 False False"
    for variables in ({}, {"NUMBA_CPU_NAME": "generic"}):
        assert said(demo(FANQI_CACHE_DIR=folder, **variables)).strip() == "41 42 True"


def test_code_made_with_other_settings_of_numba_is_not_used(demo, tmp_path):
    folder = str(tmp_path / "cache")
    said(demo(FANQI_CACHE_DIR=folder, NUMBA_OPT="0"))
    assert said(demo(FANQI_CACHE_DIR=folder)).strip() == "41 42 False False"


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
