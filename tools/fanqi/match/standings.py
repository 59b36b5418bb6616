"""Running totals of a match, from its records in any order. Memory does not grow with the number of games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fanqi.match.config import MatchConfig
    from fanqi.match.record import GameRecord
    from fanqi.match.swiss_course import SwissCourse

__all__ = ["EngineTotals", "PairingTotals", "Standings"]


@dataclass(slots=True)
class PairingTotals:
    """The score between two engines, from the view of the first.

    Attributes:
        losses, draws, wins: of single games.
        pairs: counts of finished pairs that scored 0, 1/2, 1, 3/2, 2.
        margins: how many margins were measured, their sum and the sum of their squares.
        open_pairs: score of the one finished game of pairs that are not complete.
    """

    losses: int = 0
    draws: int = 0
    wins: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    margins: list[float] = field(default_factory=lambda: [0, 0.0, 0.0])
    open_pairs: dict[int, float | None] = field(default_factory=dict)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Losses, draws, wins."""
        return self.losses, self.draws, self.wins

    @property
    def sample(self) -> list[int]:
        """The counts to estimate from: of pairs where there are any, as they tell more, else of games."""
        return self.pairs if any(self.pairs) else list(self.counts)

    @property
    def games(self) -> int:
        return self.losses + self.draws + self.wins

    @property
    def score(self) -> float:
        return self.wins + self.draws / 2

    def add(self, pair: int, score: float | None, margin: float | None) -> None:
        """One game: its score and margin from the first engine's view, None where there is none."""
        if score is not None:
            self.losses += score == 0
            self.draws += score == 0.5
            self.wins += score == 1
        if margin is not None:
            self.margins[0] += 1
            self.margins[1] += margin
            self.margins[2] += margin * margin
        if pair not in self.open_pairs:
            self.open_pairs[pair] = score
            return
        other = self.open_pairs.pop(pair)
        if score is not None and other is not None:  # a pair with a void game tells nothing
            self.pairs[round(2 * (score + other))] += 1


@dataclass(slots=True)
class EngineTotals:
    """What one engine did, whoever it played.

    Attributes:
        label: what it calls itself.
        moves, time_s, nodes: of its own moves; nodes only of those that reported them.
        timed_nodes_s: time of the moves that reported nodes.
        depth_sum, depth_count: of the moves that reported a depth.
        faults: lost games by the engine's own fault, by termination.
        banned: answers that the chase ban forbids.
        starts: of its processes so far in this run, 0 for a builtin.
        restarts: how many of those replaced one that had failed.
    """

    label: str = ""
    moves: int = 0
    time_s: float = 0.0
    nodes: int = 0
    timed_nodes_s: float = 0.0
    depth_sum: int = 0
    depth_count: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    banned: int = 0
    starts: int = 0
    restarts: int = 0

    @property
    def ms_a_move(self) -> float | None:
        return 1000 * self.time_s / self.moves if self.moves else None

    @property
    def mean_depth(self) -> float | None:
        return self.depth_sum / self.depth_count if self.depth_count else None

    @property
    def nodes_a_second(self) -> float | None:
        return self.nodes / self.timed_nodes_s if self.timed_nodes_s > 0 else None


FAULTS = frozenset({"start_failure", "stall", "crash", "time", "illegal_move", "protocol"})


class Standings:
    """All totals of a match.

    Args:
        names: of the engines, in order.
        pairings: places of engines that meet for certain; others come as they do.
        course: of a Swiss tournament.
    """

    def __init__(
        self, names: Sequence[str], pairings: Sequence[tuple[int, int]], course: SwissCourse | None = None
    ) -> None:
        self.names = list(names)
        self.course = course
        self.pairings = {(self.names[a], self.names[b]): PairingTotals() for a, b in pairings}
        self.engines = {name: EngineTotals() for name in self.names}
        self.terminations: Counter[str] = Counter()
        self.games = 0
        self.void = 0
        self.plies = 0

    @classmethod
    def of(cls, config: MatchConfig) -> Self:
        """The standings of a match of which nothing has been played."""
        course = config.course()
        return cls([engine.name for engine in config.engines], config.pairings if course is None else (), course)

    def add(self, record: GameRecord) -> None:
        """Count one game."""
        if self.course is not None:
            self.course.record(record)
        self.games += 1
        self.void += record.result is None
        self.plies += len(record.moves)
        self.terminations[record.termination] += 1
        self._add_score(record)
        for seat, name in enumerate(record.players):
            self._add_moves(record, seat, self.engines[name])
        if record.termination in FAULTS and record.result is not None:
            loser = record.players[0 if record.result.winner == "p2" else 1]
            self.engines[loser].faults[record.termination] += 1

    @property
    def played(self) -> int:
        """Games in which both engines got as far as a game."""
        return self.games - self.terminations["start_failure"]

    @property
    def results(self) -> dict[tuple[str, str], tuple[float, int]]:
        """Of each pairing the points of the first engine and the number of games, as ratings are made from."""
        return {pair: (totals.score, totals.games) for pair, totals in self.pairings.items()}

    def points(self, name: str) -> tuple[float, int]:
        """Score and number of games of an engine against all others."""
        score, games = 0.0, 0
        for (first, second), totals in self.pairings.items():
            if name == first:
                score += totals.score
                games += totals.games
            elif name == second:
                score += totals.games - totals.score
                games += totals.games
        return score, games

    def _add_score(self, record: GameRecord) -> None:
        first, second = record.players
        swapped = (second, first) in self.pairings
        name = second if swapped else first
        totals = self.pairings.setdefault((second, first) if swapped else (first, second), PairingTotals())
        margin = None if record.result is None else record.result.margin
        unmeasured = FAULTS if record.game == "banqi" else FAULTS | {"resigned"}
        measured = margin is not None and record.termination not in unmeasured
        signed = None if not measured or margin is None else 0.0 - margin if swapped else margin
        totals.add(record.pair, record.score_of(name), signed)

    def _add_moves(self, record: GameRecord, seat: int, totals: EngineTotals) -> None:
        totals.label = record.labels[seat] or totals.label
        name = record.players[seat]
        totals.banned += sum(f": {name} answered the banned" in note for note in record.notes)
        mine = [ply for ply in record.plies_of(seat) if ply >= record.opening_plies]
        totals.moves += len(mine)
        for ply in mine:
            seconds = (record.times[ply] if record.times else None) or 0.0
            totals.time_s += seconds
            if record.nodes and (nodes := record.nodes[ply]) is not None:
                totals.nodes += nodes
                totals.timed_nodes_s += seconds
            if record.depths and (depth := record.depths[ply]) is not None:
                totals.depth_sum += depth
                totals.depth_count += 1
