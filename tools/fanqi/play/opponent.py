"""The engine as an opponent, and as an adviser."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fanqi.play.strength import strength_words, with_strength
from fanqi.search import Bound, Control, Limits
from fanqi.strength import FULL_STRENGTH, PRESETS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fanqi.game import Game, Position
    from fanqi.search import Info, SearchResult, Settings

__all__ = ["Hint", "Opponent"]

HINT_LINES = 3
USUAL_MS = 1000
FULL = str(FULL_STRENGTH)


def no_report(info: Info) -> None:
    """What the opponent thinks meanwhile is its own business."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A move worth playing: its line, and its score in discs or expected per cent for the side to move."""

    line: tuple[str, ...]
    score: float | None


def score_of(game: str, info: Info) -> float | None:
    """The score of a line as people read it: discs in Othello, the expected score in per cent in banqi."""
    if game == "banqi" and info.wdl is not None:
        return (info.wdl[0] + info.wdl[1] / 2) / 10
    return None if info.score_cp is None else info.score_cp / 100


class Opponent:
    """One engine for both tasks. Searches run on a thread of their own, so that Ctrl-C can end them.

    Args:
        game: which.
        settings: its strength, and the seed of its whims.
        movetime_ms: for its moves; None for a second, or what its preset takes.
    """

    def __init__(self, game: Game, settings: Settings, movetime_ms: int | None = None) -> None:
        self._game = game.name
        self._engine = game.engine()
        self._settings = settings
        self._movetime_ms = movetime_ms

    @property
    def strength(self) -> str:
        """A level, a preset or a rating."""
        return strength_words(self._settings)

    @strength.setter
    def strength(self, text: str) -> None:
        self._settings = with_strength(self._settings, text, self._game)

    def choose(self, position: Position) -> str:
        """Its move: canonical, a flip without its outcome."""
        move = self._search(position, self._settings).move
        return move or position.legal_moves()[0]

    def hints(self, position: Position) -> list[Hint]:
        """The best moves at full strength, best first."""
        settings = replace(with_strength(self._settings, FULL, self._game), multipv=HINT_LINES)
        reports: list[Info] = []
        result = self._search(position, settings, reports.append)
        lines = whole_depth(reports, len(result.infos)) or result.infos
        return [Hint(info.pv, score_of(self._game, info)) for info in lines if info.pv]

    def accepts_draw(self, position: Position) -> bool:
        """Whether it takes the draw that the side to move offers: it does unless it sees itself ahead."""
        infos = self._search(position, self._settings).infos
        return bool(infos) and (infos[0].score_cp or 0) >= 0

    def new_game(self) -> None:
        """Forget the last game."""
        self._engine.new_game()

    def _search(
        self, position: Position, settings: Settings, report: Callable[[Info], None] = no_report
    ) -> SearchResult:
        """A search that Ctrl-C ends: it then answers with what it has found so far."""
        control = Control()
        limits = Limits(movetime_ms=self._movetime_ms or usual_time(settings))
        found: list[SearchResult] = []
        failed: list[BaseException] = []

        def think() -> None:
            try:
                self._engine.configure(settings)
                found.append(self._engine.search(position, limits, control, report))
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=think, name="fanqi-opponent", daemon=True)
        thread.start()
        while thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt:
                control.stop()
        control.close()
        if failed:
            raise failed[0]
        return found[0]


def whole_depth(reports: Sequence[Info], lines: int) -> list[Info]:
    """The lines of the last depth at which all of them were finished, best first; none if there was no such depth.

    Time mostly runs out in the middle of a depth. Scores of different depths cannot be compared.
    """
    depths: dict[tuple[int, int | None], dict[int, Info]] = {}
    for info in reports:
        if info.bound is Bound.EXACT:
            depths.setdefault((info.depth, info.selectivity), {})[info.multipv] = info
    whole = [found for found in depths.values() if len(found) == lines]
    return [whole[-1][number] for number in sorted(whole[-1])] if whole else []


def usual_time(settings: Settings) -> int:
    """Milliseconds for a move where the person has not said how many."""
    preset = PRESETS.get(settings.preset)
    return USUAL_MS if preset is None or preset.movetime_ms is None else preset.movetime_ms
