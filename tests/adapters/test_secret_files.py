"""Files with passwords: one line, for one reader."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fanqi.files import SecretError, read_secret

if TYPE_CHECKING:
    from pathlib import Path


def test_the_secret_is_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_bytes("wörd \r\nmore\n".encode())
    path.chmod(0o600)
    assert read_secret(path) == "wörd "


@pytest.mark.skipif(os.name != "posix", reason="file modes are of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_that_others_may_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "password"
    path.write_text("secret\n")
    path.chmod(mode)
    with pytest.raises(SecretError, match="others may read it; run chmod 600 on it"):
        read_secret(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\nsecret", "its first line is empty"),
        (b"\xff", "can't decode"),
        (None, "No such file"),
        (b"x" * 5000, "its first line is longer than 4,096 bytes"),
    ],
)
def test_a_file_without_a_secret_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o600)
    with pytest.raises(SecretError, match=said):
        read_secret(path)
