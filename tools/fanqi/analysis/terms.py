"""What a review is asked to do, and what that means for one game: its objective, its draw line, its limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fanqi.analysis.searcher import refined
from fanqi.game import FEATURES
from fanqi.ggs_wire.errors import WireError
from fanqi.ggs_wire.values import GameType
from fanqi.search import Limits, Settings, Solve

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.records import GameRecord

__all__ = ["DEFAULTS", "Plan", "Terms", "terms_of"]

DEFAULTS = {("othello", "most"): (16, 20), ("othello", "fewest"): (10, 14), ("banqi", "most"): (6, 0)}
"""Depth, where no other limit is given, and the empty squares from which games are solved: some seconds a game."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What somebody asks for; None leaves it to the game.

    Attributes:
        depth, nodes, movetime_ms: limits of each search, the first one reached ends it.
        exact: Othello: with so many empty squares or fewer, search to the end whatever ``depth`` says.
        multipv: lines a position.
        threads, hash_mib: for the engine.
        objective: Othello: ``most`` or ``fewest`` discs win.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None
    exact: int | None = None
    multipv: int = 1
    threads: int = 1
    hash_mib: int = 64
    objective: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """How one game is reviewed.

    Attributes:
        objective: ``most``, or ``fewest`` for anti-Othello.
        draw_line: the disc difference that is a draw, from Black's view: the komi of the game, else 0.
        exact: empty squares from which positions are solved; 0 in banqi, where the endgame tables decide.
        limits: of the other positions.
        settings: of the engine.
    """

    objective: str
    draw_line: float
    exact: int
    limits: Limits
    settings: Settings

    def limits_at(self, position: Position, moves: tuple[str, ...] | None = None, deeper: int = 0) -> Limits:
        """The limits of a search of ``position``: as `refined`, but to the end where that is near."""
        if self.exact and getattr(position, "empties", 64) <= self.exact:
            return replace(self.limits, depth=None, moves=moves, solve=Solve.SCORE)
        return refined(self.limits, moves, deeper)


def terms_of(record: GameRecord, plan: Plan) -> Terms:
    """What a plan means for a game: a GGF type with an ``a`` is anti-Othello, ``KM`` is the komi."""
    objective = "most"
    if record.game == "othello":
        objective = plan.objective or ("fewest" if is_anti(record.tag("TY") or "") else "most")
    draw_line = komi_of(record) if record.game == "othello" else 0.0
    usual_depth, exact = DEFAULTS[record.game, objective]
    bounded = plan.depth is not None or plan.nodes is not None or plan.movetime_ms is not None
    depth = plan.depth if bounded else usual_depth
    if plan.exact is not None and record.game == "othello":
        exact = plan.exact
    return Terms(
        objective,
        draw_line,
        exact,
        Limits(depth=depth, nodes=plan.nodes, movetime_ms=plan.movetime_ms),
        Settings(
            hash_mib=plan.hash_mib,
            threads=min(plan.threads, FEATURES[record.game].max_threads),
            multipv=plan.multipv,
            move_overhead_ms=0,
            objective=objective,
            draw_line=draw_line,
        ),
    )


def is_anti(text: str) -> bool:
    """Whether a GGS game type, such as ``8a``, is of anti-Othello."""
    try:
        return GameType.parse(text).anti
    except WireError:
        return False


def komi_of(record: GameRecord) -> float:
    """The komi of a game in discs from Black's view; 0 where there is none."""
    try:
        komi = float(record.tag("KM") or 0)
    except ValueError:
        return 0.0
    return komi if abs(komi) <= 64 else 0.0
