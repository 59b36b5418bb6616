"""JSON lines: the one form that keeps everything a `GameRecord` holds, one object a line.

``{"game": "othello", "players": ["a", "b"], "moves": ["f5", "d6"], "evals": [0.5, null], "times": [0.1, 0.2],
"result": {"winner": "p1", "margin": 2.0, "reason": ""}}``; keys with nothing in them are left out, and other keys, such
as those a match adds, are skipped when read.
"""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from fanqi.game import GAME_NAMES, GameError, MoveError, Player, load_game
from fanqi.records.errors import RecordError
from fanqi.records.game import GameRecord, PlayedMove, Result

__all__ = ["format_json", "parse_json"]

SEATS = {None: None, "p1": Player.P1, "p2": Player.P2}
NAMES = {player: name for name, player in SEATS.items()}


class JsonResult(msgspec.Struct, omit_defaults=True):
    """`Result` as an object."""

    winner: str | None
    margin: float | None = None
    reason: str = ""


class JsonRecord(msgspec.Struct, omit_defaults=True):
    """`GameRecord` as an object."""

    game: str
    players: tuple[str, str] = ("", "")
    start: str | None = None
    rules: str = ""
    moves: list[str] = []
    evals: list[float | None] = []
    times: list[float | None] = []
    result: JsonResult | None = None
    ratings: tuple[float | None, float | None] = (None, None)
    date: str = ""
    place: str = ""
    tags: list[tuple[str, str]] = []
    opening_plies: Annotated[int, msgspec.Meta(ge=0)] = 0


DECODER = msgspec.json.Decoder(JsonRecord)
ENCODER = msgspec.json.Encoder()


def parse_json(text: str) -> GameRecord:
    """Read one line, and check that its moves can be played.

    Raises:
        RecordError: not such an object, or a move is not legal.
    """
    try:
        found = DECODER.decode(text)
    except RecursionError:
        raise RecordError("objects within objects, too many of them", line=1, column=1) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        place = re.search(r"\(byte ([0-9]{1,9})\)", str(error))
        raise RecordError(str(error), line=1, column=int(place[1]) + 1 if place else 1) from None
    if found.game not in GAME_NAMES:
        raise RecordError(f"no such game; there are {', '.join(GAME_NAMES)}", found.game, line=1, column=1)
    for name, values in (("evals", found.evals), ("times", found.times)):
        if values and len(values) != len(found.moves):
            raise RecordError(f"{len(values)} {name} for {len(found.moves)} moves", line=1, column=1)
    evaluations = found.evals or [None] * len(found.moves)
    seconds = found.times or [None] * len(found.moves)
    names = canonical_moves(found)
    return GameRecord(
        found.game,
        tuple(map(PlayedMove, names, evaluations, seconds)),
        found.start,
        found.players,
        found.ratings,
        found.date,
        found.place,
        read_result(found.result),
        found.rules,
        tuple(found.tags),
        min(found.opening_plies, len(names)),
    )


def canonical_moves(found: JsonRecord) -> list[str]:
    """The moves in canonical notation, every one of them legal.

    Raises:
        RecordError: one is not, or the start cannot be read.
    """
    game = load_game(found.game)
    try:
        position = game.start(found.rules) if found.start is None else game.parse(found.start, found.rules)
    except GameError as error:
        raise RecordError(error.reason, error.text, line=1, column=1) from None
    names = []
    for number, move in enumerate(found.moves, 1):
        try:
            name = position.canonical(move)
            position = position.play(name)
        except MoveError as error:
            raise RecordError(f"move {number}: {error.reason}", move, line=1, column=1) from None
        if position.ply != number:
            raise RecordError(f"move {number}: the pass before it is missing", move, line=1, column=1)
        names.append(name)
    return names


def read_result(found: JsonResult | None) -> Result | None:
    if found is None:
        return None
    if found.winner not in SEATS:
        raise RecordError("expected p1, p2 or null as the winner", str(found.winner), line=1, column=1)
    return Result(SEATS[found.winner], found.margin, found.reason)


def format_json(record: GameRecord) -> str:
    """One line, without its newline, that `parse_json` reads back as the same record."""
    evaluations = [move.evaluation for move in record.moves]
    seconds = [move.seconds for move in record.moves]
    result = record.result
    return ENCODER.encode(
        JsonRecord(
            record.game,
            record.players,
            record.start,
            record.rules,
            [move.move for move in record.moves],
            evaluations if any(value is not None for value in evaluations) else [],
            seconds if any(value is not None for value in seconds) else [],
            None if result is None else JsonResult(NAMES[result.winner], result.margin, result.reason),
            record.ratings,
            record.date,
            record.place,
            list(record.tags),
            record.opening_plies,
        )
    ).decode()
