"""What is in the tables, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.tables.classes import classes, endgames
from fanqi.banqi.tables.retrograde import LOSS

if TYPE_CHECKING:
    from fanqi.banqi.tables.store import EndgameTables

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True, slots=True)
class Summary:
    """The tables of one number of men.

    Attributes:
        men: on the board.
        classes: how many tables.
        endgames: how many sets of men they stand for.
        entries: bytes, each for a turn and a place of each man; two men on one square count as a draw.
        won, lost: entries in which the side to move wins or loses.
        longest: greatest distance to the next capture (or the last move), in plies.
    """

    men: int
    classes: int
    endgames: int
    entries: int
    won: int
    lost: int
    longest: int


def summarise(tables: EndgameTables) -> list[Summary]:
    """One line for each number of men, the fewest first."""
    lines = []
    for men in range(2, tables.men + 1):
        bytes_of_all = np.concatenate([tables.kept[kind] for kind in classes(men)])
        lost = bytes_of_all >= LOSS
        lines.append(
            Summary(
                men=men,
                classes=len(classes(men)),
                endgames=len(endgames(men)),
                entries=len(bytes_of_all),
                won=int(((bytes_of_all > 0) & ~lost).sum()),
                lost=int(lost.sum()),
                longest=int((bytes_of_all % LOSS).max()),
            )
        )
    return lines
