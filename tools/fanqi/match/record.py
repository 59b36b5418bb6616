"""The record of one game: everything anybody may want to know about it, as one line of JSON.

The keys ``game``, ``players``, ``start``, ``rules``, ``moves``, ``evals``, ``times`` and ``result`` are those
of `fanqi.records.jsonl`, so whatever reads game records reads a match as well; the others come on top.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from fanqi.game import Player, quoted
from fanqi.match.errors import StoreError
from fanqi.records import GameRecord as PlainRecord
from fanqi.records import PlayedMove
from fanqi.records import Result as PlainResult

__all__ = [
    "FORMAT",
    "DealProof",
    "GameRecord",
    "Ply",
    "Result",
    "decode_record",
    "encode_record",
    "hide_proof",
    "plain_record",
]

FORMAT = "fanqi-match-game-1"
SEATS = {"p1": Player.P1, "p2": Player.P2, None: None}


@dataclass(frozen=True, slots=True)
class Ply:
    """One move with all that is known of it; see the columns of `GameRecord`."""

    move: str
    ms: int | None = None
    left: int | None = None
    cp: int | None = None
    depth: int | None = None
    nodes: int | None = None
    exact: bool = False


class Result(msgspec.Struct, frozen=True):
    """How a game ended.

    Attributes:
        winner: ``p1``, ``p2``, or None for a draw.
        margin: in discs or stake points from p1's view, or None where it was not measured.
        reason: empty for an end by the rules of Othello, else the termination.
    """

    winner: str | None
    margin: float | None = None
    reason: str = ""


class DealProof(msgspec.Struct, frozen=True, omit_defaults=True):
    """The commitment of a banqi deal, and what opens it; see docs/arbiter.md.

    ``seed``, ``salt``, ``layout`` and ``draw`` are None until all games with this deal are over.
    """

    commitment: str
    seed: str | None = None
    salt: str | None = None
    layout: str | None = None
    draw: str | None = None
    mirrored: bool = False


class GameRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finished game.

    The columns ``times`` to ``exact`` have one entry a move, None where it is not known and for moves of the
    opening; a column in which nothing is known is empty.

    Attributes:
        format: `FORMAT`.
        number: of the game in its match, from 1; odd numbers are the first games of their pairs.
        pair: number of the pair in its match, from 1.
        round: number of the pair among those of the same two engines, or in a Swiss tournament of the same table, from
            1.
        game: ``othello`` or ``banqi``.
        players: names in this match of p1 and p2, see `fanqi.game.Player`.
        labels: what the engines call themselves.
        limits: such as ``tc=60+0.6``.
        rules: rule parameters, empty for the default.
        scoring: convention that the margin follows (Othello), empty for the default.
        start: a position, None for the usual start.
        opening: name or text of the opening.
        opening_plies: how many moves belong to it.
        date: when the game began, UTC, ISO 8601.
        ended: when it ended.
        moves: all of them, in canonical notation, flips with their outcomes.
        times: seconds taken.
        evals: the mover's score in discs or pawns, its own view.
        clocks: milliseconds on the mover's clock afterwards.
        depths, nodes: as reported.
        exact: whether the score was claimed to be proven.
        result: None for a game that counts for nothing, since neither engine could be started.
        termination: why it ended: a reason of the rules (``discs``, ``extinct``, ``no_moves``,
            ``all_banned``, ``no_progress``, ``repetition``), ``resigned``, ``agreed``, an adjudication
            (``adjudicated_…``), or the loser's fault (see `fanqi.match.errors.Fault`).
        detail: what happened, for people; empty where the termination says it all.
        final: the position at the end.
        deal: commitment and proof (banqi).
        notes: anything else worth telling, such as banned answers.
    """

    format: str
    number: int
    pair: int
    round: int
    game: str
    players: tuple[str, str]
    labels: tuple[str, str] = ("", "")
    limits: tuple[str, str] = ("", "")
    rules: str = ""
    scoring: str = ""
    start: str | None = None
    opening: str = ""
    opening_plies: int = 0
    date: str
    ended: str
    moves: list[str]
    times: list[float | None] = []
    evals: list[float | None] = []
    clocks: list[int | None] = []
    depths: list[int | None] = []
    nodes: list[int | None] = []
    exact: list[bool] = []
    result: Result | None
    termination: str
    detail: str = ""
    final: str
    deal: DealProof | None = None
    notes: list[str] = []

    def plies_of(self, seat: int) -> range:
        """The indices of the moves of p1 (0) or p2 (1); passes are moves, so sides alternate."""
        p2_begins = self.game == "othello" and self.start is not None and self.start[-1] in "OoWw"
        return range(seat ^ p2_begins, len(self.moves), 2)

    def score_of(self, name: str) -> float | None:
        """1, 1/2 or 0 for the engine called ``name``; None if the game is void or it did not play."""
        if self.result is None or name not in self.players:
            return None
        if self.result.winner is None:
            return 0.5
        return float(self.result.winner == ("p1" if name == self.players[0] else "p2"))


def columns(plies: list[Ply]) -> dict[str, list[object]]:
    """The columns of a record, those in which nothing is known left empty."""
    found: dict[str, list[object]] = {
        "times": [None if ply.ms is None else ply.ms / 1000 for ply in plies],
        "evals": [None if ply.cp is None else ply.cp / 100 for ply in plies],
        "clocks": [ply.left for ply in plies],
        "depths": [ply.depth for ply in plies],
        "nodes": [ply.nodes for ply in plies],
        "exact": [ply.exact for ply in plies],
    }
    # not `in`: a time of 0.0 is equal to False
    return {
        name: values if any(value is not None and value is not False for value in values) else []
        for name, values in found.items()
    }


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(GameRecord)


def encode_record(record: GameRecord) -> bytes:
    """One line of JSON, with its line feed."""
    return _encoder.encode(record) + b"\n"


def decode_record(line: bytes) -> GameRecord:
    """The record in a line.

    Raises:
        StoreError: it is no record, or of another format.
    """
    try:
        record = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"not a game record: {error}: {line[:80]!r}") from None
    if record.format != FORMAT:
        raise StoreError(f"a game record of format {quoted(record.format)}, not {FORMAT!r}")
    return record


def hide_proof(record: GameRecord) -> GameRecord:
    """The record without what would tell the players of another game where pieces lie."""
    if record.deal is None:
        return record
    return msgspec.structs.replace(record, deal=DealProof(record.deal.commitment, mirrored=record.deal.mirrored))


def plain_record(record: GameRecord) -> PlainRecord:
    """The game as the record formats of the wider world know it."""
    size = len(record.moves)
    evals = record.evals or [None] * size
    times = record.times or [None] * size
    result = record.result
    return PlainRecord(
        record.game,
        tuple(map(PlayedMove, record.moves, evals, times)),
        record.start,
        record.players,
        date=record.date,
        place="Fanqi",
        result=None if result is None else PlainResult(SEATS[result.winner], result.margin, result.reason),
        rules=record.rules,
        opening_plies=record.opening_plies,
    )
