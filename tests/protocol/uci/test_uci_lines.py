"""Cutting bytes into lines, however they arrive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fanqi.uci import LineSplitter, LongLine


def lines_of(chunks, max_line=65_536):
    splitter = LineSplitter(max_line)
    lines = []
    for chunk in chunks:
        splitter.feed(chunk)
        while (line := splitter.pop()) is not None:
            lines.append(line)
    splitter.end()
    while (line := splitter.pop()) is not None:
        lines.append(line)
    return lines


pieces = st.lists(st.sampled_from([b"\n", b"\r\n", b"go", b" x", b"\r", b"\x00", b"\xff", b"abcdef"]), max_size=30)


@given(pieces)
def test_lines_do_not_depend_on_how_the_bytes_arrive(chunks):
    text = b"".join(chunks)
    expected = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    if not text.endswith(b"\n"):
        last = text.rpartition(b"\n")[2]
        expected = expected if last else expected[:-1]
    else:
        expected = expected[:-1]
    assert lines_of(chunks) == expected
    assert lines_of([bytes([byte]) for byte in text]) == expected


@given(pieces)
def test_a_line_is_long_by_its_bytes_whatever_the_chunks(chunks):
    text = b"".join(chunks)
    expected = [len(line) > 8 for line in text.split(b"\n")]
    if not text.rpartition(b"\n")[2]:
        expected = expected[:-1]
    for arrival in (chunks, [text], [bytes([byte]) for byte in text]):
        assert [isinstance(line, LongLine) for line in lines_of(arrival, max_line=8)] == expected


def test_a_long_line_is_reported_once_and_never_stored():
    splitter = LineSplitter()
    splitter.feed(b"position startpos ")
    reported = []
    for _ in range(1000):
        splitter.feed(b"x" * 65_536)
        if (line := splitter.pop()) is not None:
            reported.append(line)
        assert len(splitter._buffer) <= 65_536
    splitter.feed(b"\nquit\n")
    assert len(reported) == 1
    assert reported[0].start.startswith(b"position startpos ")
    assert splitter.pop() == b"quit"


def test_the_longest_line_is_still_a_line():
    assert lines_of([b"x" * 65_536 + b"\n"]) == [b"x" * 65_536]
    assert lines_of([b"x" * 65_537 + b"\n"]) == [LongLine(b"x" * 40)]


def test_a_byte_order_mark_at_the_start_is_no_part_of_the_first_line():
    assert lines_of([b"\xef\xbb\xbfuci\n\xef\xbb\xbfuci\n"]) == [b"uci", b"\xef\xbb\xbfuci"]
