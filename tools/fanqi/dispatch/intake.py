"""From files and positions to jobs, as a stream: a file may be larger than memory."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from fanqi.dispatch.errors import IntakeError
from fanqi.dispatch.ledger import NewJob
from fanqi.dispatch.needs import Need
from fanqi.game import GameError, quoted
from fanqi.mqtt import PayloadError
from fanqi.mqtt.codec import decode_work, encode
from fanqi.mqtt.work import Analyse, Game, Ping, PositionSpec, SearchLimits, Selfplay, Work
from fanqi.records import RecordError, numbered, parse_position, read_records

__all__ = ["Rejected", "Source", "Template", "jobs_of", "open_source"]

NO_LIMITS = SearchLimits()
LONGEST_LINE = 64 * 1024
SLACK = 1.5  # a search of a stated time may take so much longer before its worker is taken for hung
SLACK_S = 60.0


@dataclass(frozen=True, slots=True)
class Template:
    """What all jobs of a submission have in common.

    Attributes:
        job_timeout_s: how long a job without a time limit may run.
        games, games_per_job, exact, seed: for ``selfplay``.
    """

    kind: str
    limits: SearchLimits = NO_LIMITS
    multipv: int = 1
    rules: str = ""
    game: str | None = None
    threads: int = 1
    hash_mib: int = 16
    job_timeout_s: float = 3600.0
    games: int = 0
    games_per_job: int = 10
    exact: int = 14
    seed: int = 0

    def job(self, work: Work, game: str | None, origin: str, searches: int = 1) -> NewJob:
        """A job with this template's share of a machine.

        Raises:
            PayloadError: something about it is out of the wire's bounds.
        """
        lease = self.job_timeout_s
        limits = getattr(work, "limits", None)
        if limits is not None and limits.movetime_ms is not None:
            lease = min(lease, limits.movetime_ms / 1000 * searches * SLACK + SLACK_S)
        packed = encode(work)
        decode_work(packed)  # the bounds of the wire hold here already
        return NewJob(origin, Need(self.kind, game, self.threads, self.hash_mib), lease, packed)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A piece of input that is no job, and why."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file, standard input (``-``) or one position given by itself.

    Attributes:
        name: for messages.
        path: of the file; None for the others.
        text: the position.
        place: of a position: which argument it is, from 1.
    """

    name: str
    path: Path | None = None
    text: str | None = None
    place: int = 1

    def identity(self) -> list[Any]:
        """By this a submission that is begun again is known to be the same."""
        if self.path is None:
            return [self.name, self.text]
        stat = self.path.stat()
        return [str(self.path.resolve()), stat.st_size, stat.st_mtime_ns]


def open_source(argument: str, kind: str, place: int = 1) -> Source:
    """What an argument stands for: a file, ``-``, or a position; ``place`` is its place among the arguments.

    Raises:
        IntakeError: it is none of these.
    """
    if argument == "-":
        return Source("-")
    path = Path(argument)
    try:
        if path.is_file():
            return Source(argument, path=path)
    except OSError:
        pass  # too long for a file name, then
    if kind == "analyse":
        try:
            position_of(argument, "")
        except (RecordError, GameError) as error:
            raise IntakeError(f"{quoted(argument)} is neither a file nor a position: {error}") from None
        return Source(argument, text=argument, place=place)
    raise IntakeError(f"{quoted(argument)} is not a file")


def jobs_of(source: Source, template: Template) -> Iterator[NewJob | Rejected]:
    """The jobs in a source, in order, with what is no job among them."""
    if template.kind == "selfplay":
        yield from selfplay_jobs(template)
    elif source.text is not None:
        yield from line_jobs(io.BytesIO(source.text.encode()), "argument", template, source.place)
    elif source.path is not None:
        with source.path.open("rb") as stream:
            yield from stream_jobs(stream, source.name, template)
    else:
        yield from stream_jobs(sys.stdin.buffer, "stdin", template)


def stream_jobs(stream: BinaryIO, name: str, template: Template) -> Iterator[NewJob | Rejected]:
    if template.kind == "game":
        return game_jobs(stream, name, template)
    return line_jobs(stream, name, template)


def line_jobs(stream: BinaryIO, name: str, template: Template, first: int = 1) -> Iterator[NewJob | Rejected]:
    """One job a line; blank lines and those that begin with ``#`` are none. ``first`` is the first line's number."""
    read: Callable[[str, str, Template], NewJob] = ping_job if template.kind == "ping" else position_job
    for number, line in enumerate(bounded_lines(stream), first):
        origin = f"{name}:{number}"
        if line is None:
            yield Rejected(origin, f"a line of more than {LONGEST_LINE} bytes")
            continue
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            yield read(text, origin, template)
        except RecordError as error:  # its line is always the first: the origin has the one of the file
            yield Rejected(origin, str(RecordError(error.reason, error.text, column=error.column)))
        except (GameError, IntakeError, PayloadError) as error:
            yield Rejected(origin, str(error))


def bounded_lines(stream: BinaryIO) -> Iterator[str | None]:
    """Lines of a stream, None for one that is too long, which is skipped without being held."""
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            while not line.endswith(b"\n") and (line := stream.readline(LONGEST_LINE)):
                pass
            yield None
        else:
            yield line.decode(errors="replace").removeprefix("\ufeff")


def ping_job(text: str, origin: str, template: Template) -> NewJob:
    return template.job(Ping(text=text[:200]), None, origin)


def position_job(text: str, origin: str, template: Template) -> NewJob:
    """A job from a position, with moves after the word ``moves``; or from a JSON object with more to say."""
    limits, multipv, rules, moves = template.limits, template.multipv, template.rules, ""
    if text.startswith("{"):
        given = read_object(text)
        text, moves, rules = given.position, " ".join(given.moves), given.rules or rules
        multipv = given.multipv or multipv
        own = SearchLimits(depth=given.depth, nodes=given.nodes, movetime_ms=given.movetime, solve=given.solve)
        limits = limits if own == NO_LIMITS else own
    if limits == NO_LIMITS:
        raise IntakeError("no limit: give a depth, a number of nodes, a movetime, or ask to solve")
    spec = position_of(text if not moves else f"{text} moves {moves}", rules)
    if template.game is not None and spec.game != template.game:
        raise IntakeError(f"a position of {spec.game}, not of {template.game}")
    return template.job(Analyse(position=spec, limits=limits, multipv=multipv), spec.game, origin)


class Given(msgspec.Struct):
    """A line of JSON for ``analyse``."""

    position: str = "startpos"
    moves: list[str] = []
    rules: str = ""
    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    solve: Literal["score", "wdl"] | None = None
    multipv: int | None = None


def read_object(text: str) -> Given:
    try:
        return msgspec.json.decode(text, type=Given)
    except msgspec.DecodeError as error:
        raise IntakeError(str(error)) from None


def position_of(text: str, rules: str) -> PositionSpec:
    """A position as people write it, played on by the moves after ``moves``."""
    head, _, tail = text.partition(" moves ")
    head = head.removeprefix("position ").removeprefix("fen ").strip()
    game, position = parse_position(head, rules)
    fen = position.fen()
    moves = tail.split()
    played = []
    for move in moves:
        played.append(canonical := position.canonical(move))
        position = position.play(canonical)
    return PositionSpec(game=game, fen=fen, moves=tuple(played), rules=rules)


def game_jobs(stream: BinaryIO, name: str, template: Template) -> Iterator[NewJob | Rejected]:
    """One job a recorded game, in any format that is read."""
    if template.limits == NO_LIMITS:
        raise IntakeError("no limit: give a depth, a number of nodes or a movetime")
    try:
        for number, record in numbered(read_records(stream)):
            if isinstance(record, RecordError):
                yield Rejected(f"{name}:{record.line or number}", str(record))
                continue
            moves = tuple(played.move for played in record.moves)
            origin = f"{name}#{number}"
            rules = record.rules or template.rules
            spec = PositionSpec(game=record.game, fen=record.start or "", moves=moves, rules=rules)
            try:
                yield template.job(Game(position=spec, limits=template.limits), record.game, origin, 2 * len(moves))
            except PayloadError as error:
                yield Rejected(origin, str(error))
    except RecordError as error:  # no format at all
        raise IntakeError(f"{name}: {error}") from None


def selfplay_jobs(template: Template) -> Iterable[NewJob]:
    """As many jobs as it takes to play so many games, each with a seed of its own."""
    if template.game is None or template.limits.depth is None:
        raise IntakeError("self-play needs a game and a depth")
    if template.game == "othello" and template.rules:
        raise IntakeError(f"{quoted(template.rules)}: self-play of Othello is by its usual rules only")
    left, index = template.games, 0
    while left > 0:
        games = min(left, template.games_per_job)
        work = Selfplay(
            game=template.game,
            games=games,
            seed=template.seed + index,
            depth=template.limits.depth,
            exact=template.exact,
            rules=template.rules,
        )
        yield template.job(work, template.game, f"seed {template.seed + index}")
        left -= games
        index += 1
