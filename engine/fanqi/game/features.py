"""What each game's engine can do, known before any game is loaded: a handshake lists its options."""

from __future__ import annotations

from dataclasses import dataclass

from fanqi.strength import load_calibration

__all__ = ["FEATURES", "Features", "game_of_rules"]


@dataclass(frozen=True, slots=True)
class Features:
    """One game, as far as a protocol has to know it beforehand.

    Attributes:
        p1_clock: the colour by which UCI hosts name p1's clock: ``w`` or ``b``.
        scorings: names of the scoring conventions, the default first; empty where there is nothing to choose.
        rules: names of the rule parameters; no two games share one.
        solves: whether an exact solution can be asked for (`fanqi.search.Limits.solve`).
        certainties: of forward pruning that can be asked for, in percent (`fanqi.search.Limits.certainty`), rising;
            empty where the search has no levels of it.
        settings: those fields of `fanqi.search.Settings` the engine obeys.
        max_threads: how many search threads the engine can use at most.
        elo: the lowest and the highest strength it can be held down to.
    """

    p1_clock: str
    scorings: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    solves: bool = False
    certainties: tuple[int, ...] = ()
    settings: frozenset[str] = frozenset()
    max_threads: int = 1
    elo: tuple[int, int] = (0, 0)


COMMON_SETTINGS = frozenset(
    {"hash_mib", "multipv", "skill_level", "limit_strength", "elo", "preset", "move_overhead_ms", "contempt", "seed"}
)

FEATURES = {
    "othello": Features(
        p1_clock="b",
        rules=("rules", "start"),
        scorings=("winner-takes-empties", "discs", "split-empties", "usoa"),
        solves=True,
        certainties=(73, 87, 95, 98, 99, 100),
        settings=COMMON_SETTINGS | {"threads", "objective", "draw_line", "own_book", "book_path", "book_variety"},
        max_threads=256,
        elo=load_calibration("othello").range,
    ),
    "banqi": Features(
        p1_clock="w",
        rules=("chase", "noprogress", "repetition"),
        settings=COMMON_SETTINGS | {"stakes", "endgame_path"},
        elo=load_calibration("banqi").range,
    ),
}


def game_of_rules(rules: str) -> str | None:
    """The game whose parameter comes first in a text of rules; None if no game knows it."""
    name = rules.partition("=")[0].strip().lower()
    return next((game for game, features in FEATURES.items() if name in features.rules), None)
