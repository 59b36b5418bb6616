"""The contract between a session and a game's engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.search.control import Control
    from fanqi.search.info import Info
    from fanqi.search.limits import Limits

__all__ = ["Engine", "EvaluationTerm", "SearchResult", "Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set about an engine; the protocol's options map onto it one to one.

    Attributes:
        hash_mib: size of the transposition table; memory is taken at the first search, not before.
        threads: search threads.
        multipv: root lines reported.
        skill_level: 0 (beginner) to 20 (full strength).
        limit_strength: play as strong as ``elo`` says instead.
        elo: counts with ``limit_strength`` only; the scale is that of `fanqi.strength.Calibration`.
        preset: a name in `fanqi.strength.PRESETS` goes before both; ``none`` for none.
        move_overhead_ms: taken off every time limit.
        contempt: cp by which a draw is worse than an even game for the side to move at the root.
        objective: ``most`` or ``fewest`` discs (Othello).
        draw_line: disc difference that counts as a draw (komi; Othello), from the view of Black.
        stakes: maximise expected stake points instead of wins (banqi).
        endgame_path: file of endgame tables instead of the shipped ones (banqi); empty for those.
        own_book: play from the opening book where it knows the position (Othello).
        book_path: file of another book than the shipped one; empty for that.
        book_variety: discs by which a move of the book may be worse than the best; one of those is taken by lot.
        seed: of every random choice the engine makes on purpose (low skill levels).
    """

    hash_mib: int = 64
    threads: int = 1
    multipv: int = 1
    skill_level: int = 20
    limit_strength: bool = False
    elo: int = 1000
    preset: str = "none"
    move_overhead_ms: int = 10
    contempt: int = 0
    objective: str = "most"
    draw_line: float = 0.0
    stakes: bool = False
    endgame_path: str = ""
    own_book: bool = False
    book_path: str = ""
    book_variety: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The end of a search.

    Attributes:
        move: canonical; a flip without its outcome; None only when the game is over already.
        ponder: the reply expected, or None (always None after a flip).
        infos: the last report of each root line, best first. At least one unless the game was over.
    """

    move: str | None
    ponder: str | None = None
    infos: tuple[Info, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationTerm:
    """One line of the static evaluation's breakdown, from the view of the side to move.

    Attributes:
        name: such as ``mobility``.
        own, opponent: the raw figures, or None where the term has only a value.
        cp: what it adds to the evaluation, or None when it is shown for information only.
    """

    name: str
    own: float | str | None = None
    opponent: float | str | None = None
    cp: float | None = None


class Engine(Protocol):
    """One player's mind for one game: settings, memory, search. Used by one thread at a time."""

    def configure(self, settings: Settings) -> None:
        """Take over settings between searches. A new hash size drops the old table."""

    def new_game(self) -> None:
        """Forget everything learned from earlier searches."""

    def reserve(self) -> None:
        """Take and touch the memory and read the files that `search` needs, so that no search loses time to it."""

    def search(self, position: Any, limits: Limits, control: Control, on_info: Callable[[Info], None]) -> SearchResult:
        """Search ``position`` until a limit or ``control`` ends it.

        Returns as soon as the answer is known, also when pondering or infinite: holding the answer back is the
        caller's business. Always returns a legal move unless the game is over, however early it is stopped.

        Args:
            position: of this engine's game.
            limits: what ends the search.
            control: the handle by which others stop it, and the only clock it may read.
            on_info: called from the searching thread, at most a few times a second beside finished iterations.
        """

    def evaluate(self, position: Any) -> tuple[int, list[EvaluationTerm]]:
        """The static evaluation in cp from the view of the side to move, and its breakdown."""
