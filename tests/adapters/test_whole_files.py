"""A file that is replaced is there as it was, or as it is to be, and never in between."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from fanqi.files import write_whole


def test_a_file_is_replaced(tmp_path):
    path = tmp_path / "games"
    for data in (b"old", b"new and longer"):
        write_whole(path, data)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_on_a_full_disk_the_old_file_stays_and_the_error_names_it(tmp_path, monkeypatch):
    def write_some(path, data):
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "games"
    path.write_bytes(b"old")
    monkeypatch.setattr(Path, "write_bytes", write_some)
    with pytest.raises(OSError, match="No space left") as refusal:
        write_whole(path, b"new")
    assert refusal.value.filename == str(path)
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])


def test_a_folder_that_is_not_there_is_an_error_of_its_kind(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "nowhere" / "games", b"")


def test_an_error_is_about_the_file_even_where_nothing_can_be_cleared_away(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError) as refusal:
        write_whole(tmp_path / "file" / "games", b"")
    assert refusal.value.filename == str(tmp_path / "file" / "games")


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="descriptors have no paths here")
def test_a_device_or_pipe_is_written_to_and_not_replaced():
    reading, writing = os.pipe()
    try:
        write_whole(Path(f"/dev/fd/{writing}"), b"games")
        assert os.read(reading, 100) == b"games"
    finally:
        os.close(reading)
        os.close(writing)


def test_a_link_stays_a_link(tmp_path):
    path, link = tmp_path / "games", tmp_path / "latest"
    path.write_bytes(b"old")
    link.symlink_to(path.name)
    write_whole(link, b"new")
    assert (link.is_symlink(), path.read_bytes()) == (True, b"new")


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, replace = tmp_path / ("局" * 85), Path.replace

    def after_another(temporary: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", replace)
        write_whole(path, b"second")
        return replace(temporary, target)

    monkeypatch.setattr(Path, "replace", after_another)
    write_whole(path, b"first")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]
