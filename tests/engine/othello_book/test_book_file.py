"""The book file: round trips, and one error for everything that is no book."""

from __future__ import annotations

import os
import random
import struct
import zlib

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.othello_book import (
    NO_MOVE,
    NO_SCORE,
    BookError,
    BookHead,
    Columns,
    canonical,
    format_book,
    parse_book,
    read_book,
)

NAMES = ("own", "opponent", "value", "move", "score", "depth", "selectivity", "count", "links")
START = canonical(1 << 28 | 1 << 35, 1 << 27 | 1 << 36)


def columns_of(rows):
    """Columns from {(own, opponent): (value, move, score, depth, selectivity, links)}."""
    keys = sorted(rows)
    facts = [rows[key] for key in keys]
    kinds = (np.int16, np.uint8, np.int16, np.uint8, np.uint8)
    return Columns(
        np.array([key[0] for key in keys], np.uint64),
        np.array([key[1] for key in keys], np.uint64),
        *(np.array([fact[n] for fact in facts], kind) for n, kind in enumerate(kinds)),
        np.array([len(fact[5]) for fact in facts], np.uint8),
        np.array([link for fact in facts for link in fact[5]], np.uint8),
    )


@st.composite
def books(draw):
    rows = {}
    for _ in range(draw(st.integers(0, 12))):
        own = draw(st.integers(0, 2**64 - 1))
        opponent = draw(st.integers(0, 2**64 - 1)) & ~own
        key = canonical(own, opponent)
        free = [square for square in range(64) if not (key[0] | key[1]) >> square & 1] + [64]
        value = draw(st.integers(-6400, 6400))
        links = tuple(draw(st.lists(st.sampled_from(free), max_size=5, unique=True)))
        if draw(st.booleans()):
            rows[key] = (value, draw(st.sampled_from(free)), draw(st.integers(-6400, 6400)), 12, 73, links)
        else:
            rows[key] = (value, NO_MOVE, NO_SCORE, 0, 100, links)
    error = draw(st.none() | st.floats(0, 64, allow_nan=False))
    values = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8)
    return BookHead(error=error, provenance=draw(st.dictionaries(st.text(max_size=8), values, max_size=3))), rows


def small_book():
    head = BookHead(error=1.5, provenance={"engine": "Fanqi", "depth": 12})
    return format_book(head, columns_of({START: (20, 19, 20, 12, 73, ())}))


@given(books())
def test_what_is_written_is_read_back(book):
    head, rows = book
    columns = columns_of(rows)
    found, read = parse_book(format_book(head, columns))
    assert found == head
    for name in NAMES:
        assert getattr(read, name).tolist() == getattr(columns, name).tolist()
        assert getattr(read, name).dtype == getattr(columns, name).dtype


def test_a_file_cut_short_anywhere_is_refused():
    data = small_book()
    for length in range(len(data)):
        with pytest.raises(BookError):
            parse_book(data[:length])


def test_a_file_with_something_behind_it_is_refused():
    with pytest.raises(BookError):
        parse_book(small_book() + b"\0")


def test_a_byte_changed_anywhere_gives_one_error_or_a_whole_book():
    data = small_book()
    dice = random.Random(1)
    for place in range(len(data)):
        for _ in range(4):
            damaged = bytearray(data)
            damaged[place] = dice.randrange(256)
            try:
                head, columns = parse_book(bytes(damaged))
            except BookError as error:
                assert "\n" not in str(error)
            else:
                # what it says about itself has no checksum; the positions have
                assert len(columns) == 1
                assert isinstance(head, BookHead)


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data):
    with pytest.raises(BookError):
        parse_book(data)
    with pytest.raises(BookError):
        parse_book(small_book()[:27] + data)


def changed(**fields):
    """A small book with some entries of its map replaced."""
    return msgspec.msgpack.encode(msgspec.msgpack.decode(small_book()) | fields)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"version": 2}, "a book of version 2; this program reads version 1"),
        ({"error": 65.0}, "a stated error of 65.0 discs"),
        ({"error": float("nan")}, "a stated error of nan discs"),
        ({"positions": -1}, "a negative number"),
        ({"positions": 2}, "2 positions and 0 links take 48 bytes"),
        ({"positions": 1 << 40}, "cannot be in"),
        ({"positions": 1 << 62}, "cannot be in"),
        ({"links": 1 << 40}, "cannot be in"),
        ({"crc32": 0}, "the checksum does not fit"),
        ({"columns": b"nonsense"}, "Error -3"),
        ({"provenance": {"depth": [1]}}, "provenance"),
        ({"provenance": 7}, "provenance"),
        ({"positions": "many"}, "positions"),
    ],
)
def test_an_entry_that_cannot_be_is_named(fields, reason):
    with pytest.raises(BookError, match=r"^[^\n]*$") as caught:
        parse_book(changed(**fields))
    assert reason in str(caught.value)


def test_a_stream_that_unpacks_to_gigabytes_is_not_unpacked():
    bomb = zlib.compress(bytes(1 << 26), 9)
    with pytest.raises(BookError, match="take 24 bytes"):
        parse_book(changed(columns=bomb))


def test_a_list_of_four_billion_elements_takes_no_memory():
    data = small_book()
    at = data.index(b"\xaaprovenance") + 11
    for huge in (b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff"):
        with pytest.raises(BookError):
            parse_book(data[:at] + huge + data[at + 1 :])
        with pytest.raises(BookError):
            parse_book(data[:at] + b"\x81\xa1x" + huge)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ((6401, 19, 20, 12, 73, ()), "its value is out of range"),
        ((20, 28, 20, 12, 73, ()), "its drop-out move is impossible"),
        ((20, 65, 20, 12, 73, ()), "its drop-out move is impossible"),
        ((20, 19, NO_SCORE, 12, 73, ()), "its drop-out move has no score"),
        ((20, NO_MOVE, 7000, 12, 73, ()), "its score is out of range"),
        ((20, 19, 20, 61, 73, ()), "its depth is out of range"),
        ((20, 19, 20, 12, 101, ()), "its selectivity is out of range"),
        ((20, 19, 20, 12, 73, (35,)), "link 1 is an impossible move"),
        ((20, 19, 20, 12, 73, (26, 255)), "link 2 is an impossible move"),
    ],
)
def test_a_position_that_cannot_be_is_named(facts, reason):
    with pytest.raises(BookError) as caught:
        parse_book(format_book(BookHead(), columns_of({START: facts})))
    assert reason in str(caught.value)


def test_positions_out_of_order_twice_or_not_canonical_are_refused():
    facts = (20, NO_MOVE, NO_SCORE, 0, 100, ())
    for keys, reason in (
        ([(2, 1), (1, 2)], "position 2: it is not in its place"),
        ([START, START], "position 2: it is not in its place"),
        ([(1 << 63, 0)], "position 1: it is not in canonical form"),
        ([(3, 1)], "position 1: two discs share a square"),
    ):
        whole = columns_of({(n, 0): facts for n in range(len(keys))})
        own, opponent = (np.array(column, np.uint64) for column in zip(*keys, strict=True))
        damaged = Columns(own, opponent, *(getattr(whole, name) for name in NAMES[2:]))
        with pytest.raises(BookError) as caught:
            parse_book(format_book(BookHead(), damaged))
        assert reason in str(caught.value)


def test_links_that_do_not_add_up_are_refused():
    whole = columns_of({START: (20, 19, 20, 12, 73, (26,))})
    damaged = Columns(*(getattr(whole, name) for name in NAMES[:-1]), np.array([26, 26], np.uint8))
    with pytest.raises(BookError, match="count 1 links, the head says 2"):
        parse_book(format_book(BookHead(), damaged))


def test_the_name_of_a_file_that_cannot_be_read_is_told(tmp_path):
    missing = tmp_path / "missing.book"
    with pytest.raises(BookError, match=r"missing\.book: No such file"):
        read_book(missing)
    with pytest.raises(BookError, match="not a file"):
        read_book(tmp_path)
    (tmp_path / "empty").touch()
    with pytest.raises(BookError, match="it is empty"):
        read_book(tmp_path / "empty")
    (tmp_path / "other").write_bytes(b"PK\x03\x04" + struct.pack("<Q", 7))
    with pytest.raises(BookError, match="no book: it begins with"):
        read_book(tmp_path / "other")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BookError, match="not a file"):
        read_book(tmp_path / "pipe")
