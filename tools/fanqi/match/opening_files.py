"""Openings from what the user asked for: ``start``, ``balanced``, ``random:N``, or a file in any format we read."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from fanqi.files import described
from fanqi.game import GameError, quoted
from fanqi.match.errors import ConfigurationError
from fanqi.match.openings import FixedOpening, ListedOpenings, Opening, RandomOpenings, checked_opening
from fanqi.records import RecordError, parse_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.match.config import MatchConfig
    from fanqi.match.openings import Openings

__all__ = ["format_opening_line", "load_openings", "make_openings", "parse_opening_lines"]

RANDOM = re.compile(r"random:(\d{1,2})")
MAX_RANDOM_PLIES = 50
BALANCED_LENGTH = 16


def make_openings(config: MatchConfig, listed: list[Opening]) -> Openings:
    """The source of openings of a match.

    Args:
        config: of the match.
        listed: what `load_openings` found, empty if the match uses no file.
    """
    if config.openings == "start":
        return FixedOpening()
    if found := RANDOM.fullmatch(config.openings):
        return RandomOpenings(config.game, config.rules, int(found[1]), int(config.seed))
    seed = int(config.seed) if config.opening_order == "random" else None
    return ListedOpenings(listed, seed, config.opening_first - 1)


def load_openings(choice: str, game: str, rules: str, plies: int | None) -> tuple[list[Opening], list[str]]:
    """Read the openings a user asked for, if they come from a file.

    Args:
        choice: ``start``, ``balanced``, ``random:N`` or a file name.
        game, rules: what is played.
        plies: use at most so many moves of each line.

    Returns:
        The openings that can be played, and a complaint for each that cannot, with file and line.

    Raises:
        ConfigurationError: no such file, no good line in it, or ``random`` where it makes no sense.
    """
    if choice == "start":
        return [], []
    if choice == "balanced":
        if game != "othello":
            raise ConfigurationError("the balanced openings are for Othello; banqi's deals are random already")
        if rules:
            raise ConfigurationError(f"the balanced openings are for Othello's usual rules, not for {rules}")
        return balanced_openings(plies), []
    if choice.startswith("random:"):
        found = RANDOM.fullmatch(choice)
        if found is None or not 0 < int(found[1]) <= MAX_RANDOM_PLIES:
            raise ConfigurationError(
                f"openings {quoted(choice)}: expected random:N with N from 1 to {MAX_RANDOM_PLIES}"
            )
        if game == "banqi":
            raise ConfigurationError("random openings are for Othello; banqi's deals are random already")
        return [], []
    try:
        data = Path(choice).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"openings {described(error, choice)}") from None
    openings: list[Opening] = []
    complaints: list[str] = []
    reader = banqi_positions(data) if game == "banqi" else othello_openings(data)
    for found_opening in reader:
        if isinstance(found_opening, RecordError):
            complaints.append(f"{choice}: {found_opening}")
            continue
        where, opening = found_opening
        if plies is not None:
            opening = Opening(opening.start, opening.moves[:plies], opening.name)
        try:
            openings.append(checked_opening(game, rules, opening))
        except GameError as error:
            complaints.append(f"{choice}: {where}: {error}")
    if not openings:
        first = f"; {complaints[0]}" if complaints else ""
        raise ConfigurationError(f"openings {choice}: none that can be played{first}")
    return openings, complaints


def balanced_openings(plies: int | None) -> list[Opening]:
    """The suite that comes with Fanqi, made by ``fanqi openings make``: its lines are known to be good."""
    text = (resources.files("fanqi.match") / "data" / "balanced8.txt").read_text(encoding="ascii")
    lines = [line for line in text.split() if line.isalnum() and len(line) == BALANCED_LENGTH]
    openings = []
    for line in lines:
        moves = tuple(line[at : at + 2] for at in range(0, len(line), 2))[:plies]
        openings.append(Opening("startpos", moves, "".join(moves)))
    return openings


def othello_openings(data: bytes) -> Iterator[tuple[str, Opening] | RecordError]:
    """The openings of an Othello file: transcripts, OBF positions, GGF, SGF, PGN or WTHOR games."""
    try:
        records = parse_records(data)
    except RecordError as error:
        yield error
        return
    for number, record in enumerate(records, 1):
        if isinstance(record, RecordError):
            yield record
            continue
        if record.game != "othello":
            yield RecordError("not an Othello game", record.game, line=number)
            continue
        moves = tuple(move.move for move in record.moves)
        name = "".join(moves) or (record.start or "")
        yield f"opening {number}", Opening(record.start or "startpos", moves, name)


def banqi_positions(data: bytes) -> Iterator[tuple[str, Opening] | RecordError]:
    """The positions of a banqi file, one a line; ``#`` begins a comment."""
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if text and text != "\N{ZERO WIDTH NO-BREAK SPACE}":
            yield f"line {number}", Opening(text, (), text)


def format_opening_line(opening: Opening) -> str:
    """An opening as a line of ``openings.txt``: start, moves."""
    return f"{opening.start};{' '.join(opening.moves)}"


def parse_opening_lines(text: str) -> list[Opening]:
    """The openings of ``openings.txt``."""
    openings = []
    for line in text.splitlines():
        start, _, moves = line.partition(";")
        played = tuple(moves.split())
        openings.append(Opening(start, played, "".join(played) or start))
    return openings
