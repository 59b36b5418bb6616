"""Checking how others dealt: from a record that contains the commitment, the opening and the flips."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fanqi.arbiter.check import Check, Verdict
from fanqi.arbiter.commitment import SALT_BYTES, commitment
from fanqi.arbiter.deal import ALL_SQUARES, FULL_SET, Deal, deal, parse_seed, square_index, square_name
from fanqi.arbiter.errors import ArbiterError, RecordError
from fanqi.arbiter.replay import PlayedGame, check_replay, played_game
from fanqi.game import quoted

__all__ = ["DealRecord", "deal_record", "transcript_record", "verify"]

STEP = re.compile("([a-d][1-8])([a-d][1-8])")


@dataclass(frozen=True, slots=True)
class DealRecord:
    """Everything a stranger needs to check one deal.

    Attributes:
        commitment: the hash told before the first move.
        deal: as opened at the end.
        salt: as opened at the end.
        reveals: square and letter of each flip, in order.
        pieces: what was covered at the start.
        squares: where it was covered, as indices.
        picks: places and letters told at the five-piece draw, if there was one.
        game: what was played with it, if that is known.
    """

    commitment: str
    deal: Deal
    salt: bytes
    reveals: tuple[tuple[str, str], ...] = ()
    pieces: str = FULL_SET
    squares: tuple[int, ...] = ALL_SQUARES
    picks: tuple[tuple[int, str], ...] = ()
    game: PlayedGame | None = None


def verify(record: DealRecord | Mapping[str, Any]) -> Verdict:
    """Check that a deal was committed to, follows from its seed, and was answered truthfully in a game by the rules.

    Args:
        record: a deal, or a game record (one line of ``games.jsonl``) that contains one.

    Raises:
        RecordError: the record has no deal, or one that cannot be read.
    """
    if not isinstance(record, DealRecord):
        record = deal_record(record)
    checks = [check_commitment(record), check_seed(record), check_reveals(record), *check_draw(record)]
    if record.game is not None:
        checks += check_replay(record.game, record.deal.layout)
    return Verdict(tuple(checks))


def check_commitment(record: DealRecord) -> Check:
    """Whether seed, layout, draw and salt hash to what was told before the game."""
    claim = "the opened deal is the one committed to"
    actual = commitment(record.deal, record.salt)
    if actual == record.commitment.lower():
        return Check(claim, True)
    return Check(claim, False, f"it hashes to {actual}, committed was {quoted(record.commitment)}")


def check_seed(record: DealRecord) -> Check:
    """Whether layout and draw are what the algorithm makes of the seed."""
    claim = "layout and draw follow from the seed"
    try:
        expected = deal(record.deal.seed, record.pieces, record.squares, mirrored=record.deal.mirrored)
    except ArbiterError as error:
        return Check(claim, False, str(error))
    if expected.layout != record.deal.layout:
        return Check(claim, False, f"the seed gives layout {expected.layout}, opened was {record.deal.layout}")
    if expected.draw != record.deal.draw:
        return Check(claim, False, f"the seed gives draw {expected.draw}, opened was {record.deal.draw}")
    return Check(claim, True)


def check_reveals(record: DealRecord) -> Check:
    """Whether each flip was answered with the piece that lay there."""
    claim = f"all {len(record.reveals)} flips were answered from the layout"
    flipped: set[str] = set()
    for number, (square, letter) in enumerate(record.reveals, 1):
        index = square_index(square)
        truth = "." if index is None else record.deal.layout[index]
        if square in flipped:
            return Check(claim, False, f"flip {number}: {square} was flipped twice")
        if truth == ".":
            return Check(claim, False, f"flip {number}: nothing was covered on {square}")
        if truth != letter:
            return Check(claim, False, f"flip {number}: {square} showed {quoted(letter)}, the layout has {truth}")
        flipped.add(square)
    return Check(claim, True)


def check_draw(record: DealRecord) -> Iterable[Check]:
    """Whether the five-piece draw, if one was made, showed the pieces that lay there."""
    if not record.picks:
        return
    claim = "the draw for the first move was answered from the deal"
    for place, letter in record.picks:
        truth = record.deal.draw[place - 1] if 1 <= place <= len(record.deal.draw) else "nothing"
        if truth != letter:
            yield Check(claim, False, f"place {place} showed {quoted(letter)}, the deal has {truth}")
            return
    yield Check(claim, True)


def deal_record(game: Mapping[str, Any]) -> DealRecord:
    """The deal inside a game record: its fields ``deal``, ``start``, ``moves``, ``rules``, ``final`` and ``result``.

    Raises:
        RecordError: a field is missing, or is not what it should be.
    """
    proof = game.get("deal")
    if not isinstance(proof, Mapping):
        raise RecordError(str(game.get("game", game)), "the record has no deal to check")
    start = text_field(game, "start", "startpos")
    pieces, squares = covered_at(start)
    moves = game.get("moves", [])
    if not isinstance(moves, list):
        raise RecordError(str(moves), "moves is a list")
    played = [str(move.get("move", "")) if isinstance(move, Mapping) else str(move) for move in moves]
    reveals = reveals_among(played, squares)
    return DealRecord(
        text_field(proof, "commitment"),
        opened_deal(proof),
        opened_salt(proof),
        reveals,
        pieces,
        squares,
        game=played_game(game, played, start),
    )


def reveals_among(moves: list[str], squares: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
    """The flips among the moves of a game that began with ``squares`` covered.

    Raises:
        RecordError: a move is not written as in records, so that it might hide a flip, or needs one that is missing.
    """
    covered = {square_name(index) for index in squares}
    reveals: list[tuple[str, str]] = []
    for number, move in enumerate(moves, 1):
        if move[2:3] == "=":
            covered.discard(move[:2])
            reveals.append((move[:2], move[3:]))
            continue
        step = STEP.fullmatch(move)
        if step is None or step[1] == step[2]:
            raise RecordError(move, f"move {number}: expected one like b8a8 or b8=P")
        if blind := {step[1], step[2]} & covered:
            raise RecordError(move, f"move {number}: {min(blind)} is still covered, a flip is missing")
    return tuple(reveals)


def opened_deal(proof: Mapping[str, Any]) -> Deal:
    """Seed, layout and draw as opened."""
    seed = text_field(proof, "seed")
    layout = text_field(proof, "layout")
    draw = text_field(proof, "draw")
    if len(layout) != 32 or not layout.isascii():
        raise RecordError(layout, "a layout has 32 letters")
    if len(draw) != 5 or not draw.isascii():
        raise RecordError(draw, "a draw has five letters")
    return Deal(parse_seed(seed), layout, draw, bool(proof.get("mirrored", False)))


def opened_salt(proof: Mapping[str, Any]) -> bytes:
    text = text_field(proof, "salt")
    try:
        salt = bytes.fromhex(text)
    except ValueError:
        salt = b""
    if len(salt) != SALT_BYTES:
        raise RecordError(text, f"a salt is {2 * SALT_BYTES} hexadecimal digits")
    return salt


def text_field(record: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = record.get(name)
    if value is None:
        value = default
    if value is None:
        raise RecordError(name, "missing: the deal has not been opened" if name != "commitment" else "missing")
    return str(value)


def covered_at(start: str) -> tuple[str, tuple[int, ...]]:
    """Which pieces lie covered, and where, in a start position (``startpos`` or ``rank8/.../rank1 hidden
    ...``).

    Raises:
        RecordError: the text is no such position.
    """
    if start == "startpos":
        return FULL_SET, ALL_SQUARES
    fields = start.split()
    ranks = fields[0].split("/") if fields else []
    if len(fields) < 2 or len(ranks) != 8 or any(len(rank) != 4 for rank in ranks):
        raise RecordError(start, "a start position is eight ranks of four squares, the covered pieces, and the rest")
    cells = "".join(reversed(ranks))
    squares = tuple(index for index, cell in enumerate(cells) if cell == "X")
    return fields[1].replace("-", ""), squares


def transcript_record(lines: Iterable[str]) -> DealRecord:
    """The deal in what an arbiter said during a session: its lines that begin with ``arbiter``.

    Raises:
        RecordError: the commitment or the opening is not among them, or cannot be read.
    """
    committed: str | None = None
    opening: dict[str, Any] = {}
    reveals: list[tuple[str, str]] = []
    picks: list[tuple[int, str]] = []
    for line in lines:
        match line.split():
            case ["arbiter", "commit", text]:
                committed, opening, reveals, picks = text, {}, [], []
            case ["arbiter", "reveal", text] if text[2:3] == "=":
                reveals.append((text[:2], text[3:]))
            case ["arbiter", "drawn", *words]:
                picks = [(int(word[0]), word[2:]) for word in words if word[:1] in "12345" and word[1:2] == "="]
            case ["arbiter", "opened", *words]:
                opening = dict(zip(words[::2], words[1::2], strict=False))
            case _:
                pass
    if committed is None:
        raise RecordError("arbiter commit", "no such line: nothing was committed to")
    opening["commitment"] = committed
    return DealRecord(committed, opened_deal(opening), opened_salt(opening), tuple(reveals), picks=tuple(picks))
