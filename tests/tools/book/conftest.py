"""A small book to look at, built once."""

from __future__ import annotations

import pytest

from fanqi.book.build import Bounds, Builder
from fanqi.book.judge import SearchSettings


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A path to a book of 150 positions; nobody writes to it."""
    path = tmp_path_factory.mktemp("built") / "small.book"
    with Builder(path, SearchSettings(depth=2)) as builder:
        builder.expand(Bounds(positions=150))
        builder.measure(20, 4)
    return path
