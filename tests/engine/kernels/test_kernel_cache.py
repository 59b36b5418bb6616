"""The kernel cache: its place, its key, and what happens where it cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fanqi.kernels import cache


@pytest.fixture(autouse=True)
def forget_cached_answers():
    cache.source_digest.cache_clear()
    cache.cache_problem.cache_clear()
    yield
    cache.source_digest.cache_clear()
    cache.cache_problem.cache_clear()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one module on the path, its name and its file."""
    folder = tmp_path / "cached_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("ANSWER = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_root_is_the_variable_when_it_is_set(monkeypatch, tmp_path):
    monkeypatch.delenv("FANQI_CACHE_DIR", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert cache.cache_root() == tmp_path / "numba"
    monkeypatch.setenv("FANQI_CACHE_DIR", str(tmp_path / "ours"))
    assert cache.cache_root() == tmp_path / "ours"


def test_root_is_never_inside_the_package(monkeypatch):
    monkeypatch.delenv("FANQI_CACHE_DIR", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert Path(cache.__file__).parent not in cache.cache_root().parents


def test_digest_changes_with_one_byte_of_any_source(package):
    before = cache.source_digest("cached_package")
    (package / "__init__.py").write_text("ANSWER = 2\n")
    cache.source_digest.cache_clear()
    changed = cache.source_digest("cached_package")
    (package / "deep").mkdir()
    (package / "deep" / "more.py").write_text("")
    cache.source_digest.cache_clear()
    grown = cache.source_digest("cached_package")
    assert len({before, changed, grown}) == 3


def test_digest_depends_on_the_kernel_mode(package, monkeypatch):
    vector = cache.source_digest("cached_package")
    cache.source_digest.cache_clear()
    monkeypatch.setenv("FANQI_KERNELS", "portable")
    assert cache.source_digest("cached_package") != vector


def test_unknown_kernel_mode_is_named(monkeypatch):
    monkeypatch.setenv("FANQI_KERNELS", "quantum")
    with pytest.raises(ValueError, match="quantum"):
        cache.kernel_mode()


def test_unwritable_root_is_one_sentence_that_names_the_remedy(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("FANQI_CACHE_DIR", str(blocked / "below"))
    problem = cache.cache_problem()
    assert problem is not None
    assert str(blocked) in problem
    assert "FANQI_CACHE_DIR" in problem


KERNEL_MODULE = """
import sys
from fanqi.kernels import compile_kernels, kernel

@kernel
def helper(value):
    return value * 2

@kernel("int64(int64)")
def answer(value):
    return helper(value) + 1

(step,) = compile_kernels("demo_kernels")
print(answer(20), step.cached)
"""


@pytest.mark.parametrize("writable", [True, False])
def test_a_second_process_takes_the_kernel_from_the_cache(tmp_path, writable):
    (tmp_path / "demo_kernels").mkdir()
    (tmp_path / "demo_kernels" / "__init__.py").write_text(KERNEL_MODULE)
    if not writable:
        (tmp_path / "cache").write_text("a file, not a directory")
    environment = os.environ | {"FANQI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    outputs = [
        subprocess.run(
            [sys.executable, "-c", "import demo_kernels"],
            env=environment, capture_output=True, text=True, check=True, timeout=120,
        ).stdout.split()
        for _ in range(2)
    ]  # fmt: skip
    assert outputs == [["41", "False"], ["41", str(writable)]]
