"""The first four discs of 1890: every way to fill the centre, judged by what can be reached from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.othello.notation import parse_move
from fanqi.othello_book import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.othello.reversi.position import ReversiPosition

__all__ = ["judge_placements"]


def judge_placements(
    position: ReversiPosition, moves: tuple[str, ...], search: Callable[[ReversiPosition, int], int]
) -> list[tuple[int, tuple[int, ...]]]:
    """Each of ``moves`` with its score for the side to move and the placements that follow, best first.

    Args:
        position: with the centre not full.
        search: the score of a position with the centre full, from its mover's view, after so many placements. Of those
            that are images of each other it is asked about one.
    """
    known: dict[tuple[int, int], int] = {}

    def best(found: ReversiPosition, placed: int) -> tuple[int, tuple[int, ...]]:
        if not found.placing:
            key = canonical(found.own, found.opponent)
            if key not in known:
                known[key] = search(found, placed)
            return known[key], ()
        return max((after(found, move, placed) for move in found.legal_moves()), key=score)

    def after(found: ReversiPosition, move: str, placed: int) -> tuple[int, tuple[int, ...]]:
        value, line = best(found.play(move), placed + 1)
        return -value, (parse_move(move), *line)

    return sorted((after(position, move, 0) for move in moves), key=score, reverse=True)


def score(judged: tuple[int, tuple[int, ...]]) -> int:
    return judged[0]
