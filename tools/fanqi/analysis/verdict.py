"""One move judged: what the engine would have played beside what was played. For reviews here and by workers alike."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from fanqi.analysis.orientation import image_between, turned_move

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.search import Info, SearchResult

__all__ = ["Search", "Verdict", "bare", "judge"]


class Search(Protocol):
    """How a position is searched for a verdict, always under the same limits but for ``deeper``."""

    def __call__(self, position: Position, moves: tuple[str, ...] | None, deeper: int, /) -> SearchResult:
        """Search ``position``.

        Args:
            moves: only these at the root; None for all.
            deeper: plies to add to a limit of depth, if there is one.
        """


@dataclass(frozen=True, slots=True)
class Verdict:
    """A move and the best one, scores from the view of its mover.

    Attributes:
        move: as it was played, a flip without its outcome.
        best: the best move known; None only where the engine gave none.
        best_info: the line of ``best``.
        move_info: the line of ``move``, searched under the same limits; of a flip, what could be expected of it,
            searched so many plies deeper as the engine looks less deep behind flips.
        lines: all lines of the first search, best first.
    """

    move: str
    best: str | None
    best_info: Info | None
    move_info: Info | None
    lines: tuple[Info, ...]

    @property
    def best_cp(self) -> int | None:
        return None if self.best_info is None else self.best_info.score_cp

    @property
    def move_cp(self) -> int | None:
        return None if self.move_info is None else self.move_info.score_cp

    @property
    def loss_cp(self) -> int | None:
        """What the move gives away, never below 0; None where either has no score."""
        if self.best_cp is None or self.move_cp is None:
            return None
        return max(0, self.best_cp - self.move_cp)


def judge(position: Position, move: str, search: Search) -> Verdict:
    """Search for the best move, and again for the one that was played where no line of the first search is its.

    A move that comes out no worse than the one preferred at first (the second search may know more) is the best one.
    Moves that are images of each other have one score: all four first moves of Othello are one. The second search of a
    flip is deeper: behind flips the engine looks less deep, and this one is not only to be ranked but to be believed.

    Args:
        position: before the move.
        move: legal there, in any notation.
    """
    played = bare(position, move)
    found = search(position, None, 0)
    lines = even_out(position, found.infos)
    best, best_info = found.move, lines[0] if lines else None
    mine = next((info for info in lines if info.pv[:1] == (played,)), None)
    if mine is None and best is not None and best_info is not None:
        mine = image_line(position, best_info, best, played)
    if mine is None:
        deeper = flip_reduction() if position.needs_reveal(played) else 0
        mine = next(iter(search(position, (played,), deeper).infos), None)
    if mine is not None and best_info is not None and (mine.score_cp or 0) >= (best_info.score_cp or 0):
        best, best_info = played, mine
    return Verdict(played, best, best_info, mine, lines)


def even_out(position: Position, lines: tuple[Info, ...]) -> tuple[Info, ...]:
    """Lines of one search, where moves that are images of each other have one score: that of the first of them."""
    evened: list[Info] = []
    for info in lines:
        images = (image_line(position, known, known.pv[0], info.pv[0]) for known in evened if known.pv and info.pv)
        image = next(filter(None, images), None)
        evened.append(info if image is None else replace(image, multipv=info.multipv))
    return tuple(evened)


def image_line(position: Position, info: Info, move: str, other: str) -> Info | None:
    """The line of ``move`` as one that begins with ``other``, if both lead to one position but for a symmetry."""
    symmetry = image_between(position, move, other)
    if symmetry is None:
        return None
    return replace(info, pv=(other, *(turned_move(symmetry, later) for later in info.pv[1:])))


@functools.cache
def flip_reduction() -> int:
    """Plies by which banqi's search looks less deep behind a flip, at most, whatever is covered."""
    from fanqi.banqi.weights import FLIP_REDUCTION, load_weights  # a review of Othello needs nothing of banqi

    return int(load_weights()[:, FLIP_REDUCTION].max())


def bare(position: Position, move: str) -> str:
    """A move in canonical notation, a flip without its outcome."""
    return position.canonical(move).partition("=")[0]
