"""Reviews as lines of JSON, one struct a type of line; docs/analyse.md lists the fields.

A game is one ``game`` line, a ``move`` line for each move that was judged, in order of play, and one ``summary`` line.
What could not be read is an ``error`` line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from fanqi.analysis.facts import BanqiFacts, OthelloFacts
from fanqi.analysis.names import SEATS
from fanqi.analysis.totals import PHASES, PlayerTotals, Totals, totals_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.analysis.review import GameReview, Line, MoveReview
    from fanqi.records import RecordError

__all__ = ["AnyLine", "encode", "error_line", "json_lines"]


class JsonStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all: every field is always there, null where there is nothing to say."""


class JsonResult(JsonStruct, frozen=True):
    """The result as the record states it."""

    winner: str | None
    margin: float | None
    reason: str


class JsonLine(JsonStruct, frozen=True):
    """A line of the engine's; the value is the mover's."""

    value: float
    moves: tuple[str, ...]
    exact: bool
    depth: int
    certainty: int | None


class JsonGame(JsonStruct, frozen=True, tag="game"):
    """What is known of a game before any search."""

    source: str
    number: int
    game: str
    players: tuple[str, str]
    date: str
    place: str
    rules: str
    objective: str
    komi: float
    result: JsonResult | None
    plies: int
    unit: str
    depth: int | None
    nodes: int | None
    movetime: int | None
    exact: int
    position: str
    facts: OthelloFacts | BanqiFacts


class JsonMove(JsonStruct, frozen=True, tag="move"):
    """A move judged."""

    number: int
    ply: int
    player: str
    position: str
    move: str
    given: bool
    corner: str
    choices: int
    value: float
    expected: float | None
    best: str
    best_value: float
    loss: float
    mark: str
    exact: bool
    change: str
    luck: float | None
    phase: str
    depth: int
    certainty: int | None
    line: tuple[str, ...]
    lines: tuple[JsonLine, ...]
    nodes: int
    recorded: float | None
    seconds: float | None
    facts: OthelloFacts | BanqiFacts


class JsonTotals(JsonStruct, frozen=True):
    """Sums over the decisions of one player."""

    decisions: int
    best: int
    dubious: int
    mistakes: int
    blunders: int
    loss: float
    mean_loss: float | None
    accuracy: float | None


class JsonPlayer(JsonStruct, frozen=True):
    """The figures of one player."""

    player: str
    name: str
    whole: JsonTotals
    phases: dict[str, JsonTotals]
    luck: float | None


class JsonSummary(JsonStruct, frozen=True, tag="summary"):
    """A game as a whole; ``values`` are those of p1."""

    number: int
    complete: bool
    exact_from: int | None
    values: tuple[float | None, ...]
    final: JsonLine | None
    players: tuple[JsonPlayer, JsonPlayer]


class JsonError(JsonStruct, frozen=True, tag="error"):
    """Something that could not be read."""

    source: str
    number: int
    message: str
    line: int | None
    column: int | None
    byte: int | None


AnyLine = JsonGame | JsonMove | JsonSummary | JsonError


def encode(line: AnyLine) -> bytes:
    """One line with its newline."""
    return msgspec.json.encode(line) + b"\n"


def error_line(source: str, number: int, error: RecordError) -> JsonError:
    """What could not be read, and where."""
    return JsonError(error.file or source, number, str(error), error.line, error.column, error.byte)


def json_lines(source: str, review: GameReview) -> Iterator[AnyLine]:
    """All lines of a game."""
    yield game_line(source, review)
    for move in review.moves:
        yield move_line(review, move)
    first, second = totals_of(review)
    yield JsonSummary(
        review.number,
        review.complete,
        review.exact_from,
        review.values,
        None if review.final is None else json_line(review.final),
        (player(review, first), player(review, second)),
    )


def game_line(source: str, review: GameReview) -> JsonGame:
    record, terms = review.record, review.terms
    result = record.result
    return JsonGame(
        source,
        review.number,
        record.game,
        record.players,
        record.date,
        record.place,
        record.rules,
        terms.objective,
        terms.draw_line,
        None
        if result is None
        else JsonResult(None if result.winner is None else SEATS[result.winner], result.margin, result.reason),
        len(record.moves),
        review.scale.unit,
        terms.limits.depth,
        terms.limits.nodes,
        terms.limits.movetime_ms,
        terms.exact,
        review.boards[0].fen(),
        review.facts[0],
    )


def move_line(review: GameReview, move: MoveReview) -> JsonMove:
    return JsonMove(
        review.number,
        move.ply,
        SEATS[move.player],
        review.boards[move.ply - 1].fen(),
        move.move,
        move.given,
        move.corner,
        move.choices,
        move.value,
        move.played.value if "=" in move.move else None,
        move.best.moves[0],
        move.best.value,
        move.loss,
        move.mark,
        move.exact,
        move.change,
        move.luck,
        PHASES[move.phase],
        move.best.depth,
        move.best.certainty,
        move.best.moves,
        tuple(map(json_line, move.lines)),
        move.nodes,
        move.recorded,
        move.seconds,
        review.facts[move.ply],
    )


def json_line(line: Line) -> JsonLine:
    return JsonLine(line.value, line.moves, line.exact, line.depth, line.certainty)


def player(review: GameReview, found: PlayerTotals) -> JsonPlayer:
    phases = {name: totals(sums) for name, sums in zip(PHASES, found.phases, strict=True)}
    name = review.record.players[found.player - 1]
    return JsonPlayer(SEATS[found.player], name, totals(found.whole), phases, found.luck)


def totals(sums: Totals) -> JsonTotals:
    return JsonTotals(
        sums.decisions,
        sums.best,
        sums.dubious,
        sums.mistakes,
        sums.blunders,
        sums.loss,
        None if sums.mean_loss is None else round(sums.mean_loss, 3),
        None if sums.accuracy is None else round(sums.accuracy, 1),
    )
