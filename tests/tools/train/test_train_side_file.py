"""A file of what is done so far goes on for whoever asks for the same, and for nobody else."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fanqi.train.side_file import SideFile, SideFileError

ORIGIN = {"labels": "search", "depth": 8}


def side_file(path, origin=ORIGIN, most=10):
    return SideFile(path, origin, np.int16, most)


@pytest.fixture
def begun(tmp_path):
    """A file of three rows."""
    path = tmp_path / "x.labels"
    with side_file(path).appending(0) as file:
        file.write(np.array([1, 2, 3], np.int16).tobytes())
    return path


def test_rows_come_back_and_more_are_written_behind_them(begun):
    kept = side_file(begun)
    assert kept.rows == 3
    with kept.appending(2) as file:
        file.write(np.array([7, 8], np.int16).tobytes())
    assert side_file(begun).read().tolist() == [1, 2, 7, 8]


def test_the_first_line_says_what_the_rows_follow_from(begun):
    line = begun.read_bytes().partition(b"\n")[0]
    assert json.loads(line) == {"format": "fanqi-rows", "version": 1, **ORIGIN}


@pytest.mark.parametrize("length", [0, 1, 30])
def test_a_file_interrupted_in_its_first_line_is_begun_anew(begun, length):
    whole = begun.read_bytes()
    begun.write_bytes(whole[:length])
    kept = side_file(begun)
    assert kept.rows == 0
    with kept.appending(0):
        pass
    assert begun.read_bytes() == whole[:-6]


def test_all_that_differs_is_named_with_both_values(begun):
    with pytest.raises(SideFileError, match=r"x\.labels: begun with depth 8, by none, but this is depth 6, by me; "):
        side_file(begun, {"labels": "search", "depth": 6, "by": "me"})


@pytest.mark.parametrize(
    "content",
    [
        b"\x02\0\xfe\xff\x06\0",
        b"[" * 60_000 + b"\n",
        b"\n",
        b"12\n",
        b'{"format": "fanqi-rows", "version": 2, "labels": "search", "depth": 8}\n\1\0',
    ],
)
def test_a_file_of_rows_alone_or_of_another_version_is_refused(tmp_path, content):
    path = tmp_path / "x.labels"
    path.write_bytes(content)
    with pytest.raises(SideFileError, match=r"x\.labels: its first line does not say .* remove the file to begin anew"):
        side_file(path)
    assert path.read_bytes() == content


def test_more_rows_than_there_can_be_are_refused(begun):
    with pytest.raises(SideFileError, match=r"x\.labels: 3 rows, but there are only 2 positions"):
        side_file(begun, most=2)
