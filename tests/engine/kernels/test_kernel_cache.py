"""The kernel cache: its place, its key, and what happens where it cannot be."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import config

from fanqi.kernels import cache, compile_kernels, is_compiled, registry, sources
from fanqi.kernels.mode import kernel_mode


@pytest.fixture(autouse=True)
def forget_cached_answers():
    forget()
    yield
    forget()


def forget():
    """Read the sources again, as a new process would."""
    for answer in (
        sources.listing,
        sources.source_file,
        sources.source,
        sources.words,
        sources.direct_imports,
        sources.import_closure,
        sources.closure_digest,
    ):
        answer.cache_clear()
    cache.cache_directory.cache_clear()
    cache.cache_problem.cache_clear()
    cache.cache_refusal.cache_clear()
    cache.folder_refusal.cache_clear()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An imported package: ``kernels`` imports ``rules``, which imports ``deep.constant`` inside a function."""
    folder = tmp_path / "cached_package"
    (folder / "deep").mkdir(parents=True)
    for name, text in {
        "__init__": "",
        "kernels": "from cached_package.rules import (\n    A,\n)\n",
        "rules": "def A():\n    from cached_package.deep import constant\n",
        "deep/__init__": "",
        "deep/constant": "B = 1\n",
        "player": "from cached_package import kernels\n",
    }.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("cached_package")
    yield folder
    del sys.modules["cached_package"]


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


@pytest.mark.parametrize("name", ["kernels", "rules", "deep/constant"])
def test_digest_changes_with_one_byte_of_any_module_it_imports(package, name):
    before = sources.closure_digest("cached_package.kernels")
    with (package / f"{name}.py").open("a") as file:
        file.write("#")
    forget()
    assert sources.closure_digest("cached_package.kernels") != before


def test_digest_is_the_same_after_a_change_of_what_it_does_not_import(package):
    before = sources.closure_digest("cached_package.kernels")
    (package / "player.py").write_text("")
    (package / "new.py").write_text("")
    forget()
    assert sources.closure_digest("cached_package.kernels") == before


def test_every_import_of_a_kernel_module_is_in_its_closure():
    import fanqi.banqi.search
    import fanqi.othello.midgame.search

    for module in (fanqi.othello.midgame.search, fanqi.banqi.search):
        used = {getattr(value, "__module__", None) for value in vars(module).values()}
        ours = {name for name in used if isinstance(name, str) and name.startswith("fanqi.")}
        assert ours <= set(sources.import_closure(module.__name__))


def test_digest_depends_on_the_kernel_mode(package, monkeypatch):
    vector = sources.closure_digest("cached_package.kernels")
    forget()
    monkeypatch.setenv("FANQI_KERNELS", "portable")
    assert sources.closure_digest("cached_package.kernels") != vector


def test_unknown_kernel_mode_is_named(monkeypatch):
    monkeypatch.setenv("FANQI_KERNELS", "quantum")
    with pytest.raises(ValueError, match="quantum"):
        kernel_mode()


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


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_a_package_is_compiled_when_its_kernels_were_all_kept(monkeypatch, tmp_path):
    import fanqi.othello.moves  # noqa: F401  registers kernels

    monkeypatch.setenv("FANQI_CACHE_DIR", str(tmp_path))
    first = next(entry for entry in registry._registry if entry.module == "fanqi.othello.moves")
    monkeypatch.setattr(registry, "_registry", [first])
    assert is_compiled("fanqi.banqi")  # it has no kernels here
    assert not is_compiled("fanqi.othello")
    compile_kernels("fanqi.othello")
    assert is_compiled("fanqi.othello")
