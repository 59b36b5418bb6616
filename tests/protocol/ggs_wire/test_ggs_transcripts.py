"""Real sessions with the genuine server are understood line by line, and written back as they were."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from fanqi.ggs_wire import (
    Banner,
    Block,
    BlockReader,
    CentralText,
    Join,
    LineReader,
    Unknown,
    Update,
    format_block,
    format_message,
    recognise,
)

DATA = Path(__file__).parents[2] / "data" / "ggs"
LOGS = sorted(DATA.glob("*.log"))


def streams(path: Path) -> dict[str, bytes]:
    """What the server sent to each client of a session."""
    found: dict[str, bytes] = {}
    for line in path.read_text().splitlines():
        said = re.fullmatch(r"\[(\w+)\] S: (.*)", line)
        if said is not None:
            found[said[1]] = found.get(said[1], b"") + ast.literal_eval(said[2]).encode("latin-1")
    return found


STREAMS = [pytest.param(data, id=f"{path.stem}-{name}") for path in LOGS for name, data in streams(path).items()]


def blocks(data: bytes) -> list[Block]:
    return list(BlockReader().feed(LineReader().feed(data)))


def test_all_eight_sessions_are_there() -> None:
    assert len(LOGS) == 8


@pytest.mark.parametrize("data", STREAMS)
def test_blocks_are_written_back_byte_for_byte(data: bytes) -> None:
    assert b"".join(map(format_block, blocks(data))) == data


@pytest.mark.parametrize("data", STREAMS)
def test_every_message_is_recognised_and_written_back_as_it_was(data: bytes) -> None:
    for block in blocks(data):
        messages = recognise(block)
        assert not [message for message in messages if isinstance(message, Unknown | Banner)]
        assert [line for message in messages for line in format_message(message)] == list(block.lines)


@pytest.mark.parametrize("data", STREAMS)
@pytest.mark.parametrize("size", [1, 7, 1024])
def test_blocks_do_not_depend_on_how_the_stream_is_cut(data: bytes, size: int) -> None:
    data = data[:20_000]
    lines, reader = LineReader(), BlockReader()
    cut = [block for at in range(0, len(data), size) for block in reader.feed(lines.feed(data[at : at + size]))]
    assert cut == blocks(data)


def test_the_sessions_hold_every_kind_of_message_that_matters_to_play() -> None:
    kinds = Counter(
        type(message).__name__
        for path in LOGS
        for data in streams(path).values()
        for block in blocks(data)
        for message in recognise(block)
    )
    missing = {
        "Join", "Update", "JoinGgf", "UpdateGgf", "RequestChange", "MatchStart", "MatchEnd", "RatingUpdate",
        "GameEnd", "Timeout", "TrustViolation", "Offer", "PlayError", "ServiceError", "Refusal", "CommandError",
        "Stored", "StoredNotice", "History", "Archive", "Presence", "LoginPrompt", "PasswordPrompt", "Kibitz",
    } - set(kinds)  # fmt: skip
    assert not missing
    assert kinds["CentralText"] == 1  # the answer to echo


def test_a_join_in_the_middle_of_a_game_has_its_moves_and_both_boards() -> None:
    joins = [
        message
        for data in streams(DATA / "B_rated.log").values()
        for block in blocks(data)
        for message in recognise(block)
        if isinstance(message, Join) and message.number == 2
    ]
    (join,) = joins
    assert [str(move) for move in join.moves] == ["f5/1.00/0.50", "d6/-1.00/0.70"]
    assert join.start is not None
    assert join.start.cells.count("-") == 60
    assert join.board.cells.count("-") == 58
    assert join.board.turn == "*"


def test_updates_of_a_whole_synchro_game_follow_one_another() -> None:
    numbers: dict[str, list[int]] = {}
    for block in blocks(streams(DATA / "D_synchro.log")["alice"]):
        for message in recognise(block):
            if isinstance(message, Update):
                numbers.setdefault(str(message.game), []).append(message.number)
    assert numbers == {".7.0": list(range(1, 46)), ".7.1": list(range(1, 45))}


def test_echo_is_central_text_of_two_lines() -> None:
    (message,) = recognise(Block((": a", "|b"), unasked=True, end="READY"))
    assert message == CentralText(("a", "b"))
