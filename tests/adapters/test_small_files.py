"""Files that are read as a whole have an end, and it is near."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fanqi.files import described, read_small
from fanqi.files.small import MOST_BYTES
from fanqi.ggs import ConfigError
from fanqi.ggs import load_config as load_ggs
from fanqi.match.errors import StoreError
from fanqi.match.store import EVALUATION, read_config, read_note
from fanqi.stdio.foreign import read_file
from fanqi.workers.config import load_config as load_worker
from fanqi.workers.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def sparse(path: Path, size: int) -> Path:
    path.touch()
    os.truncate(path, size)
    return path


def test_a_file_of_the_most_bytes_is_read_and_one_of_more_is_not(tmp_path: Path) -> None:
    path = sparse(tmp_path / "some.toml", MOST_BYTES)
    assert len(read_small(path)) == MOST_BYTES
    sparse(path, MOST_BYTES + 1)
    with pytest.raises(OSError, match="larger than 16 MiB") as caught:
        read_small(path)
    assert described(caught.value) == f"{path}: larger than 16 MiB"


@pytest.mark.skipif(os.name != "posix", reason="named pipes are of POSIX")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        read_small(tmp_path / "pipe")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"some\.toml"):
        read_small(tmp_path / "some.toml")


@pytest.mark.parametrize(
    ("name", "read", "error"),
    [
        ("ggs.toml", lambda folder: load_ggs(folder / "ggs.toml"), ConfigError),
        ("worker.toml", lambda folder: load_worker(folder / "worker.toml"), ConfigurationError),
        ("match.json", read_config, StoreError),
        (EVALUATION, lambda folder: read_note(folder, EVALUATION), StoreError),
        ("game.sgf", lambda folder: read_file(str(folder / "game.sgf")), OSError),
    ],
)
def test_whoever_reads_such_a_file_refuses_a_large_one_by_name(
    tmp_path: Path, name: str, read: Callable[[Path], object], error: type[Exception]
) -> None:
    sparse(tmp_path / name, MOST_BYTES + 1)
    with pytest.raises(error, match=rf"{name}.*16 MiB|16 MiB.*{name}"):
        read(tmp_path)
