"""The four source roots are one namespace package, and the top level is what the README says."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = ("engine", "protocol", "adapters", "tools")


@pytest.mark.parametrize("layer", LAYERS)
def test_no_root_breaks_the_namespace_with_an_init(layer):
    assert (ROOT / layer / "fanqi").is_dir()
    assert not (ROOT / layer / "fanqi" / "__init__.py").exists()
    assert not (ROOT / layer / "__init__.py").exists()


def packages() -> list[Path]:
    return [path for layer in LAYERS for path in (ROOT / layer / "fanqi").iterdir() if (path / "__init__.py").exists()]


def test_every_package_is_typed_and_named_once():
    names = [package.name for package in packages()]
    assert len(names) == len(set(names))
    assert [str(package) for package in packages() if not (package / "py.typed").exists()] == []


def test_every_package_is_held_by_the_layer_contract():
    contract = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.importlinter]")[2]
    assert [package.name for package in packages() if f"fanqi.{package.name}" not in contract] == []
