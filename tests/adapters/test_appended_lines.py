"""Lines appended to files that are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fanqi.files import append_line


def test_of_a_line_that_the_disk_has_no_room_for_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "games.ggf", os.write
    append_line(path, b"first")
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
        with pytest.raises(OSError, match="No space left on device"):
            append_line(path, b"second")
    append_line(path, b"third")
    assert path.read_bytes() == b"first\nthird\n"
