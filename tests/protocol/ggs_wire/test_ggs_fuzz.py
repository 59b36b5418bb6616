"""Whatever bytes come, they are read: cut, merged, corrupted sessions and plain garbage."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from fanqi.ggs_wire import Block, BlockReader, LineReader, Unknown, WireError, format_message, recognise
from fanqi.ggs_wire.framing import MAX_BLOCK, MAX_BLOCK_LINES, MAX_LINE
from fanqi.ggs_wire.values import ClockSetting, ClockState, GameId, GameType, Move

DATA = Path(__file__).parents[2] / "data" / "ggs"


def sample(path: Path, size: int) -> bytes:
    """The first bytes that the server sent in a session, to all clients."""
    said = (re.fullmatch(r"\[\w+\] S: (.*)", line) for line in path.read_text().splitlines())
    return "".join(ast.literal_eval(found[1]) for found in said if found).encode("latin-1")[:size]


SAMPLES = [sample(path, 12_000) for path in sorted(DATA.glob("*.log"))]
INTERESTING = b"\r\n |/:.+-*OK?0123456789,()@\x1b\x00\xff"


@st.composite
def damaged_sessions(draw: st.DrawFn) -> bytes:
    """Pieces of sessions, merged in any order, with bytes overwritten, dropped and put in."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        data = draw(st.sampled_from(SAMPLES))
        start = draw(st.integers(0, len(data)))
        pieces.append(data[start : start + draw(st.integers(0, 1500))])
    data = bytearray(b"".join(pieces))
    for _ in range(draw(st.integers(0, 30))):
        if not data:
            break
        at = draw(st.integers(0, len(data) - 1))
        match draw(st.integers(0, 2)):
            case 0:
                data[at] = draw(st.sampled_from(INTERESTING))
            case 1:
                del data[at : at + draw(st.integers(1, 20))]
            case _:
                data[at:at] = draw(st.binary(max_size=8))
    return bytes(data)


def read_all(data: bytes, size: int) -> list[Block]:
    lines, reader = LineReader(), BlockReader()
    return [block for at in range(0, len(data), size) for block in reader.feed(lines.feed(data[at : at + size]))]


@settings(max_examples=400, deadline=None)
@given(damaged_sessions(), st.sampled_from([1, 13, 4096]))
def test_damaged_sessions_are_read_without_an_error(data: bytes, size: int) -> None:
    for block in read_all(data, size):
        for message in recognise(block):
            assert format_message(message)


@settings(max_examples=300, deadline=None)
@given(damaged_sessions())
def test_what_is_recognised_in_a_damaged_session_reads_the_same_when_written_back(data: bytes) -> None:
    for block in read_all(data, 4096):
        for message in recognise(block):
            if not isinstance(message, Unknown):
                again = recognise(Block(tuple(format_message(message)), end="READY"))
                assert format_message(message) == [line for read in again for line in format_message(read)]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=3000))
def test_plain_garbage_is_read_without_an_error(data: bytes) -> None:
    for block in read_all(data + b"\nREADY\n", 100):
        recognise(block)


@given(st.text(max_size=40))
def test_the_only_error_of_a_value_is_the_wire_error(text: str) -> None:
    for parse in (GameType.parse, ClockSetting.parse, ClockState.parse, GameId.parse, Move.parse):
        try:
            parse(text)
        except WireError as error:
            assert error.reason


def test_an_endless_line_is_kept_only_up_to_its_limit() -> None:
    reader = LineReader()
    for _ in range(100):
        assert list(reader.feed(b"x" * 10_000)) == []
    (line,) = reader.feed(b"\n")
    assert len(line) == MAX_LINE
    assert reader.dropped == 1_000_000 - MAX_LINE


def test_an_endless_block_is_kept_only_up_to_its_limit() -> None:
    reader = BlockReader()
    assert list(reader.feed(f"|{number}" for number in range(2 * MAX_BLOCK_LINES))) == []
    (block,) = reader.feed(["READY"])
    assert len(block.lines) == MAX_BLOCK_LINES
    assert block.truncated


def test_a_block_of_long_lines_is_kept_only_up_to_its_limit() -> None:
    reader = BlockReader()
    assert list(reader.feed("|" + "x" * 50_000 for _ in range(100))) == []
    (block,) = reader.feed(["READY"])
    assert MAX_BLOCK - 100_000 < sum(map(len, block.lines)) <= MAX_BLOCK
    assert block.truncated
    (block,) = reader.feed(["|" + "x" * 50_000, "READY"])
    assert not block.truncated


def test_numbers_of_thousands_of_digits_are_not_understood() -> None:
    digits = "9" * 5000
    for line in (f": + bob {digits}", f"/os: + match .1 {digits} bob 1720 ann 8 R", f"/os: .1 A {digits} bob: hello"):
        (message,) = recognise(Block((line,)))
        assert isinstance(message, Unknown)


def test_the_rest_of_a_block_is_there_at_the_end_of_a_connection() -> None:
    reader = BlockReader()
    assert list(reader.feed(["", ": ERR the server is full."])) == []
    assert reader.end() == Block((": ERR the server is full.",), unasked=True)
    assert reader.end() == Block(())


def test_colours_bells_and_erased_lines_of_terminals_are_taken_off() -> None:
    data = b"\x1b[2K\r/os: \x1b[101m\x1b[7mERR\x1b[0m accept <id>.\r\n\aREADY\r\n"
    (block,) = read_all(data, 4096)
    assert block == Block(("/os: ERR accept <id>.",), unasked=True, end="READY")
