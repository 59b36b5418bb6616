"""What the system says was wrong is told in one way everywhere."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from fanqi.files import FileError, described, reason_of

MISSING = FileNotFoundError(errno.ENOENT, "No such file or directory", "games.ggf")


@pytest.mark.parametrize(
    ("error", "path", "said"),
    [
        (MISSING, "", "games.ggf: No such file or directory"),
        (MISSING, "other.ggf", "games.ggf: No such file or directory"),
        (OSError(errno.ENOSPC, "No space left on device"), Path("a/b"), "a/b: No space left on device"),
        (OSError(errno.ENOSPC, "No space left on device"), "", "No space left on device"),
        (OSError("a sentence of our own"), "", "a sentence of our own"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "/no/x"), "", "/no/x: there is no folder /no"),
    ],
)
def test_a_file_and_why_it_cannot_be_had(error, path, said):
    assert described(error, path) == said


def test_other_errors_give_their_text_as_the_reason():
    assert reason_of(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "why not")).endswith("why not")


def test_what_has_been_put_into_words_stays():
    said = FileError.writing("stdout", OSError(errno.EBADF, "Bad file descriptor"))
    assert str(said) == "stdout cannot be written: it is closed"
    assert FileError.reading("games.ggf", said) is said
    assert described(said) == str(said)
