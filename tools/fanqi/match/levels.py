"""How strong the levels are: a match of all of them, and the table that follows from it."""

from __future__ import annotations

import importlib
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from fanqi.about import VERSION
from fanqi.game import quoted
from fanqi.match.config import MatchConfig
from fanqi.match.errors import MatchError
from fanqi.match.limit import Limit
from fanqi.match.ratings import difference_error, rate
from fanqi.match.schedule import Form
from fanqi.match.specification import EngineSpec
from fanqi.match.standings import Standings
from fanqi.match.store import EVALUATION, read_config, read_journal, read_note
from fanqi.strength import FULL_STRENGTH, PRESETS, Calibration, CalibrationError, Rating

if TYPE_CHECKING:
    from pathlib import Path

    from fanqi.strength import Ladder

__all__ = [
    "ANCHOR",
    "FULL_NODES",
    "PLAYERS",
    "calibrate",
    "calibration",
    "evaluation_of",
    "ladder_of",
    "levels_config",
    "require_evaluation",
    "table_lines",
]

ANCHOR = "random"
FULL_NODES = {"othello": 200_000, "banqi": 50_000}
"""What full strength may look at for a move: it has no bound of its own, and nodes do not depend on the machine."""
NO_BOUND = Limit(depth=60)
HASH_MIB = 4
WEIGHTS = {"othello": "fanqi.othello.patterns", "banqi": "fanqi.banqi.weights"}

LEVELS = tuple(f"level {number}" for number in range(FULL_STRENGTH + 1))
PLAYERS = {
    "othello": (ANCHOR, *LEVELS[:1], "greedy", "beginner", *LEVELS[1:11], "intermediate", *LEVELS[11:]),
    "banqi": (ANCHOR, *LEVELS[:3], "greedy", "beginner", *LEVELS[3:14], "intermediate", *LEVELS[14:]),
}
"""Who is rated: the players that anchor the scale, the levels, and the presets that work without a clock, about in the
order of their strength, so that neighbours make good opponents."""


def levels_config(game: str, games: int, seed: str, full_nodes: int | None = None, every: int = 1) -> MatchConfig:
    """The match that rates the levels of a game.

    Args:
        game: which.
        games: of each pairing.
        seed: of openings, deals and dice.
        full_nodes: nodes a move of full strength; None for `FULL_NODES`.
        every: the distance of the levels that play; 0, 19 and 20 always do.
    """
    nodes = full_nodes or FULL_NODES[game]
    limited = range(FULL_STRENGTH - 1, every - 1, -every)
    chosen = {LEVELS[number] for number in (0, *limited, FULL_STRENGTH)}
    return MatchConfig(
        game=game,
        engines=tuple(player(name, nodes) for name in PLAYERS[game] if name not in LEVELS or name in chosen),
        games=games,
        seed=seed,
        form=Form.LADDER,
        openings="balanced" if game == "othello" else "start",
    )


def player(name: str, full_nodes: int) -> EngineSpec:
    """One of `PLAYERS` as the runner takes it."""
    if name in (ANCHOR, "greedy"):
        return EngineSpec(name, f"builtin:{name}", "fanqi", NO_BOUND)
    options = {"Hash": str(HASH_MIB)}
    options |= {"Preset": name} if name in PRESETS else {"Skill Level": name.removeprefix("level ")}
    limit = Limit(nodes=full_nodes) if name == LEVELS[-1] else NO_BOUND
    return EngineSpec(name, "builtin:fanqi", "fanqi", limit, options)


def ladder_of(game: str) -> Ladder:
    """The levels of a game. Loads its kernels."""
    found: Ladder = importlib.import_module(f"fanqi.{game}.ladder").LADDER
    return found


def evaluation_of(game: str) -> str:
    """The digest of a game's evaluation. Loads it."""
    found: str = importlib.import_module(WEIGHTS[game]).evaluation_digest()
    return found


def require_evaluation(directory: Path, game: str) -> None:
    """Refuse a match folder whose games rate another evaluation than today's.

    Raises:
        StoreError: the folder cannot be read.
        MatchError: they do.
    """
    began, now = read_note(directory, EVALUATION), evaluation_of(game)
    if began != now:
        played = "with an unknown evaluation" if began is None else f"with the evaluation {quoted(began)}"
        raise MatchError(f"{directory}: played {played}, today's is {now}; rate the levels in another folder")


def calibrate(directory: Path) -> Calibration:
    """The table that follows from the games in a match folder so far.

    Raises:
        StoreError: the folder cannot be read.
        MatchError: as for `require_evaluation` and `calibration`.
    """
    config = read_config(directory)
    require_evaluation(directory, config.game)
    standings = Standings.of(config)
    for record in read_journal(directory):
        standings.add(record)
    return calibration(config, standings)


def calibration(config: MatchConfig, standings: Standings) -> Calibration:
    """The table that follows from results; whether it can be used, `Calibration.check` says.

    Raises:
        MatchError: it was no match of levels, or somebody has not met the anchor, not even by way of others.
    """
    names = [engine.name for engine in config.engines]
    played = [name for name in LEVELS if name in names]
    if ANCHOR not in names or LEVELS[-1] not in names:
        raise MatchError(f"not a match of levels, but of {', '.join(names)}")
    results = standings.results
    found = rate(names, results, ANCHOR)
    if found.groups != [names]:
        raise MatchError("not all players are connected by games yet")
    steps = {above: difference_error(found, results, above, below) for below, above in pairwise(played)}
    full = next(engine.limit for engine in config.engines if engine.name == LEVELS[-1])
    return Calibration(
        game=config.game,
        anchor=ANCHOR,
        full=f"nodes {full.nodes}",
        made=f"{datetime.now().astimezone():%Y-%m-%d}",
        version=VERSION,
        ladder=ladder_of(config.game).fingerprint,
        weights=evaluation_of(config.game),
        games=standings.games,
        players=tuple(
            Rating(
                name,
                round(rating.value, 1),
                round(rating.error or 0.0, 1),
                standings.points(name)[1],
                round(steps[name], 1) if name in steps else None,
            )
            for name, rating in found.ratings.items()
            if rating is not None
        ),
    )


def table_lines(table: Calibration) -> list[str]:
    """The table for people, in Markdown, weakest first; a problem with it is the last line."""
    steps = {above: above.elo - below.elo for below, above in pairwise(table.levels)}
    lines = ["| player | Elo | ± | above the level below | ± | games |", "|---|---:|---:|---:|---:|---:|"]
    for one in sorted(table.players, key=lambda one: one.elo):
        step = " | "
        if one in steps and one.step_error is not None:
            step = f"{steps[one]:+.0f} | {one.step_error:.0f}"
        lines.append(f"| {one.name} | {one.elo:.0f} | {one.error:.0f} | {step} | {one.games} |")
    try:
        table.check()
    except CalibrationError as error:
        lines += ["", f"Cannot be used: {error}"]
    return lines
