"""What a job asks for and what comes back, as the bytes in docs/workers.md say it: one struct a kind.

Field names are the wire's. Every text and list is bounded here, so that decoding is already the first line of
defence; what a worker allows beyond that (time, nodes, threads) is its own configuration. Unknown fields are
ignored.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

__all__ = [
    "KINDS",
    "Analyse",
    "AnalyseResult",
    "Game",
    "GameResult",
    "Line",
    "Ping",
    "PingResult",
    "Play",
    "PlayResult",
    "Player",
    "PositionSpec",
    "Result",
    "ReviewedMove",
    "SearchLimits",
    "Selfplay",
    "SelfplayResult",
    "Work",
    "kind_of",
]

KINDS = ("analyse", "game", "play", "selfplay", "ping")

Move = Annotated[str, Meta(min_length=1, max_length=16)]
Moves = Annotated[tuple[Move, ...], Meta(max_length=2000)]
Fen = Annotated[str, Meta(max_length=512)]
Rules = Annotated[str, Meta(max_length=256)]
GameName = Annotated[str, Meta(min_length=1, max_length=32)]
ShortText = Annotated[str, Meta(max_length=200)]
Cp = Annotated[int, Meta(ge=-10_000_000, le=10_000_000)]
Count = Annotated[int, Meta(ge=0, le=2**62)]
Seed = Annotated[int, Meta(ge=0, le=2**62)]
Record = Annotated[bytes, Meta(max_length=1_000_000)]
MultiPV = Annotated[int, Meta(ge=1, le=500)]


class Wire(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all: immutable, fields at their default are left out."""


class PositionSpec(Wire, frozen=True, kw_only=True):
    """A position as the protocol's ``position`` command gives it: an empty ``fen`` is the start position."""

    game: GameName
    fen: Fen = ""
    moves: Moves = ()
    rules: Rules = ""


class SearchLimits(Wire, frozen=True, kw_only=True):
    """What ends a search; at least one must be given, the first one reached ends it."""

    depth: Annotated[int, Meta(ge=1, le=255)] | None = None
    nodes: Annotated[int, Meta(ge=1, le=2**62)] | None = None
    movetime_ms: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    solve: Literal["score", "wdl"] | None = None


class Analyse(Wire, frozen=True, kw_only=True, tag="analyse"):
    """One position, searched with a cleared table."""

    position: PositionSpec
    limits: SearchLimits
    multipv: MultiPV = 1


class Game(Wire, frozen=True, kw_only=True, tag="game"):
    """Every move of a game: ``position.moves`` are the game's moves, each position before one is searched."""

    position: PositionSpec
    limits: SearchLimits


class Player(Wire, frozen=True, kw_only=True):
    """One side of a match: a name, a way to start it that the worker knows, and options for it.

    ``engine`` is ``builtin:NAME`` or the name of an engine in the worker's configuration, never a command.
    """

    name: Annotated[str, Meta(min_length=1, max_length=64)]
    engine: Annotated[str, Meta(min_length=1, max_length=64)]
    options: Annotated[dict[ShortText, ShortText], Meta(max_length=64)] = {}


class Play(Wire, frozen=True, kw_only=True, tag="play"):
    """One pair of match games: the same opening or deal, seats swapped.

    ``settings`` is the match's own description of the pair, in the match runner's JSON; it names no command.
    """

    game: GameName
    players: tuple[Player, Player]
    settings: Annotated[bytes, Meta(max_length=65_536)]


class Selfplay(Wire, frozen=True, kw_only=True, tag="selfplay"):
    """Games of the engine against itself, for training; ``exact``: empty squares from which Othello is solved."""

    game: GameName
    games: Annotated[int, Meta(ge=1, le=10_000)]
    seed: Seed
    depth: Annotated[int, Meta(ge=1, le=24)]
    exact: Annotated[int, Meta(ge=0, le=24)] = 14
    rules: Rules = ""


class Ping(Wire, frozen=True, kw_only=True, tag="ping"):
    """Nothing at all, to measure the way there and back."""

    text: ShortText = ""


Work = Analyse | Game | Play | Selfplay | Ping


class Line(Wire, frozen=True, kw_only=True):
    """One line of thinking, as the protocol's ``info``: scores and wdl from the view of the side to move."""

    depth: Annotated[int, Meta(ge=0, le=1000)] = 0
    seldepth: Annotated[int, Meta(ge=0, le=1000)] = 0
    selectivity: Annotated[int, Meta(ge=0, le=100)] | None = None
    multipv: MultiPV = 1
    score_cp: Cp | None = None
    bound: Literal["", "lowerbound", "upperbound"] = ""
    wdl: tuple[Count, Count, Count] | None = None
    nodes: Count = 0
    time_ms: Count = 0
    pv: Moves = ()


class AnalyseResult(Wire, frozen=True, kw_only=True, tag="analyse"):
    """The end of one search; ``move`` is None only when the game was over already."""

    move: Move | None
    ponder: Move | None = None
    lines: Annotated[tuple[Line, ...], Meta(max_length=500)] = ()


class ReviewedMove(Wire, frozen=True, kw_only=True):
    """One move of a game beside the engine's choice; scores from the view of its mover.

    ``loss_cp`` is what the move gives away against ``best``, never below 0; None where either has no score.
    """

    ply: Count
    move: Move
    best: Move | None = None
    best_cp: Cp | None = None
    move_cp: Cp | None = None
    loss_cp: Cp | None = None
    line: Line | None = None


class GameResult(Wire, frozen=True, kw_only=True, tag="game"):
    """A game move by move."""

    moves: Annotated[tuple[ReviewedMove, ...], Meta(max_length=2000)]


class PlayResult(Wire, frozen=True, kw_only=True, tag="play"):
    """The records of both games, in the match runner's JSON."""

    records: Annotated[tuple[Record, ...], Meta(min_length=1, max_length=2)]


class SelfplayResult(Wire, frozen=True, kw_only=True, tag="selfplay"):
    """Training records: for Othello the layout of `fanqi.train.selfplay`, for banqi JSON lines."""

    games: Count
    positions: Count
    records: Annotated[bytes, Meta(max_length=4_000_000)]


class PingResult(Wire, frozen=True, kw_only=True, tag="ping"):
    """The text that was sent."""

    text: ShortText = ""


Result = AnalyseResult | GameResult | PlayResult | SelfplayResult | PingResult


def kind_of(value: Work | Result) -> str:
    """The kind of a job or of a result, one of `KINDS`."""
    return str(value.__struct_config__.tag)
